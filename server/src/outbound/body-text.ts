import { redact, redactCut } from '../domain/run/redaction.ts';
import type { AnswerHeaders } from './answer.ts';

/** A body as text, by what its answer says of it. */
export interface BodyText {
  text: string;
  /** False: neither the answer nor its bytes make it a text. */
  isText: boolean;
}

/** So much of a body is needed beyond a limit that a secret which reaches over it is known, however it is escaped. */
export const BEYOND = 128;

/**
 * The start of a body, without these secrets. They are taken out before it is cut, so that the limit leaves no piece of one.
 *
 * A character that the limit would cut in two is left out. Bytes that are none of the charset become U+FFFD.
 *
 * @param limit how many of the bytes are wanted
 * @param isWhole whether the body ends where the bytes end
 */
export function textOf(
  bytes: Buffer,
  limit: number,
  headers: AnswerHeaders | null,
  isWhole = true,
  secrets: readonly string[] = [],
): BodyText {
  const start = startOf(bytes, limit, headers);
  if (secrets.length === 0) return start;
  const { text, isText } = start;
  if (isWhole && bytes.length <= limit) return { text: redact(text, secrets), isText };
  const longer = startOf(bytes, limit + BEYOND, headers).text;
  // Bytes that are no text may read otherwise there, so that the length ends within a character.
  return { text: redactCut(longer, secrets, text.length).toWellFormed(), isText };
}

function startOf(bytes: Buffer, limit: number, headers: AnswerHeaders | null): BodyText {
  const type = typeOf(headers);
  const decoder = decoderOf(charsetOf(type) ?? markOf(bytes));
  if (decoder !== null) {
    return { text: decoder.decode(bytes.subarray(0, limit), { stream: true }), isText: true };
  }
  const text = bytes.toString('utf8', 0, wholeCharacters(bytes, limit));
  return { text, isText: isReadable(type) || !text.includes('\uFFFD') };
}

/** The media type of an answer with its parameters; empty where it has none. */
export function typeOf(headers: AnswerHeaders | null): string {
  const type = headers?.['content-type'] ?? '';
  return typeof type === 'string' ? type : type[0]!;
}

/** The most bytes of them, up to `limit`, that end with a whole character. */
function wholeCharacters(bytes: Buffer, limit: number): number {
  if (bytes.length <= limit) return bytes.length;
  let end = limit;
  while (end > limit - 3 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}

function charsetOf(type: string): string | null {
  // Most types have none.
  return type.includes('=') ? (CHARSET.exec(type)?.[1] ?? null) : null;
}

/** Of UTF-16, by its mark at the beginning. In UTF-8 the mark changes nothing. */
function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** @returns null for UTF-8, which needs none, and for a charset that nobody knows */
function decoderOf(charset: string | null): TextDecoder | null {
  if (charset === null || UTF8.test(charset)) return null;
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}

/** Types whose bytes are meant to be read, whatever they look like. */
function isReadable(type: string): boolean {
  return type === '' || READABLE.test(type);
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
/** ASCII is a part of it. */
const UTF8 = /^(?:utf-?8|us-ascii|ascii)$/i;
const READABLE = /^\s*text\/|[/+](?:json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson)\b/i;
