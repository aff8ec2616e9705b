import { PunctualError, STORE_UNAVAILABLE } from '../domain/errors.ts';

/** The error of a backend that cannot reach its data, in one sentence; the cause is for the log. */
export function storeUnavailable(cause: unknown): PunctualError {
  return new PunctualError('store_unavailable', STORE_UNAVAILABLE, { cause });
}

/** Faults of the system that pass, or that somebody mends without a new start. */
const PASSING = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'ESTALE',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
]);

/** Whether what the system said of a file may be otherwise later. */
export function isPassing(error: unknown): boolean {
  return PASSING.has((error as NodeJS.ErrnoException).code ?? '');
}
