import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { levelOf } from '../../src/domain/schedule/level.ts';
import type { Policy, Schedule } from '../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { ManualClaim } from '../../src/store/contract/queue.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import {
  aClient,
  anAttempt,
  anId,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  outboxSettlementOf,
  SECOND,
  settled,
  stored,
  triggered,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

/**
 * Manual runs in a fleet during an upgrade. Nodes that are released already know no level of the outbox: here their
 * statements are run as they stand in them.
 */

const server = await startPostgres();
after(() => server.stop());

let url: string;
let newer: Store;
let caller: Caller;

beforeEach(async () => {
  url = await server.createDatabase();
  newer = await openPostgres(url, { leaseMs: 100 });
  caller = await aClient(newer);
});
afterEach(() => newer.close());

const COMPLETION: Policy = { completion: { deadlineSeconds: 600 } };
const DESTINATION: Partial<Schedule> = { delivery: { destination: 'billing' } };
const LATER = NOON + 10 * MINUTE;

/** What a released node finds, of every kind and whatever else is in flight. */
const foundByOlder = async (now = LATER) => {
  const rows = await runOn(
    url,
    `SELECT id FROM outbox
    WHERE state = 'waiting' AND due_at <= ${now} AND (kind = 'callback' OR (
        SELECT queue.state FROM queue WHERE queue.schedule_key = outbox.schedule_key
      ) IN ('inFlight', 'lost') IS NOT TRUE
      AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
          AND (other.state = 'inFlight'
            OR (other.due_at, other.id) < (outbox.due_at, outbox.id))))
    ORDER BY due_at, id`,
  );
  return rows.map(({ id }) => id);
};
const nextDueOfOlder = async () =>
  (await runOn(url, "SELECT min(due_at) AS due_at FROM outbox WHERE state = 'waiting'"))[0]!.due_at;
const ids = async (store: Store, now = LATER) =>
  (await store.outbox.claim(now, 10)).map(({ id }) => id);

describe('PostgreSQL: manual runs while nodes of several releases share a database', () => {
  for (const [what, fields] of Object.entries<Partial<Schedule>>({
    'a destination': DESTINATION,
    'a completion': { policy: COMPLETION },
    'conditions of success': { policy: { maxRetries: 1, success: { statuses: ['2xx'] } } },
  })) {
    test(`an older node takes none of a schedule with ${what}, and waits for none`, async () => {
      const schedule = await stored(newer, caller, fields);
      const id = await triggered(newer, caller, schedule, NOON);
      assert.deepEqual(await foundByOlder(), []);
      assert.equal(await nextDueOfOlder(), null);
      assert.deepEqual([await newer.outbox.depth(), await newer.outbox.nextDueAt()], [1, NOON]);
      assert.deepEqual(await ids(newer), [id]);
    });
  }

  test('it takes all others, and they hold up none of each other', async () => {
    const policy: Policy = { maxRetries: 1, timeoutSeconds: 5, catchUpSeconds: 0 };
    const plain = await stored(newer, caller, { policy, delivery: { body: 'x' } });
    const other = await stored(newer, caller, DESTINATION);
    const reserved = await triggered(newer, caller, other, NOON);
    const id = await triggered(newer, caller, plain, NOON + 1);
    assert.deepEqual(await foundByOlder(), [id]);
    assert.deepEqual(await ids(newer), [reserved, id]);
  });

  test('not what it puts there itself, for a caller of its API', async () => {
    const schedule = await stored(newer, caller, DESTINATION);
    const id = anId(NOON);
    await runOn(
      url,
      `INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for)
      SELECT '${id}', 'manual', client_key, schedule_key, 'waiting', ${NOON}, ${NOON}
      FROM schedules WHERE client_key = ${caller.clientRowId} AND id = '${schedule.id}' AND status <> 'deleted'`,
    );
    assert.deepEqual(await foundByOlder(), []);
    assert.deepEqual(await ids(newer), [id]);
  });

  test('not a retry, nor one that it takes back from a node that is gone', async () => {
    const schedule = await stored(newer, caller, DESTINATION);
    const id = await triggered(newer, caller, schedule, NOON);
    const claim = await claimManual(newer, NOON);
    await newer.outbox.settle([outboxSettlementOf(claim, { dueAt: NOON + SECOND })]);
    assert.deepEqual(await foundByOlder(), []);
    await claimManual(newer, NOON + SECOND);
    await runOn(
      url,
      `UPDATE outbox SET state = 'waiting', due_at = least(due_at, ${NOON}), attempts = '[]', lease_until = NULL
      WHERE id = '${id}'`,
    );
    assert.deepEqual(await foundByOlder(), []);
    assert.deepEqual(await ids(newer), [id]);
  });

  test('not one that waits when its schedule becomes one of them', async () => {
    const schedule = await stored(newer, caller);
    const id = await triggered(newer, caller, schedule, NOON);
    assert.deepEqual(await foundByOlder(), [id]);
    const { schedule: kept, version } = (await newer.schedules.find(
      caller.clientRowId,
      schedule.id,
    ))!;
    await newer.schedules.update(
      caller.clientRowId,
      { ...kept, policy: COMPLETION },
      version,
      'keep',
    );
    assert.deepEqual(await foundByOlder(), []);
    assert.deepEqual(await ids(newer), [id]);
  });

  test('not one that its target asked for, nor one of these that was dropped', async () => {
    const schedule = await stored(newer, caller);
    const claim = await claimOne(newer);
    const again = { id: anId(NOON + SECOND), dueAt: NOON + SECOND, at: NOON };
    await settled(newer, claim, waiting(NOON + MINUTE, null), { again });
    assert.deepEqual(await foundByOlder(), []);
    await changed(newer, caller, schedule, { status: 'disabled' }, NOON + 2 * SECOND, null);
    assert.deepEqual(await foundByOlder(), []);
    const [dropped] = (await newer.outbox.claim(LATER, 10)) as ManualClaim[];
    assert.deepEqual([dropped!.id, dropped!.isDropped], [again.id, true]);
  });

  test('not one that awaits its completion, whatever has become of its schedule', async () => {
    const schedule = await stored(newer, caller, { policy: COMPLETION });
    await triggered(newer, caller, schedule, NOON);
    const claim = await claimManual(newer, NOON);
    const completion = { until: NOON + MINUTE };
    const attempts = [{ ...anAttempt(1, { responseStatus: 202 }), completion }];
    const next = { dueAt: NOON + MINUTE, awaits: true } as const;
    await newer.outbox.settle([outboxSettlementOf(claim, next, { attempts })]);
    await changed(newer, caller, schedule, { policy: {} }, NOON + 1, null);
    assert.deepEqual(await foundByOlder(), []);
    const [again] = (await newer.outbox.claim(LATER, 10)) as [ManualClaim];
    assert.equal(again.awaits, true);
    await newer.outbox.settle([outboxSettlementOf(again, { dueAt: LATER }, { attempts })]);
    assert.deepEqual(await foundByOlder(), [], 'a level never falls');
  });

  test('not of a client that is suspended meanwhile, and brought back by any node', async () => {
    const schedule = await stored(newer, caller, DESTINATION);
    const id = await triggered(newer, caller, schedule, NOON);
    await newer.clients.suspend(caller.clientId, NOON);
    const claims = (await newer.outbox.claim(NOON, 10)) as ManualClaim[];
    assert.deepEqual(await newer.suspensions.putOffEntries(claims), [id]);
    assert.deepEqual(await foundByOlder(), []);
    const { schedule: kept, version } = (await newer.schedules.find(
      caller.clientRowId,
      schedule.id,
    ))!;
    const { schedules } = newer;
    assert.ok(await schedules.update(caller.clientRowId, { ...kept, label: 'x' }, version, 'keep'));
    await newer.clients.resume(caller.clientId, NOON + SECOND);
    // As a released node does, too.
    await newer.suspensions.readmit(caller.clientRowId, NOON + SECOND);
    assert.deepEqual(await foundByOlder(), []);
    assert.deepEqual(await ids(newer), [id]);
  });

  test('nor one that its target asked for, dropped while the client is suspended', async () => {
    const schedule = await stored(newer, caller);
    const again = { id: anId(NOON + SECOND), dueAt: NOON + SECOND, at: NOON };
    await settled(newer, await claimOne(newer), waiting(LATER, null), { again });
    await newer.clients.suspend(caller.clientId, NOON);
    const claims = (await newer.outbox.claim(NOON + SECOND, 10)) as ManualClaim[];
    assert.deepEqual(await newer.suspensions.putOffEntries(claims), [again.id]);
    await changed(newer, caller, schedule, { status: 'disabled' }, NOON + 2 * SECOND, null);
    assert.deepEqual(await foundByOlder(), []);
    const [dropped] = (await newer.outbox.claim(NOON + 2 * SECOND, 10)) as ManualClaim[];
    assert.deepEqual([dropped!.id, dropped!.isDropped], [again.id, true]);
  });

  test('a node of this release leaves what needs a newer one', async () => {
    const older = await openPostgres(url, { level: 1 });
    const schedule = await stored(newer, caller, DESTINATION);
    const id = await triggered(newer, caller, schedule, NOON);
    assert.deepEqual(await ids(older), []);
    assert.equal(await older.outbox.nextDueAt(), null);
    assert.deepEqual(await ids(newer), [id]);
    await older.close();
  });

  test('the table reserves just those that need level 2', async () => {
    const every: Partial<Schedule>[] = [
      {},
      { policy: { maxRetries: 0, timeoutSeconds: 1, catchUpSeconds: 0 } },
      { interval: 'rate(1 minute)', timing: { startsAt: NOON } },
      { delivery: { body: 'x', externalId: 'y', tags: { a: 'b' } } },
      DESTINATION,
      ...[
        { template: true },
        { success: { bodyContains: 'x' } },
        { retryDelaysSeconds: [1] },
        { retryForSeconds: 1 },
        { retryStatuses: ['5xx'] },
        { overlap: 'bufferOne' as const },
        { disableAfterFailures: 1 },
        { disableOnGone: true },
        { keepResponse: 'none' as const },
        { obeyTarget: false },
        COMPLETION,
      ].map(policy => ({ policy: policy as Policy })),
    ];
    for (const fields of every) {
      const schedule = await stored(newer, caller, fields);
      const id = await triggered(newer, caller, schedule, NOON);
      const [row] = await runOn(url, `SELECT state FROM outbox WHERE id = '${id}'`);
      const expected = levelOf(schedule) === 2 ? 'reserved' : 'waiting';
      assert.equal(row!.state, expected, JSON.stringify(fields));
    }
  });
});
