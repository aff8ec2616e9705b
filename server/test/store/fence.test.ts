import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../sim/random.ts';
import { afterAttempt } from '../../src/domain/run/after-attempt.ts';
import { decide, giveBack } from '../../src/domain/run/queue.ts';
import type { QueueRow } from '../../src/domain/run/queue-row.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import type { Claim, ManualClaim, OutboxSettlement } from '../../src/store/contract/queue.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import {
  aClient,
  anAttempt,
  changed,
  MINUTE,
  NOON,
  outboxSettlementOf,
  SECOND,
  settlementOf,
  stored,
  triggered,
} from '../support/store/backend.ts';

/** How many attempts; a search for a rare fault sets more. */
const ATTEMPTS = Number(process.env.PUNCTUAL_TEST_ATTEMPTS ?? 4_000);
/** Each lives by itself. They share claims and settlements, as in an engine, so that a million attempts take minutes. */
const SCHEDULES = ATTEMPTS < 100_000 ? 20 : 400;

/**
 * Schedules through kills, takeovers, changes, manual runs and a clock that is set back: each attempt that starts has a
 * greater fence than all of its schedule that started before. The database is in memory, and outlives every engine.
 */
test('the fence of each attempt is greater than all before it, whatever happens between', async () => {
  const store = openSqlite(':memory:');
  const caller = await aClient(store);
  const schedules: Schedule[] = [];
  while (schedules.length < SCHEDULES) {
    schedules.push(await stored(store, caller, { interval: '* * * * * *' }));
  }
  const random = new Random(20261124);
  let now = NOON;
  let attempts = 0;
  /** The greatest fence that its target has seen, by the id of the schedule. */
  const highest = new Map<string, number>();
  /** Schedules with a manual run that has not ended. */
  const manual = new Set<string>();
  const seen = { until: 0, spans: [] };
  /** A request starts: the target sees its fence. */
  const begin = ({ fence, schedule: { id } }: Claim | ManualClaim) => {
    const before = highest.get(id) ?? 0;
    assert.ok(fence > before, `${fence} after ${before}, attempt ${attempts}, at ${now}`);
    highest.set(id, fence);
    attempts += 1;
  };
  const settle = (rows: [Claim, QueueRow | null][]) =>
    store.queue.settle(rows.map(([claim, row]) => settlementOf(claim, row)));

  /** What is to be decided about is decided. @returns the claims that begin */
  const begun = async (claims: Claim[]): Promise<Claim[]> => {
    const decided = claims
      .filter(claim => !claim.begun)
      .map((claim): [Claim, QueueRow | null] => [
        claim,
        decide(claim, claim.schedule, now, seen).row,
      ]);
    await settle(decided);
    return [
      ...claims.filter(claim => claim.begun),
      ...decided.flatMap(([claim, row]) =>
        row?.state === 'inFlight' ? [{ ...claim, ...row }] : [],
      ),
    ];
  };
  const fire = async () => {
    const { claims } = await store.queue.claim(now, SCHEDULES, seen.until, 800);
    const settled: [Claim, QueueRow | null][] = [];
    for (const claim of await begun(claims)) {
      const fate = random.next();
      if (fate < 0.1) settled.push([claim, giveBack(claim, claim.schedule, now).row]);
      else if (fate >= 0.2) {
        now = Math.max(now, claim.dueAt);
        begin(claim);
        // It is killed with the request in flight, and another one takes over.
        if (fate < 0.4) continue;
        const verdict =
          fate < 0.6 ? { kind: 'retry' as const, at: now + 300 } : { kind: 'succeeded' as const };
        const ended = { ...claim, attempts: [...claim.attempts, anAttempt(claim.attempt)] };
        settled.push([claim, afterAttempt(ended, claim.schedule, verdict, now, seen).row]);
      }
    }
    await settle(settled);
  };
  const runByHand = async () => {
    const asked = schedules.filter(({ id }) => !manual.has(id) && random.next() < 0.5);
    await Promise.all(asked.map(schedule => triggered(store, caller, schedule, now)));
    for (const { id } of asked) manual.add(id);
    const settled: OutboxSettlement[] = [];
    for (const claim of (await store.outbox.claim(now, SCHEDULES)) as ManualClaim[]) {
      if (random.next() < 0.1) continue;
      begin(claim);
      if (random.next() < 0.1) continue;
      const next = random.next() < 0.3 ? { dueAt: now + 300 } : 'succeeded';
      settled.push(outboxSettlementOf(claim, next));
      if (next === 'succeeded') manual.delete(claim.schedule.id);
    }
    await store.outbox.settle(settled);
  };
  const change = async () => {
    const start = { first: now + SECOND - (now % SECOND), second: now + MINUTE };
    for (const schedule of schedules) {
      // A schedule that is disabled has no row in the queue any more, unless its run goes on.
      const isOn = random.next() < 0.7;
      const status = isOn ? 'enabled' : 'disabled';
      if (random.next() < 0.1)
        await changed(store, caller, schedule, { status }, now, isOn ? start : null);
    }
  };
  /** The engine counts anew what the clock that was ahead has left behind. */
  const setBack = async () => {
    now -= Math.floor(random.between(1, 30 * MINUTE));
    let rows = await store.queue.recount(now, 0);
    while (rows !== null) rows = await store.queue.recount(now, rows.last);
    let place: Awaited<ReturnType<typeof store.outbox.recount>> = null;
    do place = await store.outbox.recount(now, place);
    while (place !== null);
  };

  while (attempts < ATTEMPTS) {
    now += Math.floor(random.between(0, 1_500));
    const step = random.next();
    if (step < 0.02) await setBack();
    else if (step < 0.06) await change();
    else if (step < 0.2) await runByHand();
    else if (step < 0.35) {
      await store.queue.recover(now);
      await store.outbox.recover(now);
    } else await fire();
  }
  assert.equal(highest.size, SCHEDULES);
  await store.close();
});
