import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseDeadline } from '../../src/outbound/lease-deadline.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { serve, until } from '../support/outbound/target-server.ts';
import { aClient, aSchedule } from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

const DUE = 50;
const CONNECTIONS = 2;

test('a node that stops gives back at once what waits behind a hung target, and other nodes have it', async t => {
  const hung: (() => void)[] = [];
  const target = await serve(t, socket => hung.push(() => socket.destroy()));
  const url = await server.createDatabase();
  const store = await openPostgres(url);
  const other = await openPostgres(url);
  const sender = createSenderPool({
    allow: parseAllowTargets('127.0.0.0/8'),
    connectionsPerOrigin: CONNECTIONS,
    maxOrigins: 10,
    maxLookups: 32,
    threads: 1,
  });
  const engine = new Engine({
    expand: periodsOf,
    fetchText: async () => assert.fail('nothing is fetched here'),
    store,
    send: sender.send,
    clock: systemClock,
    random: () => 0,
    observer: new Proxy({}, { get: () => () => {} }) as EngineObserver,
    maxInFlight: 100,
    maxInFlightPerHost: 100,
    retention: { runsDays: 36_500, failedRunsDays: 36_500 },
    leaseDeadline: new LeaseDeadline(60_000),
  });
  const first = await store.cluster!.now();
  const { clientRowId } = await aClient(store);
  const batch = Array.from({ length: DUE }, () => ({
    schedule: aSchedule({ url: target.url, createdAt: first }),
    start: { first, second: null },
  }));
  await store.schedules.insert(clientRowId, batch);
  await engine.start();
  const countOf = async (state: string) =>
    (await runOn(url, `SELECT 1 FROM queue WHERE state = '${state}'`)).length;
  while ((await countOf('inFlight')) < DUE);
  await until(() => target.requests.length === CONNECTIONS);

  const stopped = engine.stop(60_000);
  while ((await countOf('waiting')) < DUE - CONNECTIONS);
  const { claims } = await other.queue.claim(first, 100, 0);
  assert.equal(claims.length, DUE - CONNECTIONS);
  assert.ok(claims.every(({ attempt, begun }) => begun && attempt === 1));
  for (const hangUp of hung) hangUp();
  await stopped;
  assert.equal(target.requests.length, CONNECTIONS);
  await Promise.all([store.close(), other.close(), sender.close()]);
});
