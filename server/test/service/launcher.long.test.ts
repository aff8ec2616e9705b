import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { emptyFolder, type Folder, urlOf } from '../support/service/command.ts';

/** This ends a test that hangs. On a busy machine each start takes several seconds. */
const PATIENCE_MS = 120_000;
const LAUNCHER = pathToFileURL(join(import.meta.dirname, '../../bin/own-runtime.js'));

/** As from a Node 20, which cannot become another process: the service is its child. */
function launch(
  context: TestContext,
  folder: Folder,
  args: string[],
  npmEvent?: string,
): ChildProcess {
  const script = join(folder.path, 'launcher.mjs');
  writeFileSync(
    script,
    `import { subscribe } from 'node:diagnostics_channel';
     subscribe('child_process', ({ process: child }) => {
       child.once('spawn', () => process.stderr.write(child.pid + '\\n'));
     });
     process.execve = undefined;
     const { runWith } = await import(${JSON.stringify(LAUNCHER)});
     runWith(process.execPath);`,
  );
  const command = [process.execPath, script, ...args];
  const shell = ['sh', '-c', '"$@"; :', 'sh', ...command];
  const [file = '', ...rest] = npmEvent === undefined ? command : shell;
  const launcher = spawn(file, rest, {
    cwd: folder.path,
    env: { PATH: process.env.PATH, PORT: '0', ...(npmEvent && { npm_lifecycle_event: npmEvent }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let service: number | undefined;
  launcher.stderr!.once('data', pid => {
    service = Number.parseInt(pid, 10);
  });
  context.after(() => {
    launcher.kill('SIGKILL');
    if (service) killIfThere(service);
  });
  return launcher;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

async function startedAt(launcher: ChildProcess): Promise<string> {
  const [line] = (await once(launcher.stdout!, 'data')) as [Buffer];
  return urlOf(line.toString());
}

const answers = (url: string) =>
  fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );

describe('a Node that cannot become another process', () => {
  test('killed, leaves no service behind, and the next one takes the store', {
    timeout: PATIENCE_MS,
  }, async context => {
    const folder = emptyFolder(context);
    const launcher = launch(context, folder, ['dev', '--json']);
    const url = await startedAt(launcher);
    assert.ok(await answers(url));
    launcher.kill('SIGKILL');
    while (await answers(url)) await sleep(20);
    const next = await folder.start(['dev', '--json'], /"url"/);
    assert.equal(await next.stop(), 0);
  });

  test('ends with the shell of npm that started it', { timeout: PATIENCE_MS }, async context => {
    const folder = emptyFolder(context);
    const launcher = launch(context, folder, ['dev', '--json'], 'npx');
    const url = await startedAt(launcher);
    launcher.kill('SIGTERM');
    assert.deepEqual(await once(launcher, 'exit'), [null, 'SIGTERM']);
    while (await answers(url)) await sleep(20);
    const next = await folder.start(['dev', '--json'], /"url"/);
    assert.equal(await next.stop(), 0);
  });

  test('hands on a signal, and ends as the service does', {
    timeout: PATIENCE_MS,
  }, async context => {
    const launcher = launch(context, emptyFolder(context), ['dev', '--json']);
    const url = await startedAt(launcher);
    launcher.kill('SIGTERM');
    assert.deepEqual(await once(launcher, 'exit'), [0, null]);
    assert.equal(await answers(url), false);
  });

  test('ends with the exit code of a command', { timeout: PATIENCE_MS }, async context => {
    const launcher = launch(context, emptyFolder(context), ['serve', '--nope']);
    assert.deepEqual(await once(launcher, 'exit'), [2, null]);
  });
});
