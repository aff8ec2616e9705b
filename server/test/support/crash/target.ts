import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { arrivalOf, callbackArrivalOf } from '../../../sim/model/arrivals.ts';
import type { Arrival, CallbackArrival } from '../../../sim/model/evidence.ts';

/**
 * The target and the receiver of callbacks, in the harness's own process, which nobody kills.
 *
 * The path says how it answers: `/ok`, `/fail` (500), `/gone` (404), `/flaky` (503 to the first
 * attempt), `/slow/<ms>`; callbacks go to `/callback/…`.
 */
export class Target {
  readonly arrivals: Arrival[] = [];
  readonly callbacks: CallbackArrival[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));

  /** Requests that came and are not answered. */
  get open(): number {
    return this.arrivals.filter(({ endedAt }) => endedAt === Number.POSITIVE_INFINITY).length;
  }

  async start(): Promise<string> {
    // The service decides when a connection has rested for too long; here it would be a fault.
    this.#server.keepAliveTimeout = 0;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const path = request.url!;
    if (path.startsWith('/callback')) return this.#takeCallback(request, response, at);
    request.resume();
    const arrival = arrivalOf(request.headers, at);
    this.arrivals.push(arrival);
    answerTo(path, arrival.attempt, response, status => {
      arrival.endedAt = Date.now();
      arrival.status = status;
    });
  }

  async #takeCallback(
    request: IncomingMessage,
    response: ServerResponse,
    at: number,
  ): Promise<void> {
    // Cut off before the body came whole: then the receiver knows nothing of it.
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const arrival = callbackArrivalOf(request.headers, body, at);
    this.callbacks.push(arrival);
    answerTo(request.url!.slice('/callback'.length), arrival.attempt, response, status => {
      arrival.status = status;
    });
  }
}

/** @param ended told the status that was written, or null where the connection broke before */
function answerTo(
  path: string,
  attempt: number,
  response: ServerResponse,
  ended: (status: number | null) => void,
): void {
  let timer: NodeJS.Timeout | null = null;
  response.once('close', () => {
    if (timer === null) return;
    clearTimeout(timer);
    ended(null);
  });
  const answer = () => {
    timer = null;
    const status = statusOf(path, attempt);
    // Before it is written: the next request may come sooner than we are told that it was.
    ended(status);
    response.writeHead(status).end();
  };
  const waitMs = Number(/^\/slow\/(\d+)$/.exec(path)?.[1] ?? 0);
  if (waitMs === 0) answer();
  else timer = setTimeout(answer, waitMs);
}

function statusOf(path: string, attempt: number): number {
  if (path === '/fail') return 500;
  if (path === '/gone') return 404;
  return path === '/flaky' && attempt === 1 ? 503 : 200;
}
