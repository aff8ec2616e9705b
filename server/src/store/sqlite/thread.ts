import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, PunctualError } from '../../domain/errors.ts';
import { openSqlite } from './open.ts';

/** One call to the thread that writes, or to the one that counts. */
export interface Call {
  id: number;
  /** Null: the store itself. */
  room: 'clients' | 'schedules' | 'runs' | 'queue' | 'outbox' | 'figures' | null;
  method: string;
  args: unknown[];
}

export interface Answer {
  id: number;
  value?: unknown;
  error?: { code: ErrorCode | null; message: string; cause: string | undefined } | undefined;
}

/**
 * The thread that writes: an embedded store of its own, which does what `threaded.ts` calls.
 *
 * Calls that arrive together run in one turn of this thread's loop, so they share a commit.
 */
const { path, cacheKb } = workerData as { path: string; cacheKb?: number };
const port = parentPort!;
const store = openSqlite(path, cacheKb);
const { queue } = store;
// What every firing takes along travels as text: flat rows cost a third of what their copies do.
const inText = {
  settleCells: (text: string) => queue.settleCells(JSON.parse(text)),
};
const rooms = { ...store, queue: { ...queue, ...inText } };
let answers: Answer[] = [];

port.on('message', (calls: Call[]) => {
  for (const call of calls) void carryOut(call);
});

async function carryOut({ id, room, method, args }: Call): Promise<void> {
  try {
    const work = (room === null ? store : rooms[room]) as unknown as Methods;
    answer({ id, value: await work[method]!(...args) });
  } catch (error) {
    answer({ id, error: faultOf(error) });
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

function faultOf(error: unknown): Answer['error'] {
  const { message, cause } = error as Error;
  const code = error instanceof PunctualError ? error.code : null;
  return { code, message, cause: cause instanceof Error ? cause.message : undefined };
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;
