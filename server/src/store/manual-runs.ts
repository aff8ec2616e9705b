import { PunctualError } from '../domain/errors.ts';

/**
 * Manual runs of one client that wait or are under way, at most: one client's triggers fill neither the outbox
 * nor the lists. Callers that trigger at the same moment may come to a few more where nodes share the store.
 */
export const MOST_MANUAL_RUNS = 1_000;

export function tooManyWaiting(): PunctualError {
  return new PunctualError(
    'too_many_waiting',
    'This client has 1,000 manual runs that have not ended; trigger again when some have.',
  );
}
