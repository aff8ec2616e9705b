import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyFolder } from '../support/service/command.ts';

/** A starter that is gone: npm and npx end at SIGTERM with the shell between, and tell nobody. */

const SERVER = join(import.meta.dirname, '../..');
const NPM = { npm_lifecycle_event: 'npx' };
/** Says its pid, and whether its starter has gone. */
const PROGRAM = `import { endWithStarter } from '${SERVER}/bin/starter.js';
const timer = setTimeout(() => {}, 60_000);
endWithStarter(() => { console.log('ended'); clearTimeout(timer); });
console.log('pid', process.pid, '.');`;
const PLAIN = '"$NODE" --input-type=module -e "$PROGRAM"; :';

/** Below a shell, as npm starts it. Only the shell is sent a signal. */
async function below(context: TestContext, line: string, environment: Record<string, string>) {
  const env = { PATH: process.env.PATH, NODE: process.execPath, PROGRAM, ...environment };
  const cwd = emptyFolder(context).path;
  const shell = spawn('sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  shell.stdout.on('data', chunk => {
    out += chunk;
  });
  const closed = once(shell.stdout, 'close');
  while (!/pid \d+ /.test(out)) await once(shell.stdout, 'data');
  const pid = Number(/pid (\d+)/.exec(out)![1]);
  context.after(() => isThere(pid) && process.kill(pid, 'SIGKILL'));
  return { shell, pid, out: () => out, closed };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a program below npm notices that the shell of npm is gone', async context => {
  const { shell, out, closed } = await below(context, PLAIN, NPM);
  shell.kill('SIGTERM');
  await closed;
  assert.match(out(), /ended/);
});

test('npx punctual serve is stopped by the pid of npx', async context => {
  const folder = emptyFolder(context);
  const DATABASE_URL = `sqlite:${join(folder.path, 'punctual.db')}`;
  const { npm_config_cache, PATH } = process.env;
  const env = { PATH, PORT: '0', DATABASE_URL, ...(npm_config_cache && { npm_config_cache }) };
  const cwd = join(SERVER, '..');
  const npx = spawn('npx', ['punctual', 'serve'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  npx.stdout.on('data', chunk => {
    out += chunk;
  });
  const closed = once(npx.stdout, 'close');
  while (!out.includes('"listening"')) await once(npx.stdout, 'data');
  npx.kill('SIGTERM');
  await closed;
  assert.match(out, /"stopped"/);
  // The port and the store are free.
  const next = await folder.start(['serve'], /"listening"/, { DATABASE_URL });
  assert.equal(await next.stop(), 0);
});

for (const [why, line, environment] of [
  ['one that npm did not start', PLAIN, {}],
  ['one with a session of its own', `setsid --wait ${PLAIN}`, NPM],
] as const) {
  test(`${why} goes on`, { skip: process.platform !== 'linux' }, async context => {
    const { shell, pid, out } = await below(context, line, environment);
    shell.kill('SIGTERM');
    await once(shell, 'exit');
    // It would look every 100 ms.
    await sleep(350);
    assert.ok(isThere(pid));
    assert.doesNotMatch(out(), /ended/);
  });
}
