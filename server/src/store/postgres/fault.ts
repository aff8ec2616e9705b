import { DatabaseError } from 'pg';
import { PunctualError } from '../../domain/errors.ts';
import { externalIdTaken } from '../external-id.ts';

/**
 * Faults that only an operator mends: a wrong password, a missing database or right, a schema or values that do
 * not fit, damaged pages (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const LASTING_STATE = /^(0A|0L|0P|22|23|28|3D|3F|42|XX00[12])/;
/** Certificates that do not fit, of Node and of OpenSSL. */
const LASTING_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|HOSTNAME_MISMATCH|SELF_SIGNED|UNABLE_TO)/;
/** The driver's own, which have no code. */
const LASTING_MESSAGE = /^SASL|does not support SSL/;

/**
 * @param error of a first look at the database
 * @returns `store_unavailable` where it may be otherwise later: a server that is away, starting or full, a name
 *   that is not known yet; else `store_unusable`
 */
export function cannotOpen(error: unknown): unknown {
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code !== 'store_unavailable' || cause === undefined) return error;
  return fault(isLasting(cause) ? 'store_unusable' : 'store_unavailable', reasonOf(cause), cause);
}

/** @throws PunctualError `external_id_taken` where that is why `work` fails */
export async function tellingTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isTaken(error) ? externalIdTaken(takenFrom(error)) : error;
  }
}

function isTaken(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.constraint === 'schedules_by_external_id';
}

/** The server names the values of the index in any language: `(client_key, external_id)=(1, order-7)`. */
function takenFrom({ detail = '' }: DatabaseError): string {
  return /=\(\d+, (.*)\)/.exec(detail)?.[1] ?? '';
}

/** @param why without an end: it becomes a part of a sentence */
export function unusable(why: string): PunctualError {
  return fault('store_unusable', why);
}

function isLasting(cause: unknown): boolean {
  const { code = '', message = '' } = cause as { code?: string; message?: string };
  if (cause instanceof DatabaseError) return LASTING_STATE.test(code);
  return LASTING_CODE.test(code) || LASTING_MESSAGE.test(message);
}

/** If a name has several addresses, each has failed in its own way. */
function reasonOf(cause: unknown): string {
  const { message, errors } = cause as { message?: string; errors?: Error[] };
  return message || errors?.map(error => error.message).join(', ') || 'it does not answer';
}

function fault(code: 'store_unavailable' | 'store_unusable', why: string, cause?: unknown) {
  const sentence = `The PostgreSQL database of DATABASE_URL cannot be used: ${why}.`;
  return new PunctualError(code, sentence, { cause });
}
