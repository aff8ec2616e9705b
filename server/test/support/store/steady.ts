import type { Claim } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aCallback,
  aClient,
  anAttempt,
  aRecord,
  aSchedule,
  MINUTE,
  NOON,
  outboxSettlementOf,
  settlementOf,
  waiting,
} from './backend.ts';

/** Steady load, played on a store as the engine does, with the clock moved. */

const DAY = 24 * 60 * MINUTE;
const BATCH = 500;
/** One firing in as many fails, and calls back. */
const FAILS = 10;

export interface Load {
  days: number;
  schedules: number;
  /** Of each schedule. */
  firingsADay: number;
  /** As the settings say it. */
  keepRunsDays: number;
  keepFailedRunsDays: number;
}

/** What one day did, so that it can be said what is left of it. */
export interface DayDone {
  day: number;
  startsAt: number;
  firings: number;
  callbacks: number;
}

/** @param measure called at the end of each day, after retention */
export async function playDays(
  store: Store,
  load: Load,
  { before, after }: Record<'before' | 'after', (done: DayDone) => Promise<void>>,
): Promise<void> {
  const { clientRowId } = await aClient(store);
  const { days, schedules, firingsADay } = load;
  const first = Math.floor(NOON / DAY) * DAY;
  for (let made = 0; made < schedules; made += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, schedules - made) }, () => ({
      schedule: aSchedule(),
      start: { first, second: null },
    }));
    await store.schedules.insert(clientRowId, batch);
  }
  for (let day = 0; day < days; day += 1) {
    const startsAt = first + day * DAY;
    const done = { day, startsAt, firings: schedules * firingsADay, callbacks: 0 };
    await before(done);
    for (let time = 0; time < firingsADay; time += 1) {
      const every = DAY / firingsADay;
      done.callbacks += await fireAll(store, startsAt + time * every, every);
    }
    const endsAt = startsAt + DAY;
    const limits = {
      succeededBefore: endsAt - load.keepRunsDays * DAY,
      failedBefore: endsAt - load.keepFailedRunsDays * DAY,
    };
    while ((await store.runs.prune(limits)) > 0);
    await after(done);
  }
}

/** @returns how many callbacks were made and delivered */
async function fireAll(store: Store, now: number, every: number): Promise<number> {
  let callbacks = 0;
  for (;;) {
    const { claims } = await store.queue.claim(now, BATCH, now);
    if (claims.length === 0) break;
    await store.queue.settle(claims.map(claim => ended(claim, now + every)));
  }
  for (;;) {
    const claims = await store.outbox.claim(now, BATCH);
    if (claims.length === 0) return callbacks;
    callbacks += claims.length;
    await store.outbox.settle(claims.map(claim => outboxSettlementOf(claim, 'succeeded')));
  }
}

function ended(claim: Claim, next: number) {
  const { scheduledFor, schedule: claimed, scheduleRowId } = claim;
  const isFailure = (scheduleRowId + scheduledFor / 1_000) % FAILS === 0;
  const record = aRecord(claimed.id, scheduledFor, {
    status: isFailure ? 'failed' : 'succeeded',
    attempts: [anAttempt(1, ANSWER)],
  });
  const callbacks = isFailure ? [aCallback(record.id, { dueAt: scheduledFor })] : [];
  return settlementOf(claim, waiting(next, null), { records: [record], callbacks });
}

const ANSWER = {
  responseHeaders: { 'content-type': 'application/json', server: 'nginx/1.26.2' },
  responseBody: JSON.stringify({ ok: true, id: 'b7f0a1c2', took: 12 }),
};
