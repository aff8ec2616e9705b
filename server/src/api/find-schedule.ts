import { PunctualError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import { isExternalId } from '../domain/schedule/identity.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { VersionedSchedule } from '../store/contract/schedules.ts';
import type { Store } from '../store/contract/store.ts';

/** In front of an external id, where an id may stand. */
const EXTERNAL = 'ext:';

/** The external id that a reference has, or null where it is an id. */
export function externalIdIn(reference: string): string | null {
  return reference.startsWith(EXTERNAL) ? reference.slice(EXTERNAL.length) : null;
}

/**
 * The caller's own schedule, by its id, or by `ext:` and its external id while it is not deleted. One answer for a
 * schedule that never was, another client's and a text that is no id at all.
 *
 * @throws PunctualError `not_found`
 */
export async function findSchedule(
  store: Store,
  caller: Caller,
  reference: string,
): Promise<VersionedSchedule> {
  const found = await lookUp(store, caller, reference);
  if (found === null) throw noSchedule();
  return found;
}

/** The same; null where there is none. */
export function lookUp(
  { schedules }: Store,
  { clientRowId }: Caller,
  reference: string,
): Promise<VersionedSchedule | null> {
  const externalId = externalIdIn(reference);
  if (externalId === null) {
    return isId(reference) ? schedules.find(clientRowId, reference) : NOWHERE;
  }
  return isExternalId(externalId) ? schedules.findByExternalId(clientRowId, externalId) : NOWHERE;
}

const NOWHERE = Promise.resolve(null);

/**
 * The id that a reference stands for. An id is not looked up.
 *
 * @throws PunctualError `not_found` where no schedule has this external id
 */
export async function idOf(store: Store, caller: Caller, reference: string): Promise<string> {
  if (externalIdIn(reference) === null) return reference;
  return (await findSchedule(store, caller, reference)).schedule.id;
}

export function noSchedule(): PunctualError {
  return new PunctualError('not_found', 'There is no schedule with this id.');
}
