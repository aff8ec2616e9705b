import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyWithBug } from '../support/crash/mutate.ts';
import { MUTANTS, type Mutant } from './list.ts';
import { patchOf } from './patch-of.ts';

/**
 * `npm run mutants`: puts each mutant into a copy of the sources and runs the tests there, until one
 * fails. Prints the table of docs/decisions/0011-mutants.md. `npm run mutants -- renew` runs those
 * whose name it matches.
 */
const TESTS = [
  'server/test/store/postgres-lease.long.test.ts',
  'server/test/store/postgres.test.ts',
  'server/test/engine/lease-renewer.test.ts',
  'server/test/nodes/engines.long.test.ts',
];
/** One that hangs has failed too. */
const PATIENCE_MS = 120_000;

async function main(wanted: RegExp): Promise<void> {
  const mutants = MUTANTS.filter(({ name }) => wanted.test(name));
  let survived = 0;
  process.stdout.write('| Mutant | Caught by |\n|---|---|\n');
  for (const mutant of mutants) {
    const caughtBy = await catcherOf(mutant);
    if (caughtBy === null) survived += 1;
    process.stdout.write(`| ${mutant.name} | ${caughtBy ?? '**nothing**'} |\n`);
  }
  process.stderr.write(`${mutants.length} mutants, ${survived} survived\n`);
  process.exitCode = survived > 0 || mutants.length === 0 ? 1 : 0;
}

/** @returns the name of the first test that fails, or null */
async function catcherOf(mutant: Mutant): Promise<string | null> {
  const copy = await copyWithBug([await patchOf(mutant)], ['server/test']);
  try {
    for (const test of TESTS) {
      const failed = await firstFailure(copy.folder, test);
      if (failed !== null) return failed;
    }
    return null;
  } finally {
    await copy.remove();
  }
}

/** Ends with the first test that fails: nobody needs the others. */
async function firstFailure(folder: string, test: string): Promise<string | null> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', test], {
    cwd: folder,
    // So that its servers end with it.
    detached: true,
    // So that what it leaves there goes with the copy.
    env: { ...process.env, TMPDIR: await openFolder(folder) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = () => process.kill(-child.pid!, 'SIGTERM');
  let output = '';
  let failure: string | undefined;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (failure !== undefined) return;
    // The innermost comes first.
    failure = /^\s*not ok \d+ - (.*)\n/m.exec(output)?.[1];
    if (failure !== undefined) end();
  });
  const timer = setTimeout(end, PATIENCE_MS);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return failure ?? (code === 0 ? null : 'a test that does not end');
}

/** The servers run as another user. */
async function openFolder(folder: string): Promise<string> {
  const inside = join(folder, 'tmp');
  await mkdir(inside, { recursive: true });
  await chmod(folder, 0o755);
  await chmod(inside, 0o777);
  return inside;
}

await main(new RegExp(process.argv[2] ?? ''));
