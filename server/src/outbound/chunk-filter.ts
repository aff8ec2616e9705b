import { coded, TOO_LARGE_TRAILERS, UnreadableAnswer } from './fault.ts';

/**
 * Follows the chunks of a body, and writes anew the lines between them that undici's parser refuses.
 *
 * Other clients take a blank behind a size, and a bare line feed. Trailers are left out, because nothing keeps them. All
 * other bytes are handed on as they came.
 */
export class ChunkFilter {
  /** The body has ended: what follows is none of it. */
  hasEnded = false;
  /** A line was written anew that RFC 9112 does not allow. */
  isIrregular = false;
  /** Why nothing more can be read. */
  error: Error | null = null;
  #expected: 'size' | 'data' | 'lineEnd' | 'trailer' = 'size';
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  /** A line that has not ended yet. */
  #held = '';
  #trailerBytes = 0;

  /** @param start the bytes before are of no chunk @param out gets the bytes for the parser, in order */
  read(bytes: Buffer, start: number, out: Buffer[]): void {
    let from = 0;
    let at = start;
    const handOn = (next: number) => {
      const isAll = from === 0 && at === bytes.length;
      if (at > from) out.push(isAll ? bytes : bytes.subarray(from, at));
      from = next;
      at = next;
    };
    while (at < bytes.length && !this.hasEnded && this.error === null) {
      if (this.#expected === 'data') {
        at += this.#takeData(bytes.length - at);
        continue;
      }
      const plainBytes = this.#held === '' ? this.#takePlainLine(bytes, at) : 0;
      if (plainBytes > 0) {
        at += plainBytes;
        continue;
      }
      const end = bytes.indexOf(LF, at) + 1 || bytes.length;
      const came = bytes.toString('latin1', at, end);
      const line = this.#held + came;
      const written = this.#writtenLine(line);
      if (written === came) {
        at = end;
        continue;
      }
      handOn(end);
      if (written !== '') out.push(Buffer.from(written, 'latin1'));
    }
    if (this.hasEnded) at = bytes.length;
    if (this.error === null) handOn(bytes.length);
  }

  #takeData(most: number): number {
    const count = Math.min(most, this.#left);
    this.#left -= count;
    if (this.#left === 0) this.#expected = 'lineEnd';
    return count;
  }

  /** The usual lines, without making a text of them. @returns how many bytes the line has; 0: it is another one */
  #takePlainLine(bytes: Buffer, from: number): number {
    let at = from;
    let size = 0;
    if (this.#expected === 'size') {
      for (let digit = hexDigit(bytes[at]); digit >= 0; digit = hexDigit(bytes[at])) {
        size = size * 16 + digit;
        at++;
      }
      if (at === from || at - from > MOST_PLAIN_DIGITS) return 0;
    }
    if (bytes[at] !== CR || bytes[at + 1] !== LF) return 0;
    if (this.#expected === 'trailer') this.hasEnded = true;
    else if (this.#expected === 'lineEnd') this.#expected = 'size';
    else this.#beginChunk(size);
    return at + 2 - from;
  }

  #beginChunk(size: number): void {
    this.#left = size;
    this.#expected = size === 0 ? 'trailer' : 'data';
  }

  /** @param line whole, or the beginning of one, which is kept @returns the line for the parser */
  #writtenLine(line: string): string {
    const isWhole = line.endsWith('\n');
    this.#held = isWhole ? '' : line;
    if (line.length > MOST_LINE) return this.#refuse('a line between its chunks has no end');
    if (this.#expected === 'size') return this.#size(line, isWhole);
    if (this.#expected === 'lineEnd') return this.#lineEnd(line, isWhole);
    return isWhole ? this.#trailer(line) : '';
  }

  #size(line: string, isWhole: boolean): string {
    const [, digits, blank, extension] = SIZE.exec(line) ?? [];
    const size = Number.parseInt(digits ?? '', 16);
    if (!Number.isSafeInteger(size)) return this.#refuse('a chunk of it has no size');
    if (!isWhole) return '';
    if ((blank !== '' && extension === undefined) || !line.endsWith('\r\n'))
      this.isIrregular = true;
    this.#beginChunk(size);
    const written = `${digits}\r\n`;
    return written.length > MOST_SIZE ? `${size.toString(16)}\r\n` : written;
  }

  #lineEnd(line: string, isWhole: boolean): string {
    if (line !== '\r\n' && line !== '\n' && line !== '\r') {
      return this.#refuse('a chunk of it is longer than its size');
    }
    if (!isWhole) return '';
    if (line === '\n') this.isIrregular = true;
    this.#expected = 'size';
    return '\r\n';
  }

  #trailer(line: string): string {
    if (line === '\r\n' || line === '\n') {
      this.hasEnded = true;
      return '\r\n';
    }
    const [, name, value] = TRAILER.exec(line) ?? [];
    if (name === undefined || !line.endsWith('\r\n')) this.isIrregular = true;
    this.#trailerBytes += name === undefined ? line.length : name.length + value!.trim().length;
    if (this.#trailerBytes > MOST_LINE) this.error = coded(TOO_LARGE_TRAILERS);
    return '';
  }

  #refuse(reason: string): string {
    this.error =
      this.#expected === 'trailer' ? coded(TOO_LARGE_TRAILERS) : new UnreadableAnswer(reason);
    return '';
  }
}

/** Below zero where it is none. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Of the trailers together, too. */
const MOST_LINE = 16 * 1024;
/** A size with more zeros before it than the parser may take. */
const MOST_SIZE = 16;
/** As many as a small number can count. */
const MOST_PLAIN_DIGITS = 7;
const CR = 0x0d;
const LF = 0x0a;
/** Also of a line that has not ended yet. */
const SIZE = /^([0-9a-f]+)([ \t]*)(;[^\n]*)?\r?\n?$/i;
const TRAILER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\n]*)\n$/;
