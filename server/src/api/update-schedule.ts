import { PunctualError } from '../domain/errors.ts';
import { startOf } from '../domain/run/start.ts';
import type { ScheduleChanger } from '../domain/schedule/changer.ts';
import { changesTimes } from '../domain/schedule/draft.ts';
import type { References } from '../domain/schedule/references.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { Requeue, VersionedSchedule } from '../store/contract/schedules.ts';
import type { ApiDeps } from './deps.ts';
import { findSchedule } from './find-schedule.ts';
import { type Conditions, checkConditions } from './http/etag.ts';
import { recountReplaced } from './recount-replaced.ts';
import { type NamesOf, namesIn, referencesFor } from './references.ts';

/** A change of one schedule, decided anew each time that somebody else was faster. */
export interface Change {
  /** The names that it may refer to, beside those in the schedule. */
  names?: NamesOf;
  conditions?: Conditions;
  /** The schedule as it shall be, or null where nothing is to change. */
  decide(current: Schedule, now: number, references: References): Schedule | null;
}

/**
 * Changes one schedule: read, decide, write if nobody else wrote in between, or begin again.
 *
 * Every lost race means that another change was made, so the tries are enough for as many callers
 * at once.
 *
 * @param reference an id, or `ext:` and an external id
 * @throws PunctualError `not_found`, `precondition_failed`, and what `decide` throws
 */
export function updateSchedule(
  deps: ApiDeps,
  caller: Caller,
  reference: string,
  change: Change,
): Promise<VersionedSchedule> {
  return untilWritten(async () => {
    const found = await findSchedule(deps.store, caller, reference);
    return changeOnce(deps, caller, found, change);
  });
}

/** @param attempt answers null where somebody else was faster */
export async function untilWritten<Written>(
  attempt: () => Promise<Written | null>,
): Promise<Written> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const written = await attempt();
    if (written !== null) return written;
  }
  throw new Error(`It changed ${MOST_TRIES} times while it was to be changed`);
}

const MOST_TRIES = 100;

/**
 * @returns null where somebody else has changed it since it was read
 * @throws PunctualError `precondition_failed`, and what `decide` throws
 */
export async function changeOnce(
  deps: ApiDeps,
  { clientRowId, keyId }: Caller,
  found: VersionedSchedule,
  { names = {}, conditions = {}, decide }: Change,
): Promise<VersionedSchedule | null> {
  const { store, clock, engine } = deps;
  const { schedule: current, version } = found;
  checkConditions(conditions, version);
  const references = await referencesFor(store, clientRowId, [names, namesIn(current)]);
  const { calendars } = references;
  const now = clock.now();
  const next = decide(current, now, references);
  if (next === null) {
    // A command may have deleted it, and nobody has told this engine yet.
    if (current.status === 'deleted') engine.changed(current.id, now);
    return found;
  }
  const requeue = requeueOf(current, next, now);
  const changer: ScheduleChanger = { kind: 'key', keyId };
  const isWritten = await store.schedules.update(clientRowId, next, version, requeue, changer);
  if (!isWritten) return null;
  // At once, and not at the new start: a run that has begun is to be decided about now, and a
  // request that has not started is to leave as the schedule now says.
  engine.changed(current.id, now);
  if (calendars.size > 0) await recountReplaced(deps, clientRowId, calendars);
  return { schedule: next, version: version + 1 };
}

/** @throws PunctualError `interval_invalid`, `timezone_unknown` */
export function requeueOf(current: Schedule, next: Schedule, now: number): Requeue {
  if (!changesTimes(current, next, now)) return 'keep';
  return { changedAt: now, start: startOf(next, now) };
}

/** Names the place of an error: `items[3]: …`. */
export function inPlace<Value>(place: string, make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    throw error instanceof PunctualError ? placed(place, error) : error;
  }
}

export function placed(place: string, { code, message }: PunctualError): PunctualError {
  return new PunctualError(code, `${place}: ${message}`);
}
