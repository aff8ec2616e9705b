import { PunctualError } from '../domain/errors.ts';
import { startOf } from '../domain/run/start.ts';
import type { ScheduleBody } from '../domain/schedule/body.ts';
import { draftNew, draftReplacement } from '../domain/schedule/draft.ts';
import { isExternalId } from '../domain/schedule/identity.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { VersionedSchedule } from '../store/contract/schedules.ts';
import type { ApiDeps } from './deps.ts';
import { externalIdIn, noSchedule } from './find-schedule.ts';
import { type Conditions, checkAbsent, FIRST_VERSION } from './http/etag.ts';
import { insertDrafts } from './insert-drafts.ts';
import { referencesFor } from './references.ts';
import { changeOnce, untilWritten } from './update-schedule.ts';

/**
 * Replaces the schedule with this external id, or makes it where there is none. Of callers that race, one makes it, and the
 * others replace it.
 *
 * @throws PunctualError `not_found` where it is no external id, `precondition_failed`, and what is wrong with the body
 */
export function upsertSchedule(
  deps: ApiDeps,
  caller: Caller,
  externalId: string,
  given: ScheduleBody,
  conditions: Conditions,
): Promise<VersionedSchedule> {
  if (!isExternalId(externalId)) throw noSchedule();
  const body = { ...given, externalId };
  return untilWritten(async () => {
    const { schedules } = deps.store;
    const found = await schedules.findByExternalId(caller.clientRowId, externalId);
    if (found === null) return makeOnce(deps, caller, body, conditions);
    return changeOnce(deps, caller, found, {
      names: body,
      conditions,
      decide: (current, now, references) =>
        draftReplacement(body, current, now, deps.allow, references),
    });
  });
}

/** @returns null where somebody else was faster */
async function makeOnce(
  deps: ApiDeps,
  caller: Caller,
  body: ScheduleBody,
  conditions: Conditions,
): Promise<VersionedSchedule | null> {
  const { store, clock, allow } = deps;
  checkAbsent(conditions);
  const references = await referencesFor(store, caller.clientRowId, [body]);
  const now = clock.now();
  const schedule = draftNew(body, now, allow, references);
  try {
    const draft = { schedule, start: startOf(schedule, now) };
    await insertDrafts(deps, caller, [draft], references.calendars);
  } catch (error) {
    if (error instanceof PunctualError && error.code === 'external_id_taken') return null;
    throw error;
  }
  return { schedule, version: FIRST_VERSION };
}

/**
 * A body that is sent to `ext:` and an external id may repeat it, and not change it: the path would name nothing then.
 *
 * @throws PunctualError `request_invalid`
 */
export function checkExternalIdIn(
  reference: string,
  body: { externalId?: string | null | undefined },
): void {
  const externalId = externalIdIn(reference);
  if (externalId === null || body.externalId === undefined) return;
  if (body.externalId === externalId) return;
  throw new PunctualError(
    'request_invalid',
    "externalId must be the one in the path, or be left out; it changes by the schedule's id.",
  );
}
