import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import {
  aCallback,
  aClient,
  anId,
  aRecord,
  aSchedule,
  changed,
  claimOne,
  MINUTE,
  NOON,
  outboxSettlementOf,
  settled,
  stored,
  triggered,
} from './keeper.ts';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

/** Every prepared statement that has been sent, by its name. */
const statements = new Map<string, string>();
const send = Client.prototype.query as (...args: unknown[]) => unknown;
Client.prototype.query = function (this: Client, query: { name?: string; text: string }) {
  if (query?.name !== undefined) statements.set(query.name, query.text);
  // biome-ignore lint/complexity/noArguments: passed on as they came
  return send.apply(this, [...arguments]);
} as typeof Client.prototype.query;

test('PostgreSQL: what is asked all the time never reads a whole table', async () => {
  const url = await server.createDatabase();
  const store = await openPostgres(url);
  const caller = await aClient(store);
  const { clientKey } = caller;
  const batch = Array.from({ length: 1_000 }, () => ({
    schedule: aSchedule(),
    start: { first: NOON + MINUTE, second: null },
  }));
  await store.schedules.insert(clientKey, batch);
  const schedule = await stored(store, caller);
  const claim = await claimOne(store);
  await store.queue.renew([claim.scheduleKey]);
  await store.queue.recover(NOON);
  await store.queue.nextDueAt();
  await store.queue.depth(NOON);
  const run = aRecord(schedule.id, NOON);
  const callbacks = Array.from({ length: 500 }, () => aCallback(anId(), { dueAt: NOON + MINUTE }));
  await settled(store, claim, null, { records: [run], callbacks });
  const id = await triggered(store, caller, schedule);
  const [manual] = await store.outbox.claim(NOON, 10);
  await store.outbox.renew([id]);
  await store.outbox.recover(NOON);
  await store.outbox.nextDueAt();
  await store.outbox.depth();
  await store.outbox.settle([outboxSettlementOf(manual!, 'succeeded')]);
  await changed(store, caller, schedule, { label: 'x' }, NOON, { first: NOON, second: null });
  await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
  await store.queue.reread([claim.scheduleKey]);
  await store.schedules.list(clientKey, {}, 10);
  await store.schedules.list(clientKey, { status: 'disabled' }, 10);
  await store.runs.find(clientKey, id);
  await store.runs.callbacks(clientKey, id);
  for (const status of [undefined, 'succeeded', 'failed', 'missed'] as const) {
    await store.runs.list(clientKey, status === undefined ? {} : { status }, 10);
  }
  await store.runs.list(clientKey, { scheduleId: schedule.id }, 10);
  await store.schedules.ledger(clientKey, schedule.id, NOON);
  await store.figures.counts(clientKey);
  await store.figures.ended(clientKey, NOON, NOON + MINUTE);
  await store.figures.passed(clientKey, NOON, NOON + MINUTE);
  await store.figures.failures(clientKey, NOON, 10);
  await store.figures.upcoming(clientKey, 2_000);
  await store.figures.endedSince(clientKey, NOON, 10);
  await store.figures.changedSince(clientKey, NOON, 10);
  assert.equal(statements.size, 49);

  const connections = new Connections(url, 1);
  await connections.query('ANALYZE');
  for (const [name, text] of statements) {
    const plan = await connections.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`);
    const steps = plan.map(row => row['QUERY PLAN'] as string);
    assert.deepEqual(
      steps.filter(step => /Seq Scan|Disabled/.test(step)),
      [],
      name,
    );
    // An index without a condition is as long as its table, but for those on a part of it.
    const whole = steps.filter(
      (step, index) =>
        /Index (Only )?Scan .* on (queue|schedules|outbox|runs)/.test(step) &&
        !/queue_due|queue_begun|outbox_(due|in_flight|manual)/.test(step) &&
        !steps[index + 1]?.includes('Index Cond'),
    );
    assert.deepEqual(whole, [], name);
  }
  await Promise.all([connections.close(), store.close()]);
});
