import { createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../id.ts';

/** The attempt that a completion url names. */
export interface CompletionTicket {
  runId: string;
  scheduleId: string;
  clientId: string;
  attempt: number;
}

/** Of the code that proves a ticket. */
const CODE_BYTES = 32;

/** The last part of a completion url: the ticket and its HMAC-SHA256, in base64url. */
export function sealedTicket(ticket: CompletionTicket, key: Buffer): string {
  const { runId, scheduleId, clientId, attempt } = ticket;
  const text = Buffer.from([runId, scheduleId, attempt, clientId].join('\n'));
  return Buffer.concat([codeOf(text, key), text]).toString('base64url');
}

/** The url at which a target says how the attempt ended. @param base without a slash at its end */
export function completionUrl(base: string, ticket: CompletionTicket, key: Buffer): string {
  return `${base}/complete/${sealedTicket(ticket, key)}`;
}

/** @returns null where it was not sealed with this key */
export function openedTicket(token: string, key: Buffer): CompletionTicket | null {
  const bytes = Buffer.from(token, 'base64url');
  // One ticket has one spelling.
  if (bytes.length <= CODE_BYTES || bytes.toString('base64url') !== token) return null;
  const text = bytes.subarray(CODE_BYTES);
  const code = bytes.subarray(0, CODE_BYTES);
  if (!timingSafeEqual(code, codeOf(text, key))) return null;
  const [runId = '', scheduleId = '', attempt, ...rest] = text.toString().split('\n');
  if (!isId(runId) || !isId(scheduleId)) return null;
  return { runId, scheduleId, clientId: rest.join('\n'), attempt: Number(attempt) };
}

function codeOf(text: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
