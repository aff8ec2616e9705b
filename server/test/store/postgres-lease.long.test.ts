import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { runId } from '../../src/domain/id.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { Claim } from '../../src/store/contract/queue.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import {
  aCallback,
  aClient,
  aRecord,
  aSchedule,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  outboxSettlementOf,
  SECOND,
  SEEN,
  settled,
  settlementOf,
  stored,
  triggered,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const LATER = NOON + 10 * SECOND;
/** A tenth of it, which is left in one test, is longer than a busy machine stands still. */
const LEASE_MS = 10 * MINUTE;
const LEASE = "interval '10 minutes'";
/** Long enough for a session that others keep waiting, and shorter than the server lets a transaction rest. */
const WAITS_WITHIN_MS = 9_000;

let url: string;
let a: Store;
let b: Store;
let caller: Caller;

beforeEach(async () => {
  url = await server.createDatabase(template);
  a = await openPostgres(url, { leaseMs: LEASE_MS });
  b = await openPostgres(url, { leaseMs: LEASE_MS });
  caller = await aClient(a);
});

afterEach(async () => {
  await Promise.all([a.close(), b.close()]);
  await server.dropDatabase(url);
});

/** As if the time had passed, which nobody renewed: leases move instead of the clock. */
const passed = (span: string) =>
  runOn(
    url,
    `UPDATE queue SET lease_until = lease_until - ${span};
    UPDATE outbox SET lease_until = lease_until - ${span}`,
  );

/**
 * Does `work` while another session is in the middle of a transaction, which ends once `work` waits
 * for it, or is done without.
 */
const beside = async <T>(
  sql: string,
  { work, isWaiting }: { work: () => Promise<T>; isWaiting: boolean },
): Promise<T> => {
  const other = new Connections(url, 1);
  try {
    return await other
      .transaction(async send => {
        await send(sql);
        const working = work();
        if (isWaiting) await someoneWaits();
        else await working;
        return { working };
      })
      .then(({ working }) => working);
  } finally {
    await other.close();
  }
};

const someoneWaits = async () => {
  const sql = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const giveUpAt = performance.now() + WAITS_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    if ((await runOn(url, sql)).length > 0) return;
  }
  assert.fail('nobody waits');
};

const many = async (count: number) => {
  const batch = Array.from({ length: count }, () => ({
    schedule: aSchedule(),
    start: { first: NOON, second: NOON + MINUTE },
  }));
  await a.schedules.insert(caller.clientRowId, batch);
};

describe('PostgreSQL: two nodes on one database', () => {
  test('no row is claimed twice, and none is left', async () => {
    await many(1_000);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? a : b).queue.claim(NOON, 70, SEEN)),
    );
    const rest = (await a.queue.claim(NOON, 1_000, SEEN)).claims;
    const keys = [...claims.flatMap(result => result.claims), ...rest].map(
      ({ scheduleRowId }) => scheduleRowId,
    );
    assert.equal(keys.length, 1_000);
    assert.equal(new Set(keys).size, 1_000);
  });

  test('what was claimed is confirmed to its node, while it stands as it was claimed', async () => {
    const schedule = await stored(a, caller);
    const claim = await claimOne(a);
    const confirmed = (store: Store, version = claim.version) =>
      store.queue.confirm([{ ...claim, version }]);
    assert.deepEqual(await confirmed(a), [claim.scheduleRowId]);
    assert.deepEqual([await confirmed(b), await confirmed(a, 2)], [[], []]);
    const start = { first: NOON + MINUTE, second: null };
    await changed(b, caller, schedule, {}, NOON + 1, start);
    assert.deepEqual([await confirmed(a), await confirmed(a, 2)], [[], []]);
  });

  test('what was settled is confirmed no more', async () => {
    await stored(a, caller);
    const claim = await claimOne(a);
    await settled(a, claim, waiting(NOON + MINUTE, null));
    assert.deepEqual(await a.queue.confirm([claim]), []);
  });

  test('nor any entry of the outbox', async () => {
    const schedule = await stored(a, caller);
    const run = aRecord(schedule.id, NOON);
    const callbacks = Array.from({ length: 500 }, () => aCallback(run.id));
    await settled(a, await claimOne(a), null, { records: [run], callbacks });
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? a : b).outbox.claim(NOON, 30)),
    );
    const ids = [...claims.flat(), ...(await a.outbox.claim(NOON, 500))].map(({ id }) => id);
    assert.equal(ids.length, 500);
    assert.equal(new Set(ids).size, 500);
  });

  test('of a schedule, one request is in flight: its time or one manual run, whoever claims', async () => {
    const schedules = [];
    for (let count = 0; count < 40; count += 1) {
      const schedule = await stored(a, caller);
      schedules.push(schedule);
      await triggered(a, caller, schedule, NOON - 1);
      await triggered(a, caller, schedule, NOON - 1);
    }
    const [taken, ...manuals] = await Promise.all([
      a.queue.claim(NOON, 100, SEEN),
      a.outbox.claim(NOON, 30),
      b.outbox.claim(NOON, 100),
    ]);
    const begun = taken.claims
      .filter(claim => claim.begun)
      .map(({ scheduleRowId }) => scheduleRowId);
    const sent = manuals.flat().map(({ scheduleRowId }) => scheduleRowId);
    assert.equal(new Set([...begun, ...sent]).size, begun.length + sent.length);
    const rest = [
      ...(await a.queue.claim(NOON, 100, SEEN)).claims,
      ...(await b.outbox.claim(NOON, 100)),
    ];
    const all = [...begun, ...sent, ...rest.map(({ scheduleRowId }) => scheduleRowId)];
    assert.equal(new Set(all).size, schedules.length);
  });

  test('a change that meets a claim is either claimed or marks the row', async () => {
    for (let round = 0; round < 40; round += 1) {
      const schedule = await stored(a, caller);
      const [taken] = await Promise.all([
        a.queue.claim(NOON, 10, SEEN),
        changed(b, caller, schedule, { status: 'disabled' }, NOON, null),
      ]);
      const [claim] = taken.claims;
      if (claim === undefined) continue;
      const late = settlementOf(claim, waiting(NOON + MINUTE, NOON + 2 * MINUTE));
      const isMarked = (await a.queue.settle([late])).length === 1;
      assert.ok(isMarked, 'a disabled schedule does not fire again');
      const [standing] = await a.queue.reread([claim.scheduleRowId]);
      await settled(a, { ...claim, ...standing! }, null);
    }
    assert.equal(await a.queue.nextDueAt(), null);
  });

  test('what another node is just taking is not waited for', async () => {
    await many(3);
    const [first] = await runOn(url, 'SELECT min(schedule_key) AS key FROM queue');
    const { claims } = await beside(
      `SELECT 1 FROM queue WHERE schedule_key = ${first!.key} FOR UPDATE`,
      {
        isWaiting: false,
        work: () => a.queue.claim(NOON, 10, SEEN),
      },
    );
    assert.equal(claims.length, 2);
  });

  test('nor is what another node is just taking from the outbox', async () => {
    const [one, other] = [await stored(a, caller), await stored(a, caller)];
    const held = await triggered(a, caller, one);
    const free = await triggered(a, caller, other);
    const claims = await beside(`SELECT 1 FROM outbox WHERE id = '${held}' FOR UPDATE`, {
      isWaiting: false,
      work: () => a.outbox.claim(NOON, 10),
    });
    assert.deepEqual(
      claims.map(({ id }) => id),
      [free],
    );
  });

  test('a change that comes while a claim is being written waits for it, and marks the row', async () => {
    const schedule = await stored(a, caller);
    await beside("UPDATE queue SET state = 'inFlight', attempt = 1", {
      isWaiting: true,
      work: () => changed(b, caller, schedule, { status: 'disabled' }, NOON, null),
    });
    const [row] = await runOn(url, 'SELECT changed_at FROM queue');
    assert.equal(Number(row!.changed_at), NOON);
  });

  test('a target that speaks while its run is being ended waits for that, and is not heard', async () => {
    const { id: scheduleId } = await stored(a, caller);
    const { attempt } = await claimOne(a);
    const ticket = {
      scheduleId,
      clientId: caller.clientId,
      attempt,
      runId: runId(scheduleId, NOON),
    };
    const ended = `UPDATE queue SET state = 'waiting', attempt = 0, due_at = ${NOON + MINUTE},
      scheduled_for = ${NOON + MINUTE}, next_for = NULL`;
    const said = await beside(ended, {
      isWaiting: true,
      work: () => b.completions.say(ticket, {}, NOON + SECOND),
    });
    assert.equal(said, null);
    assert.deepEqual(await b.completions.of([ticket]), []);
  });

  test('a manual run whose schedule another node holds is left for later', async () => {
    const schedule = await stored(a, caller);
    await triggered(a, caller, schedule);
    const claims = await beside('SELECT 1 FROM schedules FOR NO KEY UPDATE', {
      isWaiting: false,
      work: () => a.outbox.claim(NOON, 10),
    });
    assert.deepEqual(claims, []);
    await claimManual(a);
  });

  test('a manual run that meets the claim of its time is not sent, and blocks nothing', async () => {
    const schedule = await stored(a, caller);
    await triggered(a, caller, schedule);
    const claims = await beside("UPDATE queue SET state = 'inFlight', attempt = 1", {
      isWaiting: true,
      work: () => a.outbox.claim(NOON, 10),
    });
    assert.deepEqual(claims, []);
    const [row] = await runOn(url, 'SELECT blocked_since FROM queue');
    assert.equal(row!.blocked_since, null);
  });

  test('a manual run that meets the claim of another one of its schedule is not sent', async () => {
    const schedule = await stored(a, caller);
    await triggered(a, caller, schedule, NOON - 2);
    const later = await triggered(a, caller, schedule, NOON - 1);
    const taken = `UPDATE outbox SET state = 'inFlight', attempt = 1 WHERE id = '${later}';
      SELECT 1 FROM queue FOR UPDATE`;
    const claims = await beside(taken, { isWaiting: true, work: () => a.outbox.claim(NOON, 10) });
    assert.deepEqual(claims, []);
  });

  test('batches that end at the same moment do not lock each other out', async () => {
    await many(400);
    for (let now = NOON; now < NOON + 10 * MINUTE; now += MINUTE) {
      const taken = await Promise.all([1, 2, 3, 4].map(() => a.queue.claim(now, 100, SEEN)));
      await Promise.all(
        taken.map(async ({ claims: batch }) => {
          const next = batch.map(claim =>
            settlementOf(claim, waiting(now + MINUTE, now + 2 * MINUTE), {
              records: [aRecord(claim.schedule.id, now)],
            }),
          );
          await a.queue.renew(batch);
          assert.deepEqual(await a.queue.settle(next.reverse()), []);
        }),
      );
    }
    assert.equal((await a.runs.list(caller.clientRowId, {}, 5_000)).length, 4_000);
  });
});

describe('PostgreSQL: a lease on a row of the queue', () => {
  const claimed = async (now = NOON, unseenUntil = SEEN): Promise<Claim> => {
    await stored(a, caller);
    return claimOne(a, now, unseenUntil);
  };

  test('on a row that was changed meanwhile is renewed, and it is not said to be held', async () => {
    const schedule = await stored(a, caller);
    const claim = await claimOne(a);
    await changed(b, caller, schedule, { status: 'disabled' }, NOON, null);
    await passed(LEASE);
    assert.deepEqual(await a.queue.renew([claim]), []);
    assert.equal(await b.queue.recover(LATER), 0);
  });

  test('nor is one whose schedule is sent elsewhere now: its times are the same', async () => {
    const schedule = await stored(a, caller);
    const claim = await claimOne(a);
    const { clientRowId } = caller;
    const { version } = (await b.schedules.find(clientRowId, schedule.id))!;
    const next = { ...schedule, url: 'https://example.com/other', updatedAt: NOON };
    assert.ok(await b.schedules.update(clientRowId, next, version, 'keep'));
    await passed(LEASE);
    assert.deepEqual(await a.queue.renew([claim]), []);
    assert.equal(await b.queue.recover(LATER), 0);
  });

  test('nor is one that the clock, which was set back, has yet to reach: its schedule is the same', async () => {
    const claim = await claimed();
    await b.queue.recount(claim.scheduledFor - 10 * MINUTE, 0);
    await passed(LEASE);
    assert.deepEqual(await a.queue.renew([claim]), []);
  });

  test('is renewed without waiting for what another session holds', async () => {
    await many(2);
    const { claims } = await a.queue.claim(NOON, 10, SEEN);
    const keys = claims.map(({ scheduleRowId }) => scheduleRowId);
    const renewed = await beside(`SELECT 1 FROM queue WHERE schedule_key = ${keys[0]} FOR UPDATE`, {
      isWaiting: false,
      work: () => a.queue.renew(claims),
    });
    assert.deepEqual(renewed, [keys[1]]);
  });

  test('that has ended is recovered without waiting for what another session holds', async () => {
    await many(2);
    const { claims } = await a.queue.claim(NOON, 10, SEEN);
    await passed(LEASE);
    const held = `SELECT 1 FROM queue WHERE schedule_key = ${claims[0]!.scheduleRowId} FOR UPDATE`;
    assert.equal(await beside(held, { isWaiting: false, work: () => b.queue.recover(LATER) }), 1);
  });

  test('that goes on is not recovered, by any node', async () => {
    await claimed();
    await passed("interval '9 minutes'");
    assert.deepEqual([await a.queue.recover(LATER), await b.queue.recover(LATER)], [0, 0]);
    assert.deepEqual((await b.queue.claim(LATER, 10, SEEN)).claims, []);
  });

  test('that has ended is recovered, once', async () => {
    await many(50);
    await a.queue.claim(NOON, 50, SEEN);
    await passed(LEASE);
    const counts = await Promise.all([a, b, a, b].map(store => store.queue.recover(LATER)));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      50,
    );
    assert.equal(await a.queue.recover(LATER), 0);
    const { claims } = await b.queue.claim(LATER, 100, SEEN);
    assert.equal(claims.length, 50);
    assert.ok(claims.every(({ was, attempt }) => was === 'lost' && attempt === 2));
  });

  test('more than one batch of them is recovered in one call', async () => {
    await many(1_000);
    await many(1_000);
    await a.queue.claim(NOON, 2_000, SEEN);
    await passed(LEASE);
    assert.equal(await b.queue.recover(LATER), 2_000);
  });

  test('that was renewed is not recovered', async () => {
    const claim = await claimed();
    await passed(LEASE);
    await a.queue.renew([claim, { ...claim, scheduleRowId: 987_654 }]);
    assert.equal(await b.queue.recover(LATER), 0);
    await passed(LEASE);
    assert.equal(await b.queue.recover(LATER), 1);
  });

  test('is renewed by its own node only, and not once it was recovered', async () => {
    const claim = await claimed();
    await passed(LEASE);
    await b.queue.renew([claim]);
    assert.deepEqual(await a.queue.renew([claim]), [claim.scheduleRowId]);
    await passed(LEASE);
    assert.equal(await b.queue.recover(LATER), 1);
    assert.deepEqual(await a.queue.renew([claim]), [], 'nobody holds it');
    assert.equal((await claimOne(b, LATER)).was, 'lost');
    assert.deepEqual(await a.queue.renew([claim]), [], 'another node holds it');
  });

  test('begins anew when the row is settled to in flight', async () => {
    const claim = await claimed();
    await passed(LEASE);
    await settled(a, claim, { ...claim, state: 'inFlight' });
    assert.equal(await b.queue.recover(LATER), 0);
  });

  test('ends with its settlement: the row is due when it says, and not recovered', async () => {
    await settled(a, await claimed(), waiting(NOON + MINUTE, null));
    await passed(LEASE);
    assert.equal(await b.queue.recover(LATER), 0);
    assert.equal(await b.queue.nextDueAt(), NOON + MINUTE);
  });

  test('is settled by its own node only, also where another one knows the claim', async () => {
    const claim = await claimed();
    for (const row of [waiting(NOON + MINUTE, null), null])
      assert.deepEqual(await b.queue.settle([settlementOf(claim, row)]), [claim.scheduleRowId]);
    assert.equal((await a.queue.reread([claim.scheduleRowId])).length, 1);
    await settled(a, claim, null);
  });

  for (const [what, now, unseenUntil] of [
    ['begun', LATER, SEEN],
    ['taken and not begun', LATER, LATER],
  ] as const) {
    test(`a node that settles after another has claimed its row changes nothing: ${what}`, async () => {
      const first = await claimed(now, unseenUntil);
      await passed(LEASE);
      await b.queue.recover(LATER);
      const second = await claimOne(b, LATER + 1, unseenUntil);
      const record = aRecord(first.schedule.id, NOON);
      const parts = { records: [record], callbacks: [aCallback(record.id)] };
      for (const row of [waiting(NOON + MINUTE, null), null]) {
        const late = settlementOf(first, row, parts);
        assert.deepEqual(await a.queue.settle([late]), [first.scheduleRowId]);
      }
      assert.deepEqual(await a.queue.reread([first.scheduleRowId]), [], 'it is no longer its own');
      assert.equal((await b.queue.reread([first.scheduleRowId])).length, 1);
      assert.equal(await a.outbox.depth(), 0);
      await settled(b, second, null);
    });
  }

  test('a node that settles after its lease has ended, and nobody has seen it, is in time', async () => {
    const claim = await claimed();
    await passed(LEASE);
    await settled(a, claim, waiting(NOON + MINUTE, null));
  });
});

describe('PostgreSQL: a completion', () => {
  const deleted = {
    change: { at: NOON + 30, status: 'deleted', statusReason: 'completed' },
  } as const;
  let claim: Claim;
  let schedule: Schedule;
  let id: string;
  const statusOf = async () => (await b.schedules.find(caller.clientRowId, id))!.schedule.status;
  const runsOf = async () =>
    (await b.runs.list(caller.clientRowId, {}, 9)).map(({ status }) => status);

  beforeEach(async () => {
    schedule = await stored(a, caller, {}, { first: NOON, second: null });
    id = schedule.id;
    claim = await claimOne(a);
  });

  const ended = () => ({ ...deleted, records: [aRecord(id, NOON)] });

  test('that cannot be written leaves row and history as they were', async () => {
    await runOn(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END';
      CREATE TRIGGER refuse BEFORE UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await assert.rejects(settled(a, claim, null, ended()));
    assert.deepEqual([await statusOf(), await runsOf()], ['enabled', ['running']]);
    await runOn(url, 'DROP TRIGGER refuse ON schedules');
    await settled(a, claim, null, ended());
    assert.deepEqual([await statusOf(), await runsOf()], ['deleted', ['succeeded']]);
  });

  test('waits for a change of its schedule, and gives way to it', async () => {
    const other = new Connections(url, 1);
    try {
      const settling = await other.transaction(async send => {
        await send('SELECT FROM schedules FOR UPDATE');
        const work = a.queue.settle([settlementOf(claim, null, ended())]);
        await someoneWaits();
        // The row of the queue comes last, for both: nobody holds it yet.
        await send('SELECT FROM queue FOR UPDATE NOWAIT');
        await send(`UPDATE queue SET changed_at = ${NOON + 20}`);
        return { work };
      });
      assert.deepEqual(await settling.work, [claim.scheduleRowId]);
    } finally {
      await other.close();
    }
    assert.equal(await statusOf(), 'enabled');
  });

  test('does not wait for a manual run that another node is just taking', async () => {
    await triggered(a, caller, schedule, NOON);
    await beside("SELECT FROM outbox WHERE kind = 'manual' FOR UPDATE", {
      work: () => settled(a, claim, null, ended()),
      isWaiting: false,
    });
    assert.equal(await statusOf(), 'deleted');
  });
});

describe('PostgreSQL: a lease on an entry of the outbox', () => {
  const manual = async () => {
    const schedule = await stored(a, caller);
    await triggered(a, caller, schedule);
    return claimManual(a);
  };

  test('that goes on is not recovered, that has ended is, once, and that was renewed is not', async () => {
    const { id } = await manual();
    assert.equal(await b.outbox.recover(LATER), 0);
    await passed(LEASE);
    await b.outbox.renew([id]);
    await a.outbox.renew([id]);
    assert.equal(await b.outbox.recover(LATER), 0);
    await passed(LEASE);
    assert.deepEqual(await a.outbox.renew([id]), [id]);
    await passed(LEASE);
    const counts = await Promise.all([a, b].map(store => store.outbox.recover(LATER)));
    assert.deepEqual(counts.toSorted(), [0, 1]);
    assert.deepEqual(await a.outbox.renew([id]), [], 'nobody holds it');
    await claimManual(b, LATER);
    assert.deepEqual(await a.outbox.renew([id]), [], 'another node holds it');
  });

  for (const next of ['failed', { dueAt: NOON + MINUTE }] as const) {
    const what = typeof next === 'string' ? 'ends it' : 'puts it off';
    test(`a node that has given it back, and says so again when another holds it, changes nothing: ${what}`, async () => {
      const first = await manual();
      const back = outboxSettlementOf(first, { dueAt: NOON }, { attempts: [] });
      assert.deepEqual(await a.outbox.settle([back]), []);
      const second = await claimManual(b);
      assert.equal(second.attempt, first.attempt);
      assert.deepEqual(await a.outbox.settle([outboxSettlementOf(first, next)]), [first.id]);
      assert.deepEqual(await b.outbox.settle([outboxSettlementOf(second, 'succeeded')]), []);
    });
  }

  test('of a schedule that was deleted is not said to be held', async () => {
    const { id, schedule: claimed } = await manual();
    await changed(b, caller, claimed, { status: 'deleted' }, NOON, null);
    await passed(LEASE);
    assert.deepEqual(await a.outbox.renew([id]), []);
    assert.equal(await b.outbox.recover(LATER), 0, 'its request may have started, and goes on');
  });

  test('frees the row that a change makes meanwhile', async () => {
    const schedule = await stored(a, caller, { status: 'disabled' }, null);
    await triggered(a, caller, schedule);
    const claim = await claimManual(a);
    // As the change does that enables it.
    const enabling = `
      UPDATE schedules SET status = 'enabled';
      INSERT INTO queue (schedule_key, state, due_at, scheduled_for, blocked_since)
      SELECT schedule_key, 'waiting', ${NOON}, ${NOON}, claimed_at FROM outbox`;
    const settlement = outboxSettlementOf(claim, 'succeeded');
    const settling = await beside(enabling, {
      isWaiting: true,
      work: () => a.outbox.settle([settlement]),
    });
    assert.deepEqual(settling, []);
    assert.equal((await claimOne(a)).begun, true);
  });

  test('is renewed without waiting for what another session holds', async () => {
    const { id } = await manual();
    const renewed = await beside('SELECT 1 FROM outbox FOR UPDATE', {
      isWaiting: false,
      work: () => a.outbox.renew([id]),
    });
    assert.deepEqual(renewed, []);
  });

  test('a node that settles after another has claimed its entry changes nothing', async () => {
    const first = await manual();
    await passed(LEASE);
    await b.outbox.recover(LATER);
    assert.deepEqual(await a.outbox.settle([outboxSettlementOf(first, 'failed')]), [first.id]);
    const second = await claimManual(b, LATER);
    const record = aRecord(first.schedule.id, NOON, { id: first.id, trigger: 'manual' });
    const late = outboxSettlementOf(first, 'succeeded', { record });
    assert.deepEqual(await a.outbox.settle([late]), [first.id]);
    assert.equal((await a.runs.find(caller.clientRowId, first.id))!.status, 'running');
    assert.deepEqual(await b.outbox.settle([outboxSettlementOf(second, 'failed')]), []);
  });
});
