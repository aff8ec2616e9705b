import { parentPort, workerData } from 'node:worker_threads';
import type { AllowTargets } from '../domain/target.ts';
import { HELD_UP } from './lookups.ts';
import type { SendResult } from './send.ts';
import { createSender } from './sender.ts';
import { SWEEP, Term, Ticket } from './ticket.ts';

/** A thread that sends: a sender of its own, which does what `threads.ts` hands over. */

/** What the thread is given at its start. */
export interface SendingThread {
  allow: AllowTargets;
  connectionsPerOrigin: number;
  maxOrigins: number;
  maxLookups: number;
  /** The tickets of what is handed over. */
  tickets: Int32Array;
  term: Float64Array<SharedArrayBuffer> | undefined;
}

/** A request on its way to the thread; `place` is where its ticket is, and its name. */
export type Handover = [
  place: number,
  method: string,
  url: string,
  headers: string[],
  body: string | null,
  timeoutMs: number,
  clientKey: number,
  ownHeaders: number,
];

/** What comes back, as JSON. */
export type Ended = [place: number, result: SendResult][];

/** Results gather for this long: a message for each would cost more than the result. */
const GATHER_MS = 3;

const { tickets, term: shared, ...options } = workerData as SendingThread;
// Only looked at here: the main thread renews it.
const term = shared && new Term(0, shared);
const port = parentPort!;
const sender = createSender(options);
/** What was handed over since the last were begun; null where the event loop has had its turn since. */
let waiting: Handover[] | null = null;
let ended: Ended = [];

port.on('message', (text: string | null) => {
  if (text === null) void close();
  else if (text === SWEEP) sender.sweep();
  else take(JSON.parse(text) as Handover[]);
});

/** At once, or when the event loop has had a turn: what was begun before is on its way by then. */
function take(handovers: Handover[]): void {
  if (waiting === null) {
    waiting = [];
    for (const handover of handovers) send(handover);
    // The first of the two comes before connections that were just opened are looked at.
    setImmediate(() => setImmediate(takeWaiting));
  } else for (const handover of handovers) waiting.push(handover);
}

function takeWaiting(): void {
  const handovers = waiting ?? [];
  waiting = null;
  if (handovers.length > 0) take(handovers);
}

function send(handover: Handover): void {
  const [place, method, url, headers, body, timeoutMs, clientKey, ownHeaders] = handover;
  const ticket = Ticket.at(tickets, place, term);
  const request = { method, url, headers, ownHeaders, body, timeoutMs, clientKey, ticket };
  sender.dispatch(request, result => {
    if (ended.length === 0) setTimeout(post, GATHER_MS);
    ended.push([place, result]);
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
