import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, PunctualError } from '../../domain/errors.ts';
import { giveWay } from './give-way.ts';
import { openSqlite } from './open.ts';

/** One call to the thread that writes, or to one of those that read. Arrays cross at half of what objects cost. */
export type Call = [
  id: number,
  /** Null: the store itself. */
  room: 'clients' | 'schedules' | 'runs' | 'queue' | 'outbox' | 'figures' | 'breakers' | null,
  method: string,
  args: unknown[],
];

export type Answer = [id: number, value: unknown, fault?: Fault];

export interface Fault {
  code: ErrorCode | null;
  message: string;
  cause: string | undefined;
}

/**
 * The thread that writes: an embedded store of its own, which does what `threaded.ts` calls.
 *
 * Calls that arrive together run in one turn of this thread's loop, so they share a commit. It gives way to
 * the threads that answer and send: in a burst these would wait for it most, and creates wait for it instead.
 * Those that read are threads of this kind too, and give way as well.
 */
giveWay();
const { path, cacheKb } = workerData as { path: string; cacheKb?: number };
const port = parentPort!;
const store = openSqlite(path, cacheKb);
const { schedules } = store;
// New schedules travel as text: that costs a third of what copies of their rows do.
const rooms = {
  ...store,
  schedules: {
    ...schedules,
    insertCells: (clientKey: number, text: string) =>
      schedules.insertCells(clientKey, JSON.parse(text)),
  },
};
let answers: Answer[] = [];

port.on('message', (calls: Call[]) => {
  for (const call of calls) void carryOut(call);
});

async function carryOut([id, room, method, args]: Call): Promise<void> {
  try {
    const work = (room === null ? store : rooms[room]) as unknown as Methods;
    answer([id, await work[method]!(...args)]);
  } catch (error) {
    answer([id, undefined, faultOf(error)]);
  }
}

/** Those of one commit leave together. */
function answer(one: Answer): void {
  if (answers.length === 0) {
    queueMicrotask(() => {
      port.postMessage(answers);
      answers = [];
    });
  }
  answers.push(one);
}

function faultOf(error: unknown): Fault {
  const { message, cause } = error as Error;
  const code = error instanceof PunctualError ? error.code : null;
  return { code, message, cause: cause instanceof Error ? cause.message : undefined };
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;
