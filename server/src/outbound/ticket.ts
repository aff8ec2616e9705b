/**
 * The right to start one request: taken once, by the sender that starts it, or by the engine that
 * calls it back. Where the sender works on another thread, both ask the same place in memory.
 */
export class Ticket {
  /** Told when it is called back: who waits with it need wait no longer. */
  onCancelled: (() => void) | null = null;
  readonly #term: Term | undefined;
  #state = OPEN;
  #shared: Int32Array | null = null;
  #place = 0;

  /** @param term after its end, the request does not start any more */
  constructor(term?: Term) {
    this.#term = term;
  }

  /** Called back. Does nothing where the request has started. */
  cancel(): void {
    if (this.#shared !== null) take(this.#shared, this.#place, CANCELLED);
    else if (this.#state === OPEN) this.#state = CANCELLED;
    if (this.isCancelled) this.onCancelled?.();
  }

  get isCancelled(): boolean {
    if (this.#shared !== null) return Atomics.load(this.#shared, this.#place) === CANCELLED;
    return this.#state === CANCELLED;
  }

  /** @returns whether the request may start; from then on it cannot be called back */
  start(): boolean {
    if (this.#term?.isOver) this.cancel();
    if (this.#shared !== null) return take(this.#shared, this.#place, STARTED);
    if (this.#state === OPEN) this.#state = STARTED;
    return this.#state === STARTED;
  }

  /** Goes on in `shared`, where another thread sees it, until `unshare`. */
  share(shared: Int32Array, place: number): void {
    Atomics.store(shared, place, this.#state);
    this.#shared = shared;
    this.#place = place;
  }

  unshare(): void {
    this.#state = STARTED;
    this.#shared = null;
    this.onCancelled = null;
  }

  /** For a request that nobody calls back: whoever had the place before may have been. */
  static open(shared: Int32Array, place: number): void {
    Atomics.store(shared, place, OPEN);
  }

  /** The same ticket, seen from the other thread. */
  static at(shared: Int32Array, place: number, term?: Term): Ticket {
    const ticket = new Ticket(term);
    ticket.#shared = shared;
    ticket.#place = place;
    return ticket;
  }
}

/**
 * How long this node holds what it has claimed, seen by all of its threads. A node that froze and
 * wakes late starts nothing that others have taken over in the meantime, before it has looked.
 */
export class Term {
  readonly shared: Float64Array<SharedArrayBuffer>;
  readonly #lengthMs: number;

  /** @param lengthMs how long this node counts on what it has claimed or renewed */
  constructor(lengthMs: number, shared = new Float64Array(new SharedArrayBuffer(8))) {
    this.#lengthMs = lengthMs;
    this.shared = shared;
  }

  get isOver(): boolean {
    return monotonicMs() >= this.shared[0]!;
  }

  /** Whether what was asked for then (`monotonicMs`) is no longer held for certain. */
  isOverSince(askedAt: number): boolean {
    return monotonicMs() >= askedAt + this.#lengthMs;
  }

  /** All that is held was renewed, asked for then (`monotonicMs`). */
  renewed(askedAt: number): void {
    this.shared[0] = askedAt + this.#lengthMs;
  }
}

/** One scale for all threads of the process, which nobody sets. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now();
}

/** What a thread is told instead of requests, when tickets of its requests were cancelled. */
export const SWEEP = 'sweep';

const OPEN = 0;
const STARTED = 1;
const CANCELLED = 2;

/** @returns whether it is `state` now */
function take(shared: Int32Array, place: number, state: number): boolean {
  const was = Atomics.compareExchange(shared, place, OPEN, state);
  return was === OPEN || was === state;
}
