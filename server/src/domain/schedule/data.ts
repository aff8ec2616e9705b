import { PunctualError } from '../errors.ts';

/** The data of a schedule: flat texts, for the body or the query of its request. */

const MOST_BYTES = 128 * 1024;

/** @throws PunctualError `body_too_large` */
export function checkData(data: Record<string, string>): void {
  if (Buffer.byteLength(JSON.stringify(data)) <= MOST_BYTES) return;
  throw new PunctualError('body_too_large', 'data must be at most 128 KiB as JSON.');
}
