import { PunctualError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { VersionedSchedule } from '../store/contract/schedules.ts';
import type { Store } from '../store/contract/store.ts';

/**
 * The caller's own schedule. One answer for an id that never was, another client's and a text that
 * is no id at all.
 *
 * @throws PunctualError `not_found`
 */
export async function findSchedule(
  { schedules }: Store,
  { clientRowId }: Caller,
  id: string,
): Promise<VersionedSchedule> {
  const found = isId(id) ? await schedules.find(clientRowId, id) : null;
  if (found === null) throw new PunctualError('not_found', 'There is no schedule with this id.');
  return found;
}
