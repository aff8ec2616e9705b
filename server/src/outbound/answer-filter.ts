import type { Socket } from 'node:net';
import { statusIn, writtenHead } from './answer-head.ts';
import { ChunkFilter } from './chunk-filter.ts';
import { coded, UnreadableAnswer } from './fault.ts';
import { InterimFilter, TOO_MUCH_INTERIM } from './interim.ts';
import { type PlainHead, plainHead, statusOf } from './plain-head.ts';

/** The exchange whose answer is read. */
export interface AnswerReader {
  readonly method: string;
  /** The first byte of its answer has come. */
  onResponseStarted(): void;
}

/**
 * Stands between a connection and undici's parser: the parser sees final answers only, in the form that it takes.
 *
 * A plain head passes as it came, and so does the body behind it. Any other head is written anew, and so are the lines
 * between chunks. An answer that cannot be read to its end ends the connection with an error. The parser has its head by
 * then, so its status is known.
 *
 * A body may look like an answer. So bytes are looked at only from `expectAnswer` on, when a request leaves.
 */
export class AnswerFilter {
  /** An answer broke a rule of RFC 9112, so the next one on its connection could be mixed up with it. */
  isIrregular = false;
  /** Whether a byte of the answer has come, of an interim one too. */
  hasBegun = false;
  readonly #socket: Socket;
  readonly #read: () => Buffer | null;
  readonly #interim = new InterimFilter();
  #reader: AnswerReader | null = null;
  #expected: 'head' | 'chunks' | 'rest' = 'rest';
  /** All bytes pass as they are, and none are ready. */
  #isPassing = true;
  /** The beginning of a head that has not ended. */
  #held: Buffer | null = null;
  #chunks: ChunkFilter | null = null;
  /** For the parser, before anything else. */
  readonly #ready: Buffer[] = [];
  /** It ends the connection when the parser has what is ready. */
  #error: Error | null = null;
  #status = 0;

  /** Takes the place of `socket.read`, by which undici reads. */
  constructor(socket: Socket) {
    const read = socket.read;
    this.#socket = socket;
    this.#read = () => read.call(socket) as Buffer | null;
    socket.read = size =>
      this.#isPassing || size !== undefined ? read.call(socket, size) : this.#readAnswer();
  }

  /** The status of the answer, from the end of its status line on. 0: there is none yet. */
  get status(): number {
    if (this.#held === null) return this.#status;
    const line = firstLine(this.#held);
    return line.isWhole && line.status >= FINAL ? line.status : 0;
  }

  /** The bytes that come next begin the answer for this reader. */
  expectAnswer(reader: AnswerReader): void {
    this.#interim.expectAnswer();
    this.#reader = reader;
    this.#expected = 'head';
    this.#isPassing = false;
    this.#held = null;
    this.#status = 0;
    this.hasBegun = false;
  }

  #readAnswer(): Buffer | null {
    while (true) {
      const ready = this.#ready.shift();
      if (ready !== undefined) return ready;
      if (this.#error !== null) {
        this.#socket.destroy(this.#error);
        return null;
      }
      this.#isPassing = this.#expected === 'rest';
      const bytes = this.#read();
      if (bytes === null || this.#isPassing) return bytes;
      this.hasBegun = true;
      if (this.#expected === 'chunks') this.#takeChunks(bytes, 0);
      else {
        const plain = this.#takeHead(bytes);
        if (plain !== null) return plain;
      }
    }
  }

  /** @returns bytes that pass as they came; null where there are none, or others are ready */
  #takeHead(chunk: Buffer): Buffer | null {
    const held = this.#held;
    const bytes = held === null ? this.#interim.restOf(chunk) : Buffer.concat([held, chunk]);
    if (bytes === null) {
      if (this.#interim.isTooMuch) this.#error = coded(TOO_MUCH_INTERIM);
      return null;
    }
    const plain = held === null ? plainHead(bytes) : null;
    if (plain === null) return this.#takeOther(bytes, held?.length ?? 0);
    return this.#beginBody(bytes, plain, statusOf(bytes));
  }

  /** A head that has not ended, or is not plain, or is none. @param known how many bytes have been looked at before */
  #takeOther(bytes: Buffer, known: number): Buffer | null {
    this.#held = null;
    const { isHttp, isWhole, status } = firstLine(bytes);
    if (!isHttp || (isWhole && status < FINAL)) return this.#pass(bytes);
    const end = isWhole ? endOfHead(bytes, known) : -1;
    if (end === -1) return this.#hold(bytes);
    const plain = known === 0 ? null : plainHead(bytes);
    if (plain !== null) return this.#beginBody(bytes, plain, status);
    this.#takeIrregular(bytes, end, status);
    return null;
  }

  #takeIrregular(bytes: Buffer, end: number, status: number): void {
    const written = writtenHead(bytes.toString('latin1', 0, end), this.#hasBody(status));
    this.isIrregular = true;
    this.#ready.push(written.head);
    const rest = bytes.subarray(end);
    const body = this.#beginBody(rest, { end: 0, isChunked: written.isChunked }, status);
    if (written.fault !== null) this.#error = new UnreadableAnswer(written.fault);
    else if (body !== null) this.#ready.push(body);
    this.#isPassing = false;
  }

  #beginBody(bytes: Buffer, { end, isChunked }: PlainHead, status: number): Buffer | null {
    this.#status = status < FINAL ? 0 : status;
    if (!isChunked || !this.#hasBody(status)) return this.#pass(bytes);
    this.#expected = 'chunks';
    this.#chunks = new ChunkFilter();
    this.#takeChunks(bytes, end);
    return null;
  }

  /** @param from the bytes before pass as they are */
  #takeChunks(bytes: Buffer, from: number): void {
    const chunks = this.#chunks!;
    chunks.read(bytes, from, this.#ready);
    this.isIrregular ||= chunks.isIrregular;
    this.#error = chunks.error;
    if (chunks.hasEnded) this.#expected = 'rest';
  }

  #hasBody(status: number): boolean {
    return this.#reader!.method !== 'HEAD' && status !== 204 && status !== 304;
  }

  #pass(bytes: Buffer): Buffer {
    this.#expected = 'rest';
    this.#isPassing = true;
    return bytes;
  }

  #hold(bytes: Buffer): null {
    this.#held = bytes;
    this.#reader!.onResponseStarted();
    if (bytes.length > MOST_HEAD) this.#error = coded('UND_ERR_HEADERS_OVERFLOW');
    return null;
  }
}

/** As far as it is needed, and as it has come. */
function firstLine(bytes: Buffer): { isHttp: boolean; isWhole: boolean; status: number } {
  const line = bytes.toString('latin1', 0, MOST_STATUS_LINE);
  const end = line.search(/[\r\n]/);
  return {
    isHttp: line.startsWith('HTTP/'.slice(0, line.length)),
    isWhole: end !== -1 || line.length === MOST_STATUS_LINE,
    status: Number(statusIn(end === -1 ? line : line.slice(0, end))),
  };
}

/** @param from the bytes before have been looked at @returns the offset behind the empty line, or -1 */
function endOfHead(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(LF, Math.max(0, from - 2));
  while (at !== -1) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
    at = bytes.indexOf(LF, at + 1);
  }
  return -1;
}

/** The first status of a final answer. */
const FINAL = 200;
/** Enough to read a status in it. */
const MOST_STATUS_LINE = 64;
/** Beyond it no head is waited for: of its names and values only 16 KiB are taken. */
const MOST_HEAD = 64 * 1024;
const CR = 0x0d;
const LF = 0x0a;
