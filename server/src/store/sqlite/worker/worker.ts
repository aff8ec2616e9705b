import { parentPort, workerData } from 'node:worker_threads';
import { loadCalendarsWith } from '../../../domain/calendar/known-calendars.ts';
import { countTimesWith } from '../../../domain/calendar/times.ts';
import { PunctualError } from '../../../domain/errors.ts';
import { openSqlite } from '../open.ts';
import { lowerPriority } from '../thread-priority.ts';
import { BulkCalls } from './bulk.ts';
import type { StoreWorkerData } from './client.ts';
import type { CallFault, CallResult, Parts, StoreCall } from './protocol.ts';

/**
 * The thread that writes: an embedded store of its own, which does what `client.ts` calls.
 *
 * Calls that arrive together run in one turn of this thread's loop, so they share a commit; what can wait
 * makes room for firings (`Bulk`). It gives way to the threads that answer and send: in a burst these would
 * wait for it most, and creates wait for it instead.
 * Those that read are threads of this kind too, and give way as well.
 */
lowerPriority();
const { path, access, level, zones } = workerData as StoreWorkerData;
if (zones !== null) countTimesWith(zones);
const port = parentPort!;
const store = openSqlite(path, access, level);
loadCalendarsWith(store.readVersion);
const { schedules } = store;
const parts: Parts = {
  ...store,
  store,
  schedules: {
    ...schedules,
    insertText: (clientRowId, text, call) =>
      schedules.insertCells(clientRowId, JSON.parse(text), call),
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
  const [, part, method] = call;
  if (part === 'queue') bulk.noteFirings(now);
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

async function carryOut([id, part, method, args]: StoreCall): Promise<void> {
  try {
    const methods = parts[part] as unknown as Methods;
    answer([id, null, await methods[method]!(...args)]);
  } catch (error) {
    answer([id, faultOf(error)]);
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
