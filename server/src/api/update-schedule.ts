import { PunctualError } from '../domain/errors.ts';
import { startOf } from '../domain/run/start.ts';
import { changesTimes } from '../domain/schedule/draft.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { VersionedSchedule } from '../store/contract/schedules.ts';
import type { ApiDeps } from './deps.ts';
import { findSchedule } from './find-schedule.ts';
import { type Condition, isMatched } from './http/etag.ts';

/**
 * Changes one schedule: read, decide, write if nobody else wrote in between, or begin again.
 *
 * Every lost race means that another change was made, so the tries are enough for as many callers
 * at once.
 *
 * @param decide the schedule as it shall be, or null where nothing is to change
 * @param condition the versions that it may change, of `If-Match`; left out: whichever there is
 * @throws PunctualError `not_found`, `precondition_failed`, and what `decide` throws
 */
export async function updateSchedule(
  { store, clock, engine }: ApiDeps,
  caller: Caller,
  id: string,
  decide: (current: Schedule, now: number) => Schedule | null,
  condition?: Condition,
): Promise<VersionedSchedule> {
  for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
    const { schedule: current, version } = await findSchedule(store, caller, id);
    if (!isMatched(condition, version)) throw changedMeanwhile();
    const now = clock.now();
    const next = decide(current, now);
    if (next === null) return { schedule: current, version };
    const requeue = changesTimes(current, next)
      ? { changedAt: now, start: startOf(next, now) }
      : ('keep' as const);
    if (await store.schedules.update(caller.clientRowId, next, version, requeue)) {
      // At once, and not at the new start: a run that has begun is to be decided about now, and a
      // request that has not started is to leave as the schedule now says.
      engine.changed(id, now);
      return { schedule: next, version: version + 1 };
    }
  }
  throw new Error(`A schedule changed ${MOST_TRIES} times while it was to be changed`);
}

function changedMeanwhile(): PunctualError {
  return new PunctualError(
    'precondition_failed',
    'The schedule was changed meanwhile: it is no longer the version that If-Match names.',
  );
}

const MOST_TRIES = 100;
