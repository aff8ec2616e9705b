import type { CalendarVersions } from '../domain/schedule/timing-draft.ts';
import type { IdempotentCall } from '../store/contract/idempotency.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { NewSchedule } from '../store/contract/schedules.ts';
import type { ApiDeps } from './deps.ts';
import { recountReplaced } from './recount-replaced.ts';

/**
 * Stores new schedules, all or nothing, and tells the engine.
 *
 * @param calendars the versions that they were drafted with
 * @returns false where a call with this key was kept before: nothing is stored
 * @throws PunctualError `external_id_taken`
 */
export async function insertDrafts(
  deps: ApiDeps,
  { clientRowId }: Caller,
  drafts: NewSchedule[],
  calendars: CalendarVersions,
  call?: IdempotentCall,
): Promise<boolean> {
  const { store, engine } = deps;
  if (!(await store.schedules.insert(clientRowId, drafts, call))) return false;
  const firsts = drafts.flatMap(({ start }) => start?.first ?? []);
  if (firsts.length > 0) engine.wake(Math.min(...firsts));
  if (calendars.size > 0) await recountReplaced(deps, clientRowId, calendars);
  return true;
}
