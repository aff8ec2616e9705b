import { parentPort, workerData } from 'node:worker_threads';
import type { AllowTargets } from '../domain/schedule/target.ts';
import { LeaseDeadline } from './lease-deadline.ts';
import { HELD_UP } from './lookups.ts';
import type { SendResult } from './send.ts';
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
];

/** The results on their way back, as JSON. */
export type ResultMessage = [index: number, result: SendResult][];

/** Results gather for this long: a message for each would cost more than the result. */
const GATHER_MS = 3;

const { permits, leaseDeadline: shared, ...options } = workerData as SenderWorkerData;
// Only looked at here: the main thread renews it.
const leaseDeadline = shared && new LeaseDeadline(0, shared);
const port = parentPort!;
const sender = createSender(options);
/** Requests that came since the last ones were begun; null where the event loop has had its turn since. */
let waiting: RequestMessage[] | null = null;
let ended: ResultMessage = [];

port.on('message', (text: string | null) => {
  if (text === null) void close();
  else if (text === SWEEP) sender.sweep();
  else take(JSON.parse(text) as RequestMessage[]);
});

/** At once, or when the event loop has had a turn: requests begun before are on their way by then. */
function take(requests: RequestMessage[]): void {
  if (waiting === null) {
    waiting = [];
    for (const message of requests) send(message);
    // The first of the two comes before connections that were just opened are looked at.
    setImmediate(() => setImmediate(takeWaiting));
  } else for (const message of requests) waiting.push(message);
}

function takeWaiting(): void {
  const requests = waiting ?? [];
  waiting = null;
  if (requests.length > 0) take(requests);
}

function send(message: RequestMessage): void {
  const [index, method, url, headers, body, timeoutMs, clientRowId, ownHeaders] = message;
  const permit = StartPermit.at(permits, index, leaseDeadline);
  const request = { method, url, headers, ownHeaders, body, timeoutMs, clientRowId, permit };
  sender.dispatch(request, result => {
    if (ended.length === 0) setTimeout(post, GATHER_MS);
    ended.push([index, result]);
  });
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
