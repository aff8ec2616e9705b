/** The head of an answer that undici's parser takes as it came. */
export interface PlainHead {
  /** The offset of the first byte behind it. */
  end: number;
  isChunked: boolean;
}

/**
 * Looks whether the bytes begin with such a head. It runs for every answer, so it makes no text of them.
 *
 * @returns null where the head has not ended yet, or has to be written anew
 */
export function plainHead(bytes: Buffer): PlainHead | null {
  if (!isStatusLine(bytes)) return null;
  let at = endOfText(bytes, STATUS_END);
  let hasLength = false;
  let isChunked = false;
  while (bytes[at] === CR && bytes[at + 1] === LF) {
    const nameAt = at + 2;
    at = nameAt;
    while (IS_TOKEN[bytes[at]!] === 1) at++;
    const nameLength = at - nameAt;
    if (nameLength === 0) {
      const hasEnded = bytes[at] === CR && bytes[at + 1] === LF;
      return hasEnded ? { end: at + 2, isChunked } : null;
    }
    if (bytes[at] !== COLON) return null;
    const valueAt = bytes[at + 1] === SP ? at + 2 : at + 1;
    at = endOfText(bytes, valueAt);
    if (nameLength === LENGTH.length && isText(bytes, nameAt, LENGTH)) {
      if (hasLength || isChunked || !isLength(bytes, valueAt, at)) return null;
      hasLength = true;
    } else if (nameLength === ENCODING.length && isText(bytes, nameAt, ENCODING)) {
      const isPlain = at - valueAt === CHUNKED.length && isText(bytes, valueAt, CHUNKED);
      if (hasLength || isChunked || !isPlain) return null;
      isChunked = true;
    }
  }
  return null;
}

/** Of a plain status line. 0: there is none. */
export function statusOf(bytes: Buffer): number {
  const status = digit(bytes[9]) * 100 + digit(bytes[10]) * 10 + digit(bytes[11]);
  return status > 0 ? status : 0;
}

/** `HTTP/1.1 200` and the blank or the line end behind it. */
function isStatusLine(bytes: Buffer): boolean {
  const behind = bytes[STATUS_END];
  return (
    isText(bytes, 0, VERSION, 0) &&
    (bytes[7] === ONE || bytes[7] === ZERO) &&
    bytes[8] === SP &&
    (behind === SP || behind === CR) &&
    statusOf(bytes) !== 0
  );
}

function isLength(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (digit(bytes[at]) < 0) return false;
  return end > from && end - from <= MOST_DIGITS;
}

/** Far below zero where it is none. */
function digit(byte: number | undefined): number {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9 ? byte - ZERO : -1_000;
}

/** @param text in lower case, unless the case of the bytes counts too: then `fold` is 0 */
function isText(bytes: Buffer, at: number, text: string, fold = 0x20): boolean {
  for (let i = 0; i < text.length; i++) {
    if ((bytes[at + i]! | fold) !== text.charCodeAt(i)) return false;
  }
  return true;
}

function endOfText(bytes: Buffer, from: number): number {
  let at = from;
  while (IS_TEXT[bytes[at]!] === 1) at++;
  return at;
}

const VERSION = 'HTTP/1.';
/** The offset behind the digits of the status. */
const STATUS_END = 12;
const LENGTH = 'content-length';
const ENCODING = 'transfer-encoding';
const CHUNKED = 'chunked';
/** A longer number is no length: doubles could not count it. */
export const MOST_DIGITS = 15;

const CR = 0x0d;
const LF = 0x0a;
const SP = 0x20;
const COLON = 0x3a;
const ZERO = 0x30;
const ONE = 0x31;

/** 1 for each byte that the pattern holds of. */
function table(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    pattern.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

/** RFC 9110, 5.6.2 and 5.5. */
const IS_TOKEN = table(/[!#$%&'*+.^_`|~0-9A-Za-z-]/);
const IS_TEXT = table(/[\t\x20-\x7e\x80-\xff]/);
