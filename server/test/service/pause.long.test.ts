import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Health, PunctualClient, type Run } from '../../../client/src/index.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

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

/** The latest nominal time of a schedule of every second, which may be decided about already. */
const lastSecond = () => new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();

async function missedRuns(client: PunctualClient, scheduleId: string): Promise<Run[]> {
  for (;;) {
    const { items } = await client.listRuns({ scheduleId, status: 'missed', limit: 100 });
    if (items.length > 0) return items;
    await sleep(50);
  }
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
      const pausedBy = new Date().toISOString();
      await sleep(3_000);
      // A request that was in flight by then may arrive later.
      assert.deepEqual(
        target.times.filter(time => time > pausedBy),
        [],
        'nothing fires',
      );
      const sent = target.times.length;
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

      const client = clientAt(urlOf(second.out()));
      const waiting = await client.explain(id, { at: lastSecond() });
      assert.equal(waiting.verdict, 'waiting');
      assert.match(waiting.sentence, new RegExp(`Punctual is paused since ${pausedSince}`));
      assert.equal((await folder.run(['resume'], environment)).code, 0);
      const resumedAt = new Date().toISOString();
      await once(target.server, 'arrival');
      assert.equal(new Set(target.times).size, target.times.length, 'none twice');
      const missed = await missedRuns(client, id);
      const reason = new RegExp(`^It passed while Punctual was paused, from ${pausedSince} to 20`);
      // One that was missed before the pause, by a machine that was held up, has another reason.
      const ofPause = missed.filter(
        ({ scheduledFor }) => scheduledFor >= pausedSince && scheduledFor < resumedAt,
      );
      for (const run of ofPause) {
        assert.match(run.reason!, reason);
        const { sentence } = await client.explain(id, { at: run.scheduledFor });
        assert.match(sentence, /^It was missed: it passed while Punctual was paused, from /);
      }
      assert.ok(ofPause.length >= 4, 'before, while and after it was down');
      const told = JSON.parse((await folder.run(['resume', '--json'], environment)).out);
      assert.deepEqual(told, { resumed: false });
      assert.equal(await second.stop(), 0);
    });
  }

  test('PUNCTUAL_PAUSED keeps one node from firing, whatever the store says', async t => {
    const target = await aTarget(t);
    const environment = { ...ENVIRONMENT, PUNCTUAL_PAUSED: 'true' };
    const folder = emptyFolder(t);
    const service = await folder.start(['serve'], LISTENING, environment);
    const client = clientAt(urlOf(service.out()));
    const { id } = await client.createSchedule(everySecond(target.url));
    await sleep(2_500);
    assert.deepEqual(target.times, []);
    const { warning, paused } = await client.getReadiness();
    assert.match(warning!, /PUNCTUAL_PAUSED/);
    assert.equal(paused!.by, 'setting');
    const { sentence } = await client.explain(id, { at: lastSecond() });
    assert.match(sentence, new RegExp(`Punctual is paused since ${paused!.since}`));
    assert.equal(await service.stop(), 0);
    const unpaused = await folder.start(['serve'], LISTENING, ENVIRONMENT);
    const missed = await missedRuns(clientAt(urlOf(unpaused.out())), id);
    assert.match(missed.at(-1)!.reason!, new RegExp(`was paused, from ${paused!.since} to 20`));
    assert.equal(await unpaused.stop(), 0);
  });

  test('PUNCTUAL_PAUSED of one node leaves its times to the others', async t => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const target = await aTarget(t);
    const folder = emptyFolder(t);
    const environment = { ...ENVIRONMENT, DATABASE_URL: await server.createDatabase() };
    const firing = await folder.start(['serve'], LISTENING, environment);
    const resting = await folder.start(['serve'], LISTENING, {
      ...environment,
      PUNCTUAL_PAUSED: 'true',
    });
    const client = clientAt(urlOf(resting.out()));
    const { id } = await client.createSchedule(everySecond(target.url));
    await until(() => target.times.length > 3);
    assert.equal((await client.getReadiness()).paused!.by, 'setting');
    assert.equal((await clientAt(urlOf(firing.out())).getReadiness()).paused, undefined);
    const { sentence } = await client.explain(id, { at: target.times[0]! });
    assert.doesNotMatch(sentence, /paused/);
    assert.equal(await resting.stop(), 0);
    const { items } = await clientAt(urlOf(firing.out())).listRuns({
      scheduleId: id,
      status: 'missed',
    });
    // A machine that is held up may miss some, and says so.
    assert.deepEqual(
      items.filter(({ reason }) => !/too busy/.test(reason!)),
      [],
    );
    assert.equal(await firing.stop(), 0);
  });
});
