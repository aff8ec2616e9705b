import { parentPort, workerData } from 'node:worker_threads';
import { countTimesWith } from '../../../domain/calendar/calendar.ts';
import { PunctualError } from '../../../domain/errors.ts';
import { openSqlite } from '../open.ts';
import { lowerPriority } from '../thread-priority.ts';
import { BulkCalls } from './bulk.ts';
import type { StoreWorkerData } from './client.ts';
import type { CallFault, CallResult, StoreCall } from './protocol.ts';

/**
 * The thread that writes: an embedded store of its own, which does what `client.ts` calls.
 *
 * Calls that arrive together run in one turn of this thread's loop, so they share a commit; what can wait
 * makes room for firings (`Bulk`). It gives way to the threads that answer and send: in a burst these would
 * wait for it most, and creates wait for it instead.
 * Those that read are threads of this kind too, and give way as well.
 */
lowerPriority();
const { path, cacheKb, zones } = workerData as StoreWorkerData;
if (zones !== null) countTimesWith(zones);
const port = parentPort!;
const store = openSqlite(path, cacheKb);
const { schedules } = store;
// New schedules travel as text: that costs a third of what copies of their rows do.
const rooms = {
  ...store,
  schedules: {
    ...schedules,
    insertCells: (clientRowId: number, text: string) =>
      schedules.insertCells(clientRowId, JSON.parse(text)),
  },
};
const bulk = new BulkCalls();
let hasBulk = false;
let answers: CallResult[] = [];

port.on('message', (calls: StoreCall[]) => {
  const now = performance.now();
  for (const call of calls) {
    if (BulkCalls.holds(call)) bulk.add(call);
    else take(call, now);
  }
  if (!hasBulk) takeBulk(now);
});

function take(call: StoreCall, now: number): void {
  const [, room, method] = call;
  if (room === 'queue') bulk.noteFirings(now);
  if (method === 'close') for (const waiting of bulk.takeAll()) void carryOut(waiting);
  void carryOut(call);
}

/** Once a turn: what comes after it has the next, which begins when this one is committed. */
function takeBulk(now: number): void {
  const calls = bulk.take(now);
  for (const call of calls) void carryOut(call);
  hasBulk = calls.length > 0;
  if (hasBulk) setImmediate(() => takeBulk(performance.now()));
}

async function carryOut([id, room, method, args]: StoreCall): Promise<void> {
  try {
    const work = (room === null ? store : rooms[room]) as unknown as Methods;
    answer([id, await work[method]!(...args)]);
  } catch (error) {
    answer([id, undefined, faultOf(error)]);
  }
}

/** Those of one commit leave together. */
function answer(one: CallResult): void {
  if (answers.length === 0) {
    queueMicrotask(() => {
      port.postMessage(answers);
      answers = [];
    });
  }
  answers.push(one);
}

function faultOf(error: unknown): CallFault {
  const { message, cause } = error as Error;
  const code = error instanceof PunctualError ? error.code : null;
  return { code, message, cause: cause instanceof Error ? cause.message : undefined };
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;
