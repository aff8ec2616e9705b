import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AllowTargets } from '../domain/target.ts';
import { HELD_UP } from './lookups.ts';
import type { OutboundRequest, SendResult } from './send.ts';
import type { Sender } from './sender.ts';
import type { Ended, Handover, SendingThread } from './thread.ts';
import { SWEEP, type Term, Ticket } from './ticket.ts';

export interface SenderThreadsOptions {
  allow: AllowTargets;
  connectionsPerOrigin: number;
  maxOrigins: number;
  /** Names looked up at a time, by all threads together; each takes its part. */
  maxLookups?: number;
  /** How many threads send, from 1; never more than `connectionsPerOrigin`. */
  threads: number;
  /** That of the tickets. */
  term?: Term | undefined;
}

/**
 * How many threads are worth while on so many cores. Two share what is due at one instant, also where there
 * are only two cores; they send more than the main thread can hand them.
 */
export function threadsFor(cores: number): number {
  return cores === 1 ? 0 : 2;
}

/** A worker is compiled as this file is. */
const THREAD = new URL(`./thread${extname(import.meta.filename)}`, import.meta.url);
/** Requests with one thread at a time: more than the engine has in flight by any setting. */
const MOST_TICKETS = 2 ** 17;

/**
 * A sender on threads of its own, so that sending takes nothing from the API and the engine.
 *
 * A request goes to the thread that has the fewest, so that single ones find the connection that the last of
 * them left; each thread keeps its share of the connections to an origin. If a thread ends unasked, so does
 * the process, as an uncaught error.
 */
export function createSenderThreads(
  options: SenderThreadsOptions,
): Pick<Sender, 'send' | 'close' | 'isHeldUp'> {
  const { allow, maxOrigins, term } = options;
  const count = Math.min(options.threads, options.connectionsPerOrigin);
  const maxLookups = Math.max(1, Math.floor((options.maxLookups ?? 32) / count));
  const threads = Array.from({ length: count }, (_, at) => {
    const connectionsPerOrigin = Math.floor((options.connectionsPerOrigin + at) / count);
    return new Thread({ allow, maxOrigins, maxLookups, connectionsPerOrigin, term: term?.shared });
  });
  return {
    send: request => leastBusy(threads).send(request),
    async close() {
      await Promise.all(threads.map(thread => thread.close()));
    },
    get isHeldUp() {
      return threads.some(thread => thread.isHeldUp);
    },
  };
}

/** The first of those that have the fewest requests. */
function leastBusy(threads: Thread[]): Thread {
  let found = threads[0]!;
  for (const thread of threads) if (thread.inFlight < found.inFlight) found = thread;
  return found;
}

interface Waiting {
  request: OutboundRequest;
  resolve: (result: SendResult) => void;
}

class Thread {
  readonly #worker: Worker;
  readonly #tickets = new Int32Array(new SharedArrayBuffer(MOST_TICKETS * 4));
  /** By the place of their ticket. */
  readonly #waiting: (Waiting | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  #outgoing: Handover[] = [];
  #sweepScheduled = false;
  readonly #onCancelled = () => this.#sweepSoon();
  #closed: Promise<void> | null = null;
  #onHeldUp = () => {};
  isHeldUp = false;

  constructor(options: Omit<SendingThread, 'tickets'>) {
    this.#worker = new Worker(THREAD, {
      workerData: { ...options, tickets: this.#tickets } satisfies SendingThread,
    });
    this.#worker.on('message', (text: string) => {
      if (text === HELD_UP) return this.#heldUp();
      for (const [place, result] of JSON.parse(text) as Ended) this.#ended(place, result);
    });
  }

  get inFlight(): number {
    return this.#waiting.length - this.#freePlaces.length;
  }

  send(request: OutboundRequest): Promise<SendResult> {
    return new Promise(resolve => {
      const place = this.#freePlaces.pop() ?? this.#waiting.length;
      this.#waiting[place] = { request, resolve };
      if (request.ticket !== undefined) {
        request.ticket.share(this.#tickets, place);
        request.ticket.onCancelled = this.#onCancelled;
      } else Ticket.open(this.#tickets, place);
      if (this.#outgoing.length === 0) queueMicrotask(() => this.#post());
      const { method, url, headers, body, timeoutMs, clientKey = 0, ownHeaders = 0 } = request;
      this.#outgoing.push([place, method, url, headers, body, timeoutMs, clientKey, ownHeaders]);
    });
  }

  close(): Promise<void> {
    this.#closed ??= new Promise(resolve => {
      this.#worker.once('exit', () => resolve());
      this.#onHeldUp = resolve;
      this.#worker.postMessage(null);
    });
    return this.#closed;
  }

  /** It is through with everything but lookups, and nobody waits for these. */
  #heldUp(): void {
    this.isHeldUp = true;
    this.#worker.unref();
    this.#onHeldUp();
  }

  /** One message for all that are cancelled together; behind the requests that are on their way. */
  #sweepSoon(): void {
    if (this.#sweepScheduled || this.#closed !== null) return;
    this.#sweepScheduled = true;
    queueMicrotask(() => {
      this.#sweepScheduled = false;
      this.#worker.postMessage(SWEEP);
    });
  }

  #post(): void {
    this.#worker.postMessage(JSON.stringify(this.#outgoing));
    this.#outgoing = [];
  }

  #ended(place: number, result: SendResult): void {
    const { request, resolve } = this.#waiting[place]!;
    this.#waiting[place] = undefined;
    this.#freePlaces.push(place);
    request.ticket?.unshare();
    resolve(result);
  }
}
