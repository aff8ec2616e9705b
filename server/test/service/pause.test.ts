import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Health, PunctualClient } from '../../../client/src/index.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { emptyFolder, urlOf } from './command.ts';

/** `punctual pause` and `resume`, beside services that fire each second. */

const LISTENING = /"listening"/;
const PAUSED = /paused: nothing fires/;
const CREDENTIALS = {
  PUNCTUAL_CLIENT_ID: 'billing',
  PUNCTUAL_API_KEY: 'a-key-of-more-than-twenty',
};
const ENVIRONMENT = { ...CREDENTIALS, PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };

async function aTarget(t: TestContext): Promise<{ server: Server; url: string; times: string[] }> {
  const times: string[] = [];
  const server = createServer((request, response) => {
    times.push(String(request.headers['punctual-scheduled-for']));
    request.resume();
    response.end();
    server.emit('arrival');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return { server, times, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const clientAt = (baseUrl: string) =>
  new PunctualClient({
    baseUrl,
    clientId: CREDENTIALS.PUNCTUAL_CLIENT_ID,
    apiKey: CREDENTIALS.PUNCTUAL_API_KEY,
  });

const everySecond = (url: string) => ({
  url,
  verb: 'POST' as const,
  interval: '* * * * * *',
  timezone: 'UTC',
  policy: { catchUpSeconds: 0 },
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}

describe('punctual pause', () => {
  for (const store of ['SQLite', 'PostgreSQL']) {
    test(`on ${store} nothing fires until punctual resume, also after a restart`, async t => {
      const environment: Record<string, string> = { ...ENVIRONMENT };
      if (store === 'PostgreSQL') {
        const server = await startPostgres();
        t.after(() => server.stop());
        environment.DATABASE_URL = await server.createDatabase();
      }
      const target = await aTarget(t);
      const folder = emptyFolder(t);
      const first = await folder.start(['serve'], LISTENING, environment);
      const { id } = await clientAt(urlOf(first.out())).createSchedule(everySecond(target.url));
      await once(target.server, 'arrival');

      const { code, out } = await folder.run(['pause', '--json'], environment);
      assert.equal(code, 0);
      const { pausedSince } = JSON.parse(out);
      await until(() => PAUSED.test(first.out()));
      await sleep(500);
      const sent = target.times.length;
      await sleep(2_500);
      assert.equal(target.times.length, sent, 'nothing fires');
      const ready = await fetch(`${urlOf(first.out())}/readyz`);
      assert.equal(ready.status, 200);
      const { warning, paused } = (await ready.json()) as Health;
      assert.match(warning!, /Punctual is paused since/);
      assert.deepEqual(paused, { since: pausedSince, by: 'command' });
      const again = JSON.parse((await folder.run(['pause', '--json'], environment)).out);
      assert.deepEqual(again, { pausedSince });

      assert.equal(await first.stop(), 0);
      const second = await folder.start(['serve'], LISTENING, environment);
      await until(() => PAUSED.test(second.out()));
      await sleep(1_500);
      assert.equal(target.times.length, sent, 'nor after a restart');

      assert.equal((await folder.run(['resume'], environment)).code, 0);
      await once(target.server, 'arrival');
      assert.equal(new Set(target.times).size, target.times.length, 'none twice');
      const client = clientAt(urlOf(second.out()));
      await until(async () => {
        const { items } = await client.listRuns({ scheduleId: id, status: 'missed' });
        return items.length > 0;
      });
      const told = JSON.parse((await folder.run(['resume', '--json'], environment)).out);
      assert.deepEqual(told, { resumed: false });
      assert.equal(await second.stop(), 0);
    });
  }

  test('PUNCTUAL_PAUSED keeps one node from firing, whatever the store says', async t => {
    const target = await aTarget(t);
    const environment = { ...ENVIRONMENT, PUNCTUAL_PAUSED: 'true' };
    const service = await emptyFolder(t).start(['serve'], LISTENING, environment);
    await clientAt(urlOf(service.out())).createSchedule(everySecond(target.url));
    await sleep(2_500);
    assert.deepEqual(target.times, []);
    const { warning, paused } = await clientAt(urlOf(service.out())).getReadiness();
    assert.match(warning!, /PUNCTUAL_PAUSED/);
    assert.equal(paused!.by, 'setting');
    assert.equal(await service.stop(), 0);
  });
});
