import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FileOutcome } from '../../scripts/test-outcomes.ts';
import { runTests, type TestRun, verdictOf } from '../../scripts/test-runner.ts';

/** The runner of `npm test`, on small files that are made up. */

const PASSES = `test('passes', () => {});`;
const FAILS = `test('fails', () => assert.fail('on purpose'));`;
const WAITS = `test('waits', () => new Promise(resolve => setTimeout(resolve, 600_000)));`;
const STAYS = `${PASSES} setInterval(() => {}, 1_000);`;
const EXITS = `test('ends it', async () => {
  await new Promise(resolve => setTimeout(resolve, 50));
  process.exit(0);
});`;
/** Leaves a mark, and finds it when it runs once more. */
const FAILS_ONCE = `test('fails at first', () => {
  const mark = import.meta.filename + '.mark';
  if (existsSync(mark)) return;
  writeFileSync(mark, '');
  assert.fail('the first time');
});`;

interface Run {
  passed: boolean;
  /** All that was written. */
  told: string;
  /** The lines that tell `failed` and `failed once`. */
  last: string[];
}

async function runOf(
  context: TestContext,
  files: Record<string, string>,
  { batches = Object.keys(files).map(file => [file]), ...bounds }: Partial<TestRun> = {},
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-runner-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const cwd = join(folder, 'files');
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(cwd, name), `${HEAD}${text}`);
  let told = '';
  const passed = await runTests({
    batches,
    cwd,
    concurrency: 3,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    write: text => {
      told += text;
    },
    testTimeoutMs: 60_000,
    processTimeoutMs: 60_000,
    ...bounds,
  });
  return { passed, told, last: told.match(/^failed.*$/gm) ?? [] };
}

const HEAD = `
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
`;

test('a run passes where all pass, and tells how many and why some were skipped', async context => {
  const skips = `test('is skipped', { skip: 'no such machine' }, () => {});`;
  const { passed, told, last } = await runOf(context, { 'a.mjs': PASSES + skips, 'b.mjs': PASSES });
  assert.ok(passed);
  assert.match(told, /ℹ files 2\nℹ tests 3\nℹ pass 2\nℹ fail 0\nℹ skipped 1\n/);
  assert.match(told, /^ {2}skipped: no such machine$/m);
  assert.deepEqual(last, []);
});

test('a file that failed runs once more: where it passes, the run passes and names it last', async context => {
  const { passed, told } = await runOf(context, { 'a.mjs': FAILS_ONCE, 'b.mjs': PASSES });
  assert.ok(passed);
  assert.match(told, /ℹ pass 2\nℹ fail 0\n/);
  assert.ok(told.endsWith('\nfailed once: a.mjs: fails at first: the first time\n'), told);
});

test('where a file fails always, the run fails, and shows its output', async context => {
  const { passed, told, last } = await runOf(context, { 'a.mjs': FAILS, 'b.mjs': FAILS_ONCE });
  assert.ok(!passed);
  assert.match(told, /✖ fails/);
  assert.deepEqual(last, [
    'failed: a.mjs: fails: on purpose',
    'failed once: b.mjs: fails at first: the first time',
  ]);
});

test('two chance failures pass, three fail the run', () => {
  const outcome = (file: string, message?: string): FileOutcome => ({
    file,
    durationMs: 1,
    tests: 1,
    passed: message === undefined ? 1 : 0,
    skipped: [],
    failure: message === undefined ? null : { test: 'a test', message },
    output: '',
  });
  const files = ['a', 'b', 'c'];
  const verdict = (count: number) =>
    verdictOf(
      files.slice(0, count).map(file => outcome(file, 'once\nand more')),
      files.slice(0, count).map(file => outcome(file)),
    );
  assert.deepEqual(verdict(2), {
    passed: true,
    lines: ['failed once: a: a test: once', 'failed once: b: a test: once'],
  });
  assert.ok(!verdict(3).passed);
  assert.equal(verdict(3).lines.at(-1), '3 files failed once: that is no chance.');
});

test('what hangs is killed at its bound, by its name', async context => {
  const { passed, last } = await runOf(
    context,
    {
      'waits.mjs': WAITS,
      'blocks.mjs': `test('blocks', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`,
      'stays.mjs': STAYS,
    },
    { testTimeoutMs: 500, processTimeoutMs: 1_500 },
  );
  assert.ok(!passed);
  assert.deepEqual(last.toSorted(), [
    'failed: blocks.mjs: (the file): Its process went on for 1.5 s, and was killed.',
    'failed: stays.mjs: (the file): Its process went on for 1.5 s, and was killed.',
    'failed: waits.mjs: waits: test timed out after 500ms',
  ]);
});

test('a process that crashes, ends early, cannot be read or has no tests fails by its name', async context => {
  const later = `await new Promise(resolve => setTimeout(resolve, 50));`;
  const { passed, last } = await runOf(context, {
    'crashes.mjs': `test('crashes', async () => { ${later} process.kill(process.pid, 'SIGKILL'); });`,
    'ends.mjs': EXITS,
    'empty.mjs': '',
    'wrong.mjs': `test('is not closed', () => {`,
  });
  assert.ok(!passed);
  assert.deepEqual(last.toSorted(), [
    'failed: crashes.mjs: crashes: Its process was ended by SIGKILL.',
    'failed: empty.mjs: (the file): It has no tests.',
    'failed: ends.mjs: ends it: Its process ended with 0.',
    'failed: wrong.mjs: (the file): Its process ended with 1.',
  ]);
});

test('a process that a file leaves behind does not outlive it', async context => {
  const leaves = `test('leaves one', () => {
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
    child.unref();
    console.log('left ' + child.pid);
    assert.fail('so that its output is shown');
  });`;
  const { told } = await runOf(context, { 'leaves.mjs': leaves });
  const left = [...told.matchAll(/left (\d+)/g)].map(([, pid]) => Number(pid));
  assert.equal(left.length, 2);
  // A process that was killed may stay listed until somebody collects it; its memory is gone.
  for (const pid of left) assert.ok(await isGone(pid), `${pid} goes on`);
});

test('files of a batch share a process, and each is judged by itself', async context => {
  const pid = `test('tells', () => console.log('pid ' + process.pid));`;
  const files = {
    'hooks.mjs': `before(() => { globalThis.isBroken = true; }); after(() => { globalThis.isBroken = false; }); ${pid}`,
    'none of its hooks.mjs': `${pid} test('is well', () => assert.ok(!globalThis.isBroken));`,
    'once.mjs': FAILS_ONCE,
    'wrong.mjs': `test('is not closed', () => {`,
    'empty.mjs': '',
    'fails.mjs': `${FAILS} ${pid}`,
  };
  const batches = [Object.keys(files)];
  const { told, last } = await runOf(context, files, { batches });
  assert.match(told, /ℹ files 6\n/);
  assert.deepEqual(last.toSorted(), [
    'failed once: once.mjs: fails at first: the first time',
    'failed: empty.mjs: (the file): It has no tests.',
    'failed: fails.mjs: fails: on purpose',
    'failed: wrong.mjs: (the file): Its process ended with 1.',
  ]);
  const pids = [...told.matchAll(/pid (\d+)/g)].map(([, pid]) => pid);
  assert.equal(new Set(pids).size, 2);
});

test('where one ends the process of its batch, it is named, and the others run', async context => {
  const files = { 'a.mjs': PASSES, 'exits.mjs': EXITS, 'b.mjs': PASSES, 'c.mjs': PASSES };
  const batches = [Object.keys(files)];
  const { told, last } = await runOf(context, files, { batches });
  assert.match(told, /ℹ files 4\nℹ tests 3\nℹ pass 3\nℹ fail 1\n/);
  assert.deepEqual(last, ['failed: exits.mjs: ends it: Its process ended with 0.']);
});

test('where one keeps the process of its batch up, each runs alone, and it is named', async context => {
  const files = { 'a.mjs': PASSES, 'stays.mjs': STAYS, 'b.mjs': PASSES };
  const batches = [Object.keys(files)];
  const { last } = await runOf(context, files, { batches, processTimeoutMs: 2_000 });
  const message = 'Its process went on for 2 s, and was killed.';
  assert.deepEqual(last.toSorted(), [
    `failed once: a.mjs: (the file): ${message}`,
    `failed once: b.mjs: (the file): ${message}`,
    `failed: stays.mjs: (the file): ${message}`,
  ]);
});

async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return false;
}
