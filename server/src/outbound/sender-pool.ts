import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AllowTargets } from '../domain/schedule/target.ts';
import { HeldParts } from './held-parts.ts';
import type { LeaseDeadline } from './lease-deadline.ts';
import { HELD_UP } from './lookups.ts';
import { type OutboundRequest, rareFieldsOf, type SendResult } from './send.ts';
import type { Sender, SenderSettings } from './sender.ts';
import type {
  RequestMessage,
  ResultMessage,
  SenderMessage,
  SenderWorkerData,
} from './sender-worker.ts';
import { StartPermit, SWEEP } from './start-permit.ts';

/** Of connections and lookups, each thread takes its part. */
export interface SenderPoolOptions extends SenderSettings {
  allow: AllowTargets;
  /** How many threads send, from 1; never more than `connectionsPerOrigin`. */
  threads: number;
  /** The lease deadline of the permits. */
  leaseDeadline?: LeaseDeadline | undefined;
}

/**
 * The number of sender threads for a number of cores. Two threads share the requests of one
 * instant, even on two cores. They send more than the main thread can hand them.
 */
export function senderThreadsFor(cores: number): number {
  return cores === 1 ? 0 : 2;
}

/** A worker is compiled as this file is. */
const WORKER = new URL(`./sender-worker${extname(import.meta.filename)}`, import.meta.url);
/** Requests with one thread at a time: more than the engine has in flight by any setting. */
const MOST_TICKETS = 2 ** 17;

/**
 * Sender pool: senders on threads of their own, so that sending takes no time from the API and the engine.
 *
 * A request goes to the thread with the fewest requests, so that single requests find the idle connection of the last
 * one. Each thread has its share of the connections to an origin. If a thread ends unasked, the process ends too, by an
 * uncaught error.
 */
export function createSenderPool(
  options: SenderPoolOptions,
): Pick<Sender, 'send' | 'close' | 'isHeldUp'> {
  const { threads: most, leaseDeadline, ...settings } = options;
  const count = Math.min(most, settings.connectionsPerOrigin);
  const maxLookups = Math.max(1, Math.floor(settings.maxLookups / count));
  const { maxConnections = Number.MAX_SAFE_INTEGER } = settings;
  const threads = Array.from({ length: count }, (_, at) => {
    const connectionsPerOrigin = Math.floor((settings.connectionsPerOrigin + at) / count);
    return new SenderWorker({
      ...settings,
      maxLookups,
      maxConnections: Math.max(1, Math.floor(maxConnections / count)),
      connectionsPerOrigin,
      leaseDeadline: leaseDeadline?.shared,
    });
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
function leastBusy(threads: SenderWorker[]): SenderWorker {
  let found = threads[0]!;
  for (const thread of threads) if (thread.inFlight < found.inFlight) found = thread;
  return found;
}

/**
 * The buffers of answers that are thrown away wait for a collection of the young generation. With as much as V8 takes by
 * itself, floods held 70 MB more, and a firing cost the same.
 */
const YOUNG_MB = 24;

interface PendingRequest {
  request: OutboundRequest;
  resolve: (result: SendResult) => void;
}

class SenderWorker {
  readonly #worker: Worker;
  readonly #permits = new Int32Array(new SharedArrayBuffer(MOST_TICKETS * 4));
  /** By the index of the permit. */
  readonly #pending: (PendingRequest | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  #outgoing: SenderMessage[] = [];
  readonly #parts = new HeldParts(number => this.#outgoing.push(number));
  #sweepScheduled = false;
  readonly #onCancelled = () => this.#sweepSoon();
  #closed: Promise<void> | null = null;
  #onHeldUp = () => {};
  isHeldUp = false;

  constructor(options: Omit<SenderWorkerData, 'permits'>) {
    this.#worker = new Worker(WORKER, {
      workerData: { ...options, permits: this.#permits } satisfies SenderWorkerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on('message', (text: string) => {
      if (text === HELD_UP) return this.#heldUp();
      for (const [index, result] of JSON.parse(text) as ResultMessage) this.#ended(index, result);
    });
  }

  get inFlight(): number {
    return this.#pending.length - this.#freeIndexes.length;
  }

  send(request: OutboundRequest): Promise<SendResult> {
    return new Promise(resolve => {
      const index = this.#freeIndexes.pop() ?? this.#pending.length;
      this.#pending[index] = { request, resolve };
      if (request.permit !== undefined) {
        request.permit.share(this.#permits, index);
        request.permit.onCancelled = this.#onCancelled;
      } else StartPermit.open(this.#permits, index);
      if (this.#outgoing.length === 0) queueMicrotask(() => this.#post());
      const { method, url, headers, body, timeoutMs, clientRowId = 0, ownHeaders = 0 } = request;
      const message: RequestMessage = [
        index,
        method,
        url,
        headers,
        body,
        timeoutMs,
        clientRowId,
        ownHeaders,
      ];
      const { common } = request;
      const rare = rareFieldsOf(request);
      if (common !== undefined) message.push(rare, this.#parts.messageOf(common));
      else if (rare !== null) message.push(rare);
      this.#outgoing.push(message);
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

  #ended(index: number, result: SendResult): void {
    const { request, resolve } = this.#pending[index]!;
    this.#pending[index] = undefined;
    this.#freeIndexes.push(index);
    request.permit?.unshare();
    resolve(result);
  }
}
