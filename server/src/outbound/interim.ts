/**
 * Passes over the interim answers (1xx) before a final answer.
 *
 * RFC 9110, 15.2: a client must be able to parse any number of 1xx answers before the final one,
 * even if it did not ask for them. The library undici refuses 100, and it ends a connection on
 * which a 1xx says `Connection: close`. Only 101 reaches it: there the protocol changes, so no
 * answer follows.
 */
export class InterimFilter {
  /** Inside the head of an interim answer. */
  #isInterim = false;
  #isLineEmpty = false;
  /** The beginning of a status line that does not show yet which one it is; at most 12 bytes. */
  #held: Buffer | null = null;
  #passedOverBytes = 0;

  /** The bytes that come next begin an answer. */
  expectAnswer(): void {
    this.#isInterim = false;
    this.#held = null;
    this.#passedOverBytes = 0;
  }

  /** More than 1 MiB of them came. */
  get isTooMuch(): boolean {
    return this.#passedOverBytes > MAX_PASSED_OVER;
  }

  /** @returns the part of it that belongs to the final answer; null where that has not begun */
  restOf(chunk: Buffer): Buffer | null {
    const isPlain = !this.#isInterim && this.#held === null;
    if (isPlain && chunk[0] === UPPER_H && chunk.length > CLASS_AT && chunk[CLASS_AT] !== ONE) {
      return chunk;
    }
    return this.#passOver(this.#held === null ? chunk : Buffer.concat([this.#held, chunk]));
  }

  #passOver(bytes: Buffer): Buffer | null {
    this.#held = null;
    let at = 0;
    while (true) {
      if (this.#isInterim) {
        at = this.#endOfHead(bytes, at);
        if (at === -1) return this.#hold(bytes, bytes.length);
      }
      at = skipLineEnds(bytes, at);
      if (!couldBeInterim(bytes, at)) break;
      if (bytes.length - at < STATUS_LINE.length) return this.#hold(bytes, at);
      at += STATUS_LINE.length - 1;
      this.#isInterim = true;
      this.#isLineEmpty = false;
    }
    return at === 0 ? bytes : bytes.subarray(at);
  }

  /** Nothing of it can be handed on yet. @param at where it becomes undecided */
  #hold(bytes: Buffer, at: number): null {
    if (at < bytes.length) this.#held = bytes.subarray(at);
    this.#passedOverBytes += at;
    return null;
  }

  /** @returns where the empty line ends, or -1 */
  #endOfHead(bytes: Buffer, from: number): number {
    let isLineEmpty = this.#isLineEmpty;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF && isLineEmpty) {
        this.#isInterim = false;
        return at + 1;
      }
      if (byte !== CR) isLineEmpty = byte === LF;
    }
    this.#isLineEmpty = isLineEmpty;
    return -1;
  }
}

/** The code of the error with which a connection ends that brings interim answers without end. */
export const TOO_MUCH_INTERIM = 'TOO_MUCH_INTERIM';

/** As of a body, beyond it nothing more is read. */
const MAX_PASSED_OVER = 1024 * 1024;

const UPPER_H = 0x48;
const ZERO = 0x30;
const ONE = 0x31;
const CR = 0x0d;
const LF = 0x0a;

/** Complete as far as it says that an answer is an interim one. */
const STATUS_LINE = 'HTTP/1.1 100 ';
/** The offset of the first digit of the status. */
const CLASS_AT = 9;
/** The offset of the other two. */
const REST_AT = 10;

/**
 * Compares the bytes as they are: a flood has 40,000 of these lines in its MiB.
 *
 * @param from where a status line begins; bytes of it that have yet to come are taken for the best
 */
function couldBeInterim(bytes: Buffer, from: number): boolean {
  const count = Math.min(bytes.length - from, STATUS_LINE.length);
  for (let at = 0; at < count; at++) {
    const byte = bytes[from + at]!;
    const shown = STATUS_LINE.charCodeAt(at);
    if (byte === shown) continue;
    const isOther =
      at === STATUS_LINE.length - 1
        ? byte === CR || byte === LF
        : at !== CLASS_AT && isDigit(shown) && isDigit(byte);
    if (!isOther) return false;
  }
  return bytes[from + REST_AT] !== ZERO || bytes[from + REST_AT + 1] !== ONE;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** Empty lines before a status line mean nothing, to undici's parser too. */
function skipLineEnds(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === CR || bytes[at] === LF) at++;
  return at;
}
