import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { allSecrets, redact, secretsIn } from '../domain/run/redaction.ts';
import type { Phases } from '../domain/run/run.ts';
import { judgesBody, MAX_JUDGED_BODY, unmetBy } from '../domain/run/success.ts';
import {
  type AnswerHeaders,
  BodyStart,
  keepHeaders,
  keptText,
  MAX_KEPT_BODY,
  MAX_READ_BODY,
} from './answer.ts';
import type { AnswerReader } from './answer-filter.ts';
import { codingsOf, withoutCodings } from './body-codings.ts';
import { BEYOND, textOf, typeOf } from './body-text.ts';
import {
  Blocked,
  faultSentence,
  isBrokenOff,
  isNoDescriptor,
  lookupSentence,
  noAnswerSentence,
  noDescriptorSentence,
  type Stage,
  timeoutSentence,
  unreadableSentence,
} from './fault.ts';
import type { ConnectionRequester, Dialer, Target } from './guard.ts';
import type { OutboundRequest, SendResult } from './send.ts';

/** The transport of an exchange: the pool until there is a connection, then the connection. */
export interface Transport {
  readonly socket: Socket | null;
  /** Of the answer under way, as soon as its status line is read. 0: there is none. */
  readonly status: number;
  /** The request is about to be written: the bytes that come next are its answer. */
  written(exchange: Exchange): void;
  /**
   * Told once, when the exchange has its result.
   *
   * @param reusable whether the connection came through in good order
   */
  ended(exchange: Exchange, reusable: boolean): void;
  /** Whether a byte of the answer under way has come. */
  readonly hasBegun: boolean;
  /** Its connection was closed before a byte of the request was written. */
  stale(exchange: Exchange): void;
  /** Its kept connection was closed before a byte of the answer came: it goes over a new one. */
  sendAgain(exchange: Exchange): void;
}

/** The error that undici hands on for a closed connection. It is no fault of the exchange. */
export const STALE: Error = Object.assign(new Error('stale'), { code: 'CLOSED' });

/**
 * One request in flight: gathers its events and produces the result, once.
 *
 * It is undici's handler itself, with fields instead of closures, because this code runs most.
 * Nothing here throws: undici turns an exception in a handler into an `error` event that nobody can
 * handle.
 */
export class Exchange implements Dispatcher.DispatchHandler, ConnectionRequester, AnswerReader {
  readonly request: OutboundRequest;
  readonly target: Target;
  readonly path: string;
  /** The exchange that waits behind this one. */
  next: Exchange | null = null;
  /** Its index among the deadlines. */
  slot = -1;
  /** On the scale of `performance.now()`. */
  deadlineAt = 0;
  dialer: Dialer | null = null;
  settled = false;

  #transport: Transport;
  readonly #resolve: (result: SendResult) => void;
  #started = false;
  /** Onto the connection that it has now. */
  #isWritten = false;
  #startedAt = 0;
  #begunAt = 0;
  #readyAt = 0;
  #firstByteAt = 0;
  #status = 0;
  #headers: AnswerHeaders | null = null;
  #body: BodyStart | null = null;
  #bodyBytes = 0;
  /** The secrets, once they were gathered. */
  #known: readonly string[] | null = null;
  #note: string | undefined;
  /** The rest of the answer cannot be read. */
  #isCut = false;
  #lacksDescriptor = false;

  constructor(
    request: OutboundRequest,
    target: Target,
    path: string,
    transport: Transport,
    resolve: (result: SendResult) => void,
  ) {
    this.request = request;
    this.target = target;
    this.path = path;
    this.#transport = transport;
    this.#resolve = resolve;
  }

  get clientRowId(): number {
    return this.request.clientRowId ?? 0;
  }

  get method(): string {
    return this.request.method;
  }

  /** Or abandoned, which it can be after its start as well. */
  get isCancelled(): boolean {
    return this.request.permit?.isCancelled === true;
  }

  /** @returns false where it was cancelled; after the first true it cannot be */
  start(): boolean {
    this.#started ||= this.request.permit?.start() !== false;
    return this.#started;
  }

  /** Its time limit begins, once: a stale connection does not begin it again. */
  begin(startedAt: number): void {
    this.#startedAt = startedAt;
    this.#begunAt = performance.now();
    this.#readyAt = this.#begunAt;
    this.deadlineAt = this.#begunAt + this.request.timeoutMs;
  }

  /** Goes onto a connection that it has opened itself (`dialer`), or onto an idle one. */
  onto(connection: Transport): void {
    this.#transport = connection;
    this.#isWritten = false;
    if (this.dialer !== null) this.#readyAt = performance.now();
  }

  onRequestStart(): void {
    this.#isWritten = true;
    this.#transport.written(this);
  }

  onResponseStarted(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = performance.now();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    // The connection has passed over all interim answers but 101, and below 100 there is no status.
    if (status < 200) {
      this.failWith(noAnswerSentence(status, this.target.authority));
      return;
    }
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.#bodyBytes += chunk.length;
    this.#body ??= new BodyStart(this.#wantedBytes());
    this.#body.add(chunk);
    if (this.#bodyBytes > MAX_READ_BODY) this.#settle('response', undefined, false);
  }

  onResponseEnd(): void {
    // A body without a length ends with the connection; undici takes a reset for that end too.
    const reset = this.#transport.socket?.errored ?? null;
    if (reset !== null) this.fail(reset);
    else this.#settle('response', undefined, true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.settled) return;
    if (error === STALE || (!this.#isWritten && isBrokenOff(error))) this.#transport.stale(this);
    else if (this.#isToBeSentAgain(error)) {
      this.#addNote(SENT_AGAIN);
      this.#transport.sendAgain(this);
    } else this.fail(error);
  }

  /** RFC 9110, 9.2.2. The second time it has opened its own connection, so that there is no third. */
  #isToBeSentAgain(error: Error): boolean {
    const isOnKept = this.dialer === null && !this.#transport.hasBegun;
    return isOnKept && isBrokenOff(error) && IDEMPOTENT.has(this.method);
  }

  /** Before it started. */
  cancel(now: number): void {
    this.begin(now);
    this.#settle('cancelled', undefined, false);
  }

  fail(error: unknown): void {
    if (error instanceof Blocked) {
      this.#end('blocked', error.message);
      return;
    }
    if (isNoDescriptor(error)) {
      this.#lacksDescriptor = true;
      this.failWith(noDescriptorSentence(this.target.authority));
      return;
    }
    this.#takeStatus();
    const { authority } = this.target;
    const note = this.#status === 0 ? null : unreadableSentence(error, authority, this.#status);
    if (note === null) this.failWith(faultSentence(error, this.#stage(), authority));
    else {
      // A status has come, so its verdict counts, and nothing is sent again for what followed.
      this.#addNote(note);
      this.#isCut = true;
      this.#settle('response', undefined, false);
    }
  }

  failWith(sentence: string): void {
    this.#end('connectionError', sentence);
  }

  /** @param now on the scale of `performance.now()` */
  judge(now: number): void {
    if (now >= this.deadlineAt) this.#timeOut();
    else if (this.dialer !== null && now >= this.dialer.lookupEndsAt) {
      this.failWith(lookupSentence(this.target.authority, this.dialer.lookupMs));
    }
  }

  #timeOut(): void {
    const { authority } = this.target;
    const sentence = timeoutSentence(this.#stage(), authority, this.request.timeoutMs);
    this.#takeStatus();
    this.#end('timeout', sentence);
  }

  /** Of a head that has not ended. Before the request is written, the connection knows that of the answer before. */
  #takeStatus(): void {
    if (this.#isWritten) this.#status ||= this.#transport.status;
  }

  /** An exchange that still waits has not started, and may have been cancelled. */
  #end(outcome: SendResult['outcome'], sentence: string): void {
    if (this.settled) return;
    if (this.start()) this.#settle(outcome, sentence, false);
    else this.cancel(this.#startedAt);
  }

  #stage(): Stage {
    if (this.#transport.socket === null) return this.dialer?.stage ?? 'waiting';
    return this.#status === 0 ? 'waiting' : 'reading';
  }

  #settle(outcome: SendResult['outcome'], error: string | undefined, reusable: boolean): void {
    if (this.settled) return;
    this.settled = true;
    const result: SendResult = {
      outcome,
      startedAt: this.#startedAt,
      durationMs: Math.round(performance.now() - this.#begunAt),
      phases: this.#phases(),
    };
    if (error !== undefined) result.error = error;
    if (this.#lacksDescriptor) result.unsent = 'noDescriptor';
    if (this.dialer?.note !== undefined) this.#addNote(this.dialer.note);
    const decoding = this.#status === 0 ? null : this.#keepAnswer(result);
    if (decoding === null) this.#ended(result, reusable);
    // The connection may have closed meanwhile.
    else
      void decoding.then(() => this.#ended(result, reusable && !this.#transport.socket?.destroyed));
  }

  #ended(result: SendResult, reusable: boolean): void {
    if (this.#note !== undefined) result.note = this.#note;
    this.#transport.ended(this, reusable);
    this.#resolve(result);
  }

  /**
   * Secrets of the request that the target echoes stay out of it.
   *
   * @returns null, or resolves when the body is decoded
   */
  #keepAnswer(result: SendResult): Promise<void> | null {
    result.responseStatus = this.#status;
    if (this.#headers === null) return null;
    if (!this.request.isPrivate) this.#keepHeaders(result, this.#headers);
    const bytes = this.#body?.bytes ?? EMPTY;
    const codings = codingsOf(this.#headers);
    if (codings.length > 0 && bytes.length > 0) return this.#decode(bytes, codings, result);
    this.#keepBody(result, bytes, this.#bodyBytes > bytes.length);
    return null;
  }

  async #decode(bytes: Buffer, codings: readonly string[], result: SendResult): Promise<void> {
    const most = MAX_JUDGED_BODY + BEYOND;
    const body = await withoutCodings(bytes, codings, most);
    if (body !== null) {
      this.#keepBody(result, body, this.#bodyBytes > bytes.length || body.length === most);
      return;
    }
    this.#noteNotKept(`cannot be decoded (${codings.join(', ').slice(0, 40)})`);
    if (result.outcome === 'response' && judgesBody(this.request.success)) {
      result.unmet = 'The body cannot be decoded, so it meets no condition.';
    }
  }

  #keepHeaders(result: SendResult, headers: AnswerHeaders): void {
    const control = headers['punctual-control'];
    if (control !== undefined && result.outcome === 'response' && !this.#isCut) {
      result.control = typeof control === 'string' ? control : control.join(', ');
    }
    result.responseHeaders = keepHeaders(headers, this.#secrets);
  }

  /** @param isLonger whether there is more of it, which was not read */
  #keepBody(result: SendResult, body: Buffer, isLonger: boolean): void {
    if (this.request.isPrivate) {
      const isTooLong = body.length > MAX_JUDGED_BODY;
      result.privateBody = isTooLong ? null : textOf(body, MAX_JUDGED_BODY, this.#headers).text;
      return;
    }
    const isWhole = result.outcome === 'response' && !this.#isCut && !isLonger;
    if (result.outcome === 'response') this.#judgeBody(result, body, isWhole);
    if (body.length === 0) return;
    const { text, isText } = textOf(body, MAX_KEPT_BODY, this.#headers, isWhole, this.#secrets);
    if (isText) result.responseBody = keptText(text);
    else this.#noteNotKept('is no text');
  }

  #judgeBody(result: SendResult, body: Buffer, isWhole: boolean): void {
    const { success, common, secrets } = this.request;
    if (!judgesBody(success)) return;
    // A condition must not tell whether the target echoes a guess at a secret of the destination.
    const hidden = allSecrets(common?.secrets, secrets);
    const unmet = unmetBy(
      {
        text: textOf(body, MAX_JUDGED_BODY, this.#headers, isWhole, hidden).text,
        isLonger: body.length > MAX_JUDGED_BODY,
        masked: part => redact(part, this.#secrets),
      },
      success,
    );
    if (unmet !== undefined) result.unmet = unmet;
  }

  /** Those of the request, which the target may echo. */
  get #secrets(): readonly string[] {
    if (this.#known === null) {
      const { headers, ownHeaders = 0, common, secrets } = this.request;
      const given = allSecrets(common?.secrets, secrets);
      this.#known = allSecrets(given, secretsIn(headers, ownHeaders));
    }
    return this.#known;
  }

  #noteNotKept(why: string): void {
    if (this.request.success?.keepsNoBody) return;
    const isMore = this.#bodyBytes > MAX_READ_BODY;
    const size = isMore ? 'more than 1 MiB' : `${this.#bodyBytes} bytes`;
    const type = typeOf(this.#headers).slice(0, 100) || 'no type';
    this.#addNote(`The body (${type}, ${size}) is not kept, because it ${why}.`);
  }

  /** How much of the body is needed: a coding may hide much in it. */
  #wantedBytes(): number {
    const { isPrivate, success } = this.request;
    const isAll = isPrivate || judgesBody(success) || codingsOf(this.#headers!).length > 0;
    return BEYOND + (isAll ? MAX_JUDGED_BODY : MAX_KEPT_BODY);
  }

  #addNote(sentence: string): void {
    this.#note = this.#note === undefined ? sentence : `${this.#note} ${sentence}`;
  }

  #phases(): Phases {
    const phases: Phases = this.dialer === null ? {} : { ...this.dialer.phases };
    if (this.#firstByteAt !== 0) {
      phases.firstByteMs = Math.round(this.#firstByteAt - this.#readyAt);
    }
    return phases;
  }
}

const EMPTY = Buffer.alloc(0);
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
const SENT_AGAIN =
  'The target closed the kept connection, so the request was sent again at once on a new one.';
