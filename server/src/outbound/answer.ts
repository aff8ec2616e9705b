import { redact, redactCookie } from '../domain/run/redaction.ts';

/** The part of an answer that history keeps: it stays small, and every store can hold it. */

export const MAX_KEPT_BODY = 4 * 1024;
/** Of a body that is longer, the rest is not waited for. */
export const MAX_READ_BODY = 1024 * 1024;
const MAX_KEPT_HEADERS = 8 * 1024;

/**
 * The start of a body that comes in pieces.
 *
 * Most bodies come in one, which is not copied. Room for others grows by doubling, so that a body in the smallest pieces
 * costs little more than one in large ones.
 */
export class BodyStart {
  readonly #most: number;
  #room: Buffer = NOTHING;
  #length = 0;

  /** @param most bytes of it that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    const count = Math.min(chunk.length, this.#most - this.#length);
    if (count === 0) return;
    const length = this.#length + count;
    if (this.#length === 0) this.#room = chunk.subarray(0, count);
    else {
      if (length > this.#room.length) this.#grow(length);
      chunk.copy(this.#room, this.#length, 0, count);
    }
    this.#length = length;
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafe(Math.max(length, 2 * this.#room.length, LEAST_ROOM));
    this.#room.copy(room, 0, 0, this.#length);
    this.#room = room;
  }
}

const NOTHING = Buffer.alloc(0);
const LEAST_ROOM = 1024;

/** PostgreSQL cannot keep NUL. */
export function keptText(text: string): string {
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
