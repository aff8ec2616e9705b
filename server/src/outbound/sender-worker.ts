import { parentPort, workerData } from 'node:worker_threads';
import type { AllowTargets } from '../domain/schedule/target.ts';
import type { PartMessage } from './held-parts.ts';
import { LeaseDeadline } from './lease-deadline.ts';
import { HELD_UP } from './lookups.ts';
import type { CommonPart, RareFields, SendResult } from './send.ts';
import { createSender, type SenderSettings } from './sender.ts';
import { StartPermit, SWEEP } from './start-permit.ts';

/** A thread that sends: it has a sender of its own, for the requests of `sender-pool.ts`. */

/** The data that the thread is started with. */
export interface SenderWorkerData extends SenderSettings {
  allow: AllowTargets;
  /** The permits of the requests. */
  permits: Int32Array;
  leaseDeadline: Float64Array<SharedArrayBuffer> | undefined;
}

/** A request on its way to the thread, known by the index of its permit. */
export type RequestMessage = [
  index: number,
  method: string,
  url: string,
  headers: string[],
  body: string | null,
  timeoutMs: number,
  clientRowId: number,
  ownHeaders: number,
  rare?: RareFields | null,
  common?: PartMessage,
];

/** A message to the thread; the number of a part is one that it forgets. */
export type SenderMessage = RequestMessage | number;

/** The results on their way back, as JSON. */
export type ResultMessage = [index: number, result: SendResult][];

/** Results gather for this long: a message for each would cost more than the result. */
const GATHER_MS = 3;

const { permits, leaseDeadline: shared, ...options } = workerData as SenderWorkerData;
// Only looked at here: the main thread renews it.
const leaseDeadline = shared && new LeaseDeadline(0, shared);
const port = parentPort!;
const sender = createSender(options);
/** The parts that the thread holds, by their numbers. */
const parts = new Map<number, CommonPart>();
/** Requests that came since the last ones were begun; null where the event loop has had its turn since. */
let waiting: SenderMessage[] | null = null;
let ended: ResultMessage = [];

port.on('message', (text: string | null) => {
  if (text === null) void close();
  else if (text === SWEEP) sender.sweep();
  else take(JSON.parse(text) as SenderMessage[]);
});

/** At once, or when the event loop has had a turn: requests begun before are on their way by then. */
function take(messages: SenderMessage[]): void {
  if (waiting === null) {
    waiting = [];
    for (const message of messages) {
      if (typeof message === 'number') parts.delete(message);
      else send(message);
    }
    // The first of the two comes before connections that were just opened are looked at.
    setImmediate(() => setImmediate(takeWaiting));
  } else for (const message of messages) waiting.push(message);
}

function takeWaiting(): void {
  const messages = waiting ?? [];
  waiting = null;
  if (messages.length > 0) take(messages);
}

function send(message: RequestMessage): void {
  const [index, method, url, headers, body, timeoutMs, clientRowId, ownHeaders, rare, common] =
    message;
  const permit = StartPermit.at(permits, index, leaseDeadline);
  const plain = { method, url, headers, ownHeaders, body, timeoutMs, clientRowId, permit };
  const request =
    rare === undefined ? plain : { ...plain, ...rare, ...(common && { common: partOf(common) }) };
  sender.dispatch(request, result => {
    if (ended.length === 0) setTimeout(post, GATHER_MS);
    ended.push([index, result]);
  });
}

/** Messages come in order, so the part of a number is there. Nothing may be sent without it. */
function partOf(message: PartMessage): CommonPart {
  if (typeof message === 'number') {
    const known = parts.get(message);
    if (known === undefined) throw new Error('a part of a request is not there');
    return known;
  }
  const [number, part] = message;
  parts.set(number, part);
  return part;
}

function post(): void {
  if (ended.length === 0) return;
  port.postMessage(JSON.stringify(ended));
  ended = [];
}

async function close(): Promise<void> {
  takeWaiting();
  await sender.close();
  post();
  if (sender.isHeldUp) port.postMessage(HELD_UP);
  port.close();
}
