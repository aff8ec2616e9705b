import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PunctualClient } from '../../../client/src/index.ts';
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
  context.after(() => shell.stdout.readableEnded || process.kill(pid, 'SIGKILL'));
  return { shell, pid, out: () => out, closed };
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
  const npx = spawn('npx', ['punctual', 'serve'], {
    ...{ cwd, env, stdio: ['ignore', 'pipe', 'ignore'] },
    // A group of its own: nothing is left of it where this test fails.
    detached: true,
  });
  context.after(() => npx.stdout.readableEnded || process.kill(-npx.pid!, 'SIGKILL'));
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

test('a stop that a signal began is not cut short when npm is gone too, as below systemd', async context => {
  const held: ServerResponse[] = [];
  const target = createServer((_request, response) => held.push(response)).listen(0, '127.0.0.1');
  context.after(() => target.close());
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const line = `"$NODE" '${SERVER}/bin/punctual.js' dev --json & echo "pid $! "; wait`;
  const { shell, pid, out, closed } = await below(context, line, { ...NPM, PORT: '0' });
  while (!out().includes('apiKey')) await once(shell.stdout, 'data');
  const { url, clientId, apiKey } = JSON.parse(/^\{.*\}$/m.exec(out())![0]);
  const client = new PunctualClient({ baseUrl: url, clientId, apiKey });
  const every = { verb: 'GET', interval: '* * * * * *', timezone: 'UTC' } as const;
  await client.createSchedule({ url: `http://127.0.0.1:${port}/`, ...every });
  while (held.length === 0) await sleep(20);
  process.kill(pid, 'SIGTERM');
  shell.kill('SIGTERM');
  await once(shell, 'exit');
  // It would look every 100 ms.
  await sleep(350);
  assert.ok(!shell.stdout.readableEnded, 'it waits for the request in flight');
  for (const response of held) response.end();
  await closed;
});

for (const [why, line, environment] of [
  ['one that npm did not start', PLAIN, {}],
  ['one with a session of its own', `setsid --wait ${PLAIN}`, NPM],
] as const) {
  test(`${why} goes on`, { skip: process.platform !== 'linux' }, async context => {
    const { shell, out } = await below(context, line, environment);
    shell.kill('SIGTERM');
    await once(shell, 'exit');
    // It would look every 100 ms.
    await sleep(350);
    assert.ok(!shell.stdout.readableEnded);
    assert.doesNotMatch(out(), /ended/);
  });
}
