import { PunctualApiError, PunctualConnectionError, PunctualTimeoutError } from './errors.ts';
import { isPassing, isPassingWithKey, retryAfterMs, retryWaitMs } from './retry.ts';
import { checkedTimeout, MOST_MS, pause, TimeLimit } from './time-limit.ts';
import type { ErrorBody } from './wire.ts';

export interface ClientOptions {
  /** The address of the service, such as `http://127.0.0.1:8080`; '' for the page's own origin. */
  baseUrl: string;
  /** Both are left out in a browser that has a session (`signIn`). */
  clientId?: string | undefined;
  apiKey?: string | undefined;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
  /** Time limit of a call with all its attempts, in milliseconds: 30,000 by default, Infinity for none. */
  timeoutMs?: number;
  /** Attempts after the first one, of calls that are safe to repeat: 0 to 10, 2 by default. */
  maxRetries?: number;
}

/** Every method takes these. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Time limit of this call with all its attempts, in milliseconds; Infinity for none. */
  timeoutMs?: number;
}

/** One operation as it is sent. */
export interface Call {
  operation: string;
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** Replaces the client's own credentials. */
  credentials?: Record<string, string>;
  idempotencyKey?: string | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 2;
const MOST_RETRIES = 10;

/**
 * A session counts only beside this header, which a page of another origin cannot send unasked: so
 * no request can be forged from there.
 */
const SESSION_HEADERS = { 'Punctual-Session': 'yes' };
const isBrowser = 'document' in globalThis;

/**
 * Sends calls: adds credentials, limits their time, and repeats those that are safe to repeat.
 *
 * Guarantee: a call that changes something is sent once, unless it carries an idempotency key.
 */
export class Transport {
  readonly timeoutMs: number;
  readonly #baseUrl: string;
  readonly #credentials: Record<string, string>;
  readonly #fetch: typeof fetch | undefined;
  readonly #maxRetries: number;

  /** @throws TypeError, RangeError with a sentence, where the options cannot work */
  constructor(options: ClientOptions) {
    const { timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES } = options;
    if (!Number.isInteger(maxRetries) || maxRetries < 0 || maxRetries > MOST_RETRIES) {
      throw new RangeError(`maxRetries is ${maxRetries}: give a whole number from 0 to 10.`);
    }
    this.#baseUrl = checkedBaseUrl(options);
    this.#credentials = credentialsOf(options);
    this.#fetch = options.fetch;
    this.#maxRetries = maxRetries;
    this.timeoutMs = checkedTimeout(timeoutMs);
  }

  /** @returns the answer's body, and its headers */
  send<Answer>(
    call: Call,
    options: CallOptions = {},
  ): Promise<{ answer: Answer; headers: Headers }> {
    return this.#within(call, options, this.#maxRetries, async limit => {
      const response = await this.#request(call, limit.signal);
      const text = await response.text().catch(cause => {
        throw notReached(call.operation, cause);
      });
      if (!response.ok) throw refusal(call, response, text);
      limit.release();
      return { answer: parsed<Answer>(call, response, text), headers: response.headers };
    });
  }

  /**
   * Opens a stream. The time limit ends with the first byte of the answer, the caller's signal goes on.
   *
   * @param maxRetries attempts after the first one
   */
  stream(call: Call, options: CallOptions, maxRetries = this.#maxRetries): Promise<OpenStream> {
    return this.#within(call, options, maxRetries, async limit => {
      const response = await this.#request(call, limit.signal);
      if (!response.ok || response.body === null) {
        const text = await response.text().catch(cause => {
          throw notReached(call.operation, cause);
        });
        throw refusal(call, response, text);
      }
      limit.stopClock();
      return { body: response.body, close: () => limit.release() };
    });
  }

  async #within<Result>(
    call: Call,
    { signal, timeoutMs = this.timeoutMs }: CallOptions,
    maxRetries: number,
    attempt: (limit: TimeLimit) => Promise<Result>,
  ): Promise<Result> {
    const limit = new TimeLimit(checkedTimeout(timeoutMs), signal);
    try {
      for (let failures = 1; ; failures += 1) {
        try {
          return await attempt(limit);
        } catch (error) {
          signal?.throwIfAborted();
          if (limit.isOver)
            throw new PunctualTimeoutError(call.operation, timeoutMs, { cause: error });
          const waitMs = retryWaitMs(error, failures, Math.random());
          const isTooLong = waitMs >= limit.leftMs || waitMs > MOST_MS;
          if (failures > maxRetries || !mayRepeat(call, error) || isTooLong) throw error;
          await pause(waitMs, limit.signal);
        }
      }
    } catch (error) {
      limit.release();
      throw error;
    }
  }

  async #request(call: Call, signal: AbortSignal): Promise<Response> {
    const { operation, method, path, body } = call;
    const headers = this.#headers(call);
    const send = this.#fetch ?? fetch;
    try {
      return await send(this.#baseUrl + path, {
        method,
        headers,
        signal,
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw notReached(operation, cause);
    }
  }

  #headers(call: Call): Record<string, string> {
    const { headers = {}, credentials = this.#credentials, idempotencyKey, body } = call;
    const all = {
      ...credentials,
      ...headers,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': checkedKey(idempotencyKey) }),
      // Browsers send their own.
      ...(!isBrowser && { 'User-Agent': 'punctual-client' }),
    };
    // A header that cannot be sent is an error of the caller, not of the connection.
    new Headers(all);
    return all;
  }
}

export interface OpenStream {
  body: ReadableStream<Uint8Array>;
  /** Leaves no listener on the caller's signal. */
  close: () => void;
}

function mayRepeat({ method, idempotencyKey }: Call, error: unknown): boolean {
  if (method === 'GET') return isPassing(error);
  return idempotencyKey !== undefined && isPassingWithKey(error);
}

function notReached(operation: string, cause: unknown): PunctualConnectionError {
  const { cause: inner, message } = cause as { cause?: { code?: string }; message?: string };
  const why = inner?.code ?? message ?? String(cause);
  const sentence = `${operation} did not reach Punctual, or its answer was cut off: ${why}.`;
  return new PunctualConnectionError(operation, sentence, { cause });
}

function refusal({ operation }: Call, { status, headers }: Response, text: string) {
  const code = headers.get('Punctual-Error-Code') ?? undefined;
  return new PunctualApiError(status, sentenceIn(text, status), code, {
    operation,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: retryAfterMs(headers.get('Retry-After'), Date.now()),
  });
}

/** Something between may answer in words of its own. */
function sentenceIn(text: string, status: number): string {
  try {
    const { error } = JSON.parse(text) as ErrorBody;
    if (typeof error === 'string') return error;
  } catch {
    // No JSON.
  }
  return `The answer was ${status}, without a sentence.`;
}

function parsed<Answer>({ operation }: Call, { status }: Response, text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    const sentence = `The answer was ${status}, but no JSON: baseUrl may not be Punctual's.`;
    throw new PunctualApiError(status, sentence, undefined, { operation });
  }
}

function checkedBaseUrl({ baseUrl, fetch: send }: ClientOptions): string {
  const isRelative = baseUrl === '' || baseUrl.startsWith('/');
  if (isRelative && send === undefined && !isBrowser) {
    throw new TypeError(
      'baseUrl has no host: outside a browser, give one such as "http://127.0.0.1:8080".',
    );
  }
  if (!isRelative && !/^https?:\/\/./i.test(baseUrl)) {
    throw new TypeError(`baseUrl "${baseUrl}" has no scheme: write "http://…" or "https://…".`);
  }
  if (!isRelative && !URL.canParse(baseUrl)) {
    throw new TypeError(`baseUrl "${baseUrl}" is not a url.`);
  }
  return baseUrl.replace(/\/+$/, '');
}

function credentialsOf(options: ClientOptions): Record<string, string> {
  if (!('clientId' in options) && !('apiKey' in options)) return SESSION_HEADERS;
  const { clientId, apiKey } = options;
  if (!clientId || !apiKey) {
    const [missing, other] = clientId ? ['apiKey', 'clientId'] : ['clientId', 'apiKey'];
    throw new TypeError(
      `${missing} is missing: give it with ${other}, or leave both out in a browser that has a session.`,
    );
  }
  return { ClientId: clientId, ApiKey: apiKey };
}

/** @throws RangeError where the service would refuse it */
function checkedKey(key: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(key) && key.trim() === key) return key;
  throw new RangeError('idempotencyKey must be 1 to 255 printable ASCII characters.');
}
