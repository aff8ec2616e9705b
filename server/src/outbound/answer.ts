import { redact, redactCookie } from '../domain/run/redaction.ts';

/** The part of an answer that history keeps: it stays small, and every store can hold it. */

export const MAX_KEPT_BODY = 4 * 1024;
/** Of a body that is longer, the rest is not waited for. */
export const MAX_READ_BODY = 1024 * 1024;
const MAX_KEPT_HEADERS = 8 * 1024;

/**
 * The first 4 KiB as text. A character that the limit would cut in two is left out; bytes that are
 * no UTF-8 become U+FFFD, and so does NUL, which PostgreSQL cannot keep.
 */
export function bodyText(bytes: Buffer): string {
  let end = Math.min(bytes.length, MAX_KEPT_BODY);
  if (bytes.length > end) {
    while (end > MAX_KEPT_BODY - 3 && (bytes[end]! & 0xc0) === 0x80) end--;
  }
  const text = bytes.toString('utf8', 0, end);
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/**
 * Without secrets. Repeated fields joined with ", ", but cookies with a line break: a comma may be part
 * of one (RFC 9110, 5.3). The first 8 KiB of names and values, in the order of the answer: the field
 * that goes beyond ends with "…", those behind it are left out.
 */
export function keepHeaders(headers: AnswerHeaders, secrets: readonly string[]): Kept {
  redactHeaders(headers, secrets);
  let room = MAX_KEPT_HEADERS;
  for (const name in headers) {
    const value = headers[name]!;
    const text = typeof value === 'string' ? value : value.join(', ');
    room -= name.length + text.length;
    if (room < 0) return cutHeaders(headers);
    if (text !== value) headers[name] = text;
  }
  return headers as Kept;
}

export type AnswerHeaders = Record<string, string | string[] | undefined>;
type Kept = Record<string, string>;

function redactHeaders(headers: AnswerHeaders, secrets: readonly string[]): void {
  const cookies = headers['set-cookie'];
  if (cookies !== undefined) {
    headers['set-cookie'] = [cookies].flat().map(redactCookie).join('\n');
  }
  if (secrets.length === 0) return;
  for (const name in headers) {
    const value = headers[name]!;
    headers[name] =
      typeof value === 'string' ? redact(value, secrets) : value.map(each => redact(each, secrets));
  }
}

function cutHeaders(headers: AnswerHeaders): Kept {
  const kept: Kept = {};
  let room = MAX_KEPT_HEADERS;
  for (const name in headers) {
    const value = headers[name]!;
    const text = typeof value === 'string' ? value : value.join(', ');
    room -= name.length + text.length;
    if (room >= 0) {
      kept[name] = text;
      continue;
    }
    if (text.length + room > 0) kept[name] = `${text.slice(0, text.length + room)}…`;
    break;
  }
  return kept;
}
