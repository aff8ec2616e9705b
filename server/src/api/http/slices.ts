/**
 * Slices of work that takes more than a moment: one in each turn of the event loop, of all requests
 * together. Were each request to give way by itself, a hundred of them would each have a slice in every
 * turn, and what is due would wait for all of these. Clients have their slices one after the other.
 */
const waiting = new Map<number, (() => void)[]>();
let isScheduled = false;

/** Resolves when the caller may do the next slice of its work, some milliseconds at most. */
export function nextSlice(clientRowId: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ofClient = waiting.get(clientRowId);
  if (ofClient === undefined) waiting.set(clientRowId, [resolve]);
  else ofClient.push(resolve);
  schedule();
  return promise;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    const [clientRowId, resolvers] = waiting.entries().next().value!;
    waiting.delete(clientRowId);
    const [first, ...rest] = resolvers;
    if (rest.length > 0) waiting.set(clientRowId, rest);
    if (waiting.size > 0) schedule();
    first!();
  });
}

/** Whether others are to have their turn, and the wait for the next one of one's own. */
export interface YieldTurn {
  readonly isOver: boolean;
  next(): Promise<void>;
}

/** Firings wait for no more than this while an answer is worked out. */
const SLICE_MS = 4;

/** Work in slices of a few milliseconds, with whatever else waits in between. */
export class Slices implements YieldTurn {
  readonly #clientRowId: number;
  #endsAt = 0;

  constructor(clientRowId: number) {
    this.#clientRowId = clientRowId;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async next(): Promise<void> {
    await nextSlice(this.#clientRowId);
    this.#endsAt = performance.now() + SLICE_MS;
  }
}
