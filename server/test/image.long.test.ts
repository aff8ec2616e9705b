import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PunctualClient } from '../../client/src/index.ts';
import { freePort } from './support/store/postgres-server.ts';

/**
 * The last stage of `deploy/Dockerfile`, replayed without Docker: its steps are carried out below a folder, and what it
 * starts is started as the user that it names, with the image's own settings.
 */

const ROOT = join(import.meta.dirname, '../..');
/** The user "node" of the image `node`. */
const USER = { uid: 1_000, gid: 1_000 };
/** What the image's steps name, and the test has elsewhere. */
const PLACES = ['/opt/punctual', '/usr/local/bin', '/data'];

interface Step {
  word: string;
  text: string;
}

function lastStage(): Step[] {
  const text = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ');
  const stage = text.slice(text.lastIndexOf('\nFROM ') + 1);
  return [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, word, text]) => ({
    word: word!,
    text: text!,
  }));
}

const skip = process.getuid?.() !== 0 && 'It takes root to become the user of the image.';

test('the image starts with its defaults as its user, is healthy, fires and keeps its data', {
  skip,
}, async t => {
  const root = mkdtempSync(join(tmpdir(), 'punctual-image-'));
  chmodSync(root, 0o755);
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const here = (text: string) =>
    PLACES.reduce((all, place) => all.replaceAll(place, join(root, place)), text);
  for (const place of ['/opt/punctual', '/usr/local/bin']) {
    mkdirSync(join(root, place), { recursive: true });
  }

  const steps = lastStage();
  const of = (word: string) => steps.filter(step => step.word === word).map(({ text }) => text);
  // The image's Node, where its user can read it.
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  const path = [join(root, 'usr/local/bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const environment: Record<string, string> = { PATH: path };
  for (const [, name, value] of of('ENV')
    .join(' ')
    .matchAll(/(\w+)=(\S+)/g)) {
    environment[name!] = here(value!);
  }
  const [workFolder] = of('WORKDIR').map(here);
  for (const { word, text } of steps) {
    if (word === 'COPY') {
      assert.equal(text, '--from=build /punctual-*.tgz ./');
      execFileSync('npm', ['pack', '-w', 'server', '--pack-destination', workFolder!], {
        cwd: ROOT,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    } else if (word === 'RUN') {
      const command = here(text).replaceAll('-o node -g node', `-o ${USER.uid} -g ${USER.gid}`);
      const env = { ...process.env, ...environment };
      execFileSync('sh', ['-ec', command], { cwd: workFolder, env, stdio: 'pipe' });
    }
  }
  assert.deepEqual(of('VOLUME').map(here), [join(root, 'data')]);
  assert.deepEqual(of('USER'), ['node']);
  assert.equal(statSync(join(root, 'data')).uid, USER.uid);

  const target = createServer((request, response) => {
    request.resume();
    response.end('ok');
  }).listen(0, '127.0.0.1');
  t.after(() => target.close());
  const port = await freePort();
  const env = { ...environment, PORT: String(port), PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
  const [command, ...args] = [
    ...JSON.parse(here(of('ENTRYPOINT')[0]!)),
    ...JSON.parse(of('CMD')[0]!),
  ];
  const options = { cwd: workFolder!, env, ...USER };
  const service = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => service.kill('SIGKILL'));
  let said = '';
  for (const stream of [service.stdout, service.stderr])
    stream.on('data', chunk => (said += chunk));

  const [check, ...checked] = JSON.parse(of('HEALTHCHECK')[0]!.replace(/^.* CMD /, ''));
  const isHealthy = () => spawnSync(check, checked, options).status === 0;
  for (let look = 0; !isHealthy(); look++) {
    assert.ok(look < 50 && service.exitCode === null, `It is not healthy: ${said}`);
    await sleep(200);
  }

  const made = execFileSync(
    join(root, 'usr/local/bin/punctual'),
    ['client', 'create', '--name', 'Billing', '--json'],
    { ...options, encoding: 'utf8' },
  );
  const { clientId, apiKey } = JSON.parse(made);
  const client = new PunctualClient({ baseUrl: `http://127.0.0.1:${port}`, clientId, apiKey });
  const fired = once(target, 'request');
  await client.createSchedule({
    url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
    verb: 'POST',
    interval: '* * * * * *',
    timezone: 'UTC',
  });
  await fired;
  assert.equal(statSync(join(root, 'data/punctual.db')).uid, USER.uid);

  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], said);
  assert.ok(!isHealthy(), 'and what does not run is not healthy');
});
