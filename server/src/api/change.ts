import { changesTimes } from '../domain/draft.ts';
import type { Schedule } from '../domain/schedule.ts';
import { startOf } from '../domain/start.ts';
import type { Caller } from '../store/store.ts';
import type { ApiDeps } from './deps.ts';
import { findSchedule } from './find.ts';

/**
 * Changes one schedule: read, decide, write if nobody else wrote in between, or begin again.
 *
 * Every lost race means that another change was made, so the tries are enough for as many callers
 * at once.
 *
 * @param decide the schedule as it shall be, or null where nothing is to change
 * @throws PunctualError `not_found`, and what `decide` throws
 */
export async function changeSchedule(
  { store, clock, engine }: ApiDeps,
  caller: Caller,
  id: string,
  decide: (current: Schedule, now: number) => Schedule | null,
): Promise<Schedule> {
  for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
    const { schedule: current, version } = await findSchedule(store, caller, id);
    const now = clock.now();
    const next = decide(current, now);
    if (next === null) return current;
    const requeue = changesTimes(current, next)
      ? { changedAt: now, start: startOf(next, now) }
      : ('keep' as const);
    if (await store.schedules.update(caller.clientKey, next, version, requeue)) {
      // At once, and not at the new start: a run that has begun is to be decided about now, and a
      // request that has not started is to leave as the schedule now says.
      engine.changed(id, now);
      return next;
    }
  }
  throw new Error(`A schedule changed ${MOST_TRIES} times while it was to be changed`);
}

const MOST_TRIES = 100;
