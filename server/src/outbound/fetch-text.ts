import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Client, type Dispatcher } from 'undici';
import { PunctualError } from '../domain/errors.ts';
import { decapitalized } from '../domain/run/sentence.ts';
import { type AllowTargets, checkTargetUrl } from '../domain/schedule/target.ts';
import { VERSION } from '../version.ts';
import type { AnswerHeaders } from './answer.ts';
import { AnswerFilter, type AnswerReader } from './answer-filter.ts';
import { STALE } from './exchange.ts';
import { Blocked, faultSentence, type Stage } from './fault.ts';
import { type ConnectionRequester, Dialer, type Guard, openBySystem } from './guard.ts';
import { Lookups, type Resolve } from './lookups.ts';
import { type ParsedUrl, parseUrl, resolveBySystem } from './sender.ts';

export interface TextFetcherOptions {
  /** The allowed targets, read whenever an address is judged. */
  allow: AllowTargets | (() => AllowTargets);
  /** Names looked up at a time. */
  maxLookups?: number;
  resolve?: Resolve;
  /** For all hops together. */
  timeoutMs?: number;
}

/**
 * Fetches the text of a calendar.
 *
 * Guarantees: every connection passes the guard, that of each redirect too, and nothing is sent from https on to http. It
 * takes no longer than its time limit, and reads no more than 1 MiB. Clients take turns in looking up names.
 *
 * @throws PunctualError `calendar_invalid`, with a sentence that says which step failed
 */
export type FetchText = (url: string, clientRowId?: number) => Promise<string>;

export function createTextFetcher(options: TextFetcherOptions): FetchText {
  const { allow, maxLookups = 8, resolve = resolveBySystem, timeoutMs = 10_000 } = options;
  let guard: Guard | null = null;
  return (url, clientRowId = 0) => {
    // At the first fetch, since it reads every root certificate.
    guard ??= {
      allow: typeof allow === 'function' ? allow : () => allow,
      lookups: new Lookups(resolve, maxLookups),
      lookupMs: timeoutMs,
      secureContext: createSecureContext(),
      openSocket: openBySystem,
      winners: new LRUCache<string, string>({ max: 1_000 }),
    };
    return new TextFetch(guard, timeoutMs, clientRowId).read(url);
  };
}

/** An answer without its body, or with it where its status is 200. */
interface Answer {
  status: number;
  headers: AnswerHeaders;
  body: Buffer;
}

/** One fetch: its hops, and the time that they have. */
class TextFetch implements ConnectionRequester {
  readonly clientRowId: number;
  readonly deadlineAt: number;
  readonly isCancelled = false;
  readonly #guard: Guard;
  readonly #timeoutMs: number;
  /** The sentences begin with it. */
  #subject = SUBJECT;
  #abort: () => void = () => {};
  #isTimedOut = false;

  constructor(guard: Guard, timeoutMs: number, clientRowId: number) {
    this.clientRowId = clientRowId;
    this.deadlineAt = performance.now() + timeoutMs;
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
  }

  /** As the guard asks: nobody cancels it before it starts. */
  start(): boolean {
    return true;
  }

  async read(url: string): Promise<string> {
    const timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.#abort();
    }, this.#timeoutMs);
    try {
      return await this.#follow(url);
    } finally {
      clearTimeout(timer);
    }
  }

  async #follow(first: string): Promise<string> {
    let url = first;
    this.#check(url, `${SUBJECT} is refused`);
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#ask(parseUrl(url)!);
      const location = locationOf(answer);
      if (location === null) return this.#textOf(answer);
      if (hops === MOST_REDIRECTS) throw invalid(`${SUBJECT} redirects more than ${hops} times.`);
      url = this.#redirected(url, location);
    }
  }

  /** The place that a redirect leads to, judged. */
  #redirected(from: string, location: string): string {
    const to = URL.parse(location, from);
    if (to === null) throw this.#failed('redirects to what is no url');
    to.hash = '';
    // Its path may be as secret as that of the calendar's url.
    const origin = to.origin === 'null' ? `a ${to.protocol.slice(0, 40)} url` : to.origin;
    const where = `${this.#subject} redirects to ${origin}, which is refused`;
    if (from.toLowerCase().startsWith('https:') && to.protocol === 'http:') {
      throw invalid(`${where}: it leads from https to http.`);
    }
    this.#check(to.href, where);
    this.#subject = `${SUBJECT} redirects to ${origin}, which`;
    return to.href;
  }

  #check(url: string, where: string): void {
    try {
      checkTargetUrl(url, this.#guard.allow(), where);
    } catch (error) {
      if (error instanceof PunctualError) throw invalid(error.message);
      throw error;
    }
  }

  async #ask({ target, path }: ParsedUrl): Promise<Answer> {
    const dialer = new Dialer(target, this.#guard, this);
    this.#abort = () => dialer.cancel();
    let exchange: TextExchange | null = null;
    try {
      const socket = await dialer.open();
      if (this.#isTimedOut) {
        socket.destroy();
        throw new Error('timed out');
      }
      const opened = new TextExchange(socket);
      exchange = opened;
      this.#abort = () => opened.abort();
      return await opened.ask(target.origin, path);
    } catch (error) {
      if (this.#isTimedOut) {
        throw this.#failed(`did not answer within ${this.#timeoutMs / 1_000} s`);
      }
      if (error instanceof Refused) throw this.#failed(error.message);
      const sentence =
        error instanceof Blocked
          ? error.message
          : faultSentence(error, exchange?.stage ?? dialer.stage, target.authority);
      throw this.#failed(`could not be read: ${decapitalized(sentence)}`);
    }
  }

  #textOf({ status, body }: Answer): string {
    if (status !== 200) throw this.#failed(`answered ${status}`);
    try {
      return UTF8.decode(body);
    } catch {
      throw this.#failed('answered with text that is not UTF-8');
    }
  }

  #failed(predicate: string): PunctualError {
    return invalid(`${this.#subject} ${predicate.replace(/\.$/, '')}.`);
  }
}

/** The end of a sentence about an answer that is not taken. */
class Refused extends Error {}

/** One request and its answer, on a connection of its own. */
class TextExchange implements Dispatcher.DispatchHandler, AnswerReader {
  readonly method = 'GET';
  readonly #socket: Socket;
  readonly #settled = Promise.withResolvers<Answer>();
  #isHanded = false;
  #answer: Answer | null = null;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async ask(origin: string, path: string): Promise<Answer> {
    new AnswerFilter(this.#socket).expectAnswer(this);
    const client = new Client(origin, {
      // undici forgets to write if it is called back before its own call has returned. It never gets a second socket.
      connect: (_options, callback) => {
        const isFirst = !this.#isHanded;
        this.#isHanded = true;
        queueMicrotask(() => (isFirst ? callback(null, this.#socket) : callback(STALE, null)));
      },
      allowH2: false,
      pipelining: 1,
      // The fetch's time limit is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16 * 1024 + 1,
    });
    client.dispatch({ path, method: this.method, headers: HEADERS, body: null }, this);
    try {
      return await this.#settled.promise;
    } finally {
      // No second request follows on it.
      void client.destroy();
      this.#socket.destroy();
    }
  }

  get stage(): Stage {
    return this.#answer === null ? 'waiting' : 'reading';
  }

  abort(): void {
    this.#settled.reject(new Error('aborted'));
  }

  /** undici requires it. */
  onRequestStart(): void {}

  onResponseStarted(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    this.#answer = { status, headers, body: Buffer.alloc(0) };
    if (status !== 200) this.#settled.resolve(this.#answer);
    else if (isEncoded(headers)) this.#settled.reject(ENCODED);
    else if (Number(headers['content-length']) > MOST_BYTES) this.#settled.reject(TOO_LARGE);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_BYTES) this.#settled.reject(TOO_LARGE);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    // A body without a length ends with the connection; undici takes a reset for that end too.
    const reset = this.#socket.errored ?? null;
    if (reset !== null) this.#settled.reject(reset);
    else this.#settled.resolve({ ...this.#answer!, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settled.reject(error);
  }
}

/** A few bytes may be many then. */
function isEncoded(headers: AnswerHeaders): boolean {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  return encoding.trim().toLowerCase() !== 'identity';
}

/** Null where the answer is no redirect. */
function locationOf({ status, headers }: Answer): string | null {
  const location = REDIRECTS.has(status) ? headers.location : undefined;
  return location === undefined ? null : ([location].flat()[0] ?? null);
}

function invalid(sentence: string): PunctualError {
  return new PunctualError('calendar_invalid', sentence);
}

const SUBJECT = "The calendar's url";
const MOST_REDIRECTS = 5;
const MOST_BYTES = 1024 * 1024;
const ENCODED = new Refused('answered with a Content-Encoding, which was not asked for');
const TOO_LARGE = new Refused('is larger than 1 MiB');
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const HEADERS = [
  ...['accept', 'text/calendar'],
  ...['accept-encoding', 'identity'],
  ...['user-agent', `Punctual/${VERSION}`],
];
