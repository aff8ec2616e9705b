import { PunctualError } from '../domain/errors.ts';

/** Whatever keeps a keeper from its data, in one sentence; the cause is for the log. */
export function storeUnavailable(cause: unknown): PunctualError {
  return new PunctualError('store_unavailable', 'The store cannot be written to at the moment.', {
    cause,
  });
}
