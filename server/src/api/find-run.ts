import type * as Wire from '@punctual/client';
import { PunctualError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { Store } from '../store/contract/store.ts';
import { runAnswer } from './answers.ts';

/**
 * The caller's own run in its present state.
 *
 * @throws PunctualError `not_found`
 */
export async function findRun(
  { runs }: Store,
  { clientRowId }: Caller,
  id: string,
  now: number,
): Promise<Wire.Run> {
  const run = isId(id) ? await runs.find(clientRowId, id, now) : null;
  if (run === null) throw noRun();
  return runAnswer(run, await runs.callbacks(clientRowId, id));
}

export function noRun(): PunctualError {
  return new PunctualError('not_found', 'There is no run with this id.');
}
