import { PunctualError } from '../errors.ts';
import type { Verb } from './schedule.ts';

/** The raw body of a schedule's request, sent as it is. */

export const MOST_BODY_BYTES = 128 * 1024;

/** Whether RFC 9110 gives a body of such a request a meaning. */
export function takesBody(verb: Verb): boolean {
  return verb === 'POST' || verb === 'PUT' || verb === 'PATCH' || verb === 'OPTIONS';
}

/** @throws PunctualError `request_invalid`, `body_too_large` */
export function checkRawBody(body: string, verb: Verb, data: object | undefined): void {
  if (data !== undefined) {
    throw new PunctualError(
      'request_invalid',
      'body and data exclude each other: send one of them.',
    );
  }
  if (!takesBody(verb)) {
    throw new PunctualError(
      'request_invalid',
      `body needs the verb POST, PUT, PATCH or OPTIONS: a ${verb} request has none.`,
    );
  }
  if (Buffer.byteLength(body) > MOST_BODY_BYTES) {
    throw new PunctualError('body_too_large', 'body must be at most 128 KiB of UTF-8.');
  }
}
