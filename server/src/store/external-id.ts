import { PunctualError } from '../domain/errors.ts';

/** An external id is unique among a client's schedules that are not deleted: an index of each backend holds that. */

export function externalIdTaken(externalId: string): PunctualError {
  return new PunctualError(
    'external_id_taken',
    `externalId "${externalId}" is taken by another schedule.`,
  );
}
