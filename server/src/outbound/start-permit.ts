import type { LeaseDeadline } from './lease-deadline.ts';

/**
 * Start permit: the right to start one request. Either the sender takes it, or the engine cancels
 * it; only one of them succeeds. If the sender works on another thread, both use the same word of
 * shared memory.
 */
export class StartPermit {
  /** Called when it is cancelled: a request that waits for a connection can leave its queue. */
  onCancelled: (() => void) | null = null;
  readonly #leaseDeadline: LeaseDeadline | undefined;
  #state = OPEN;
  #shared: Int32Array | null = null;
  #index = 0;

  /** @param leaseDeadline after it the request neither starts nor leaves */
  constructor(leaseDeadline?: LeaseDeadline) {
    this.#leaseDeadline = leaseDeadline;
  }

  /** Does nothing where the request has started. */
  cancel(): void {
    if (this.#shared !== null) take(this.#shared, this.#index, CANCELLED);
    else if (this.#state === OPEN) this.#state = CANCELLED;
    if (this.isCancelled) this.onCancelled?.();
  }

  /** Its request is not written any more, although it may have started: nobody waits for its answer. */
  abandon(): void {
    if (this.#shared !== null) Atomics.store(this.#shared, this.#index, CANCELLED);
    else this.#state = CANCELLED;
  }

  get isCancelled(): boolean {
    if (this.#shared !== null) return Atomics.load(this.#shared, this.#index) === CANCELLED;
    return this.#state === CANCELLED;
  }

  /** @returns whether the request may start; from then on it can be abandoned, and not cancelled */
  start(): boolean {
    if (this.#leaseDeadline?.isOver) this.cancel();
    if (this.#shared !== null) return take(this.#shared, this.#index, STARTED);
    if (this.#state === OPEN) this.#state = STARTED;
    return this.#state === STARTED;
  }

  /** Once its connection is open: that takes a while, and the lease may have ended. @returns whether the request may be written */
  leave(): boolean {
    if (this.#leaseDeadline?.isOver) this.abandon();
    return !this.isCancelled;
  }

  /** Goes on in `shared`, where another thread sees it, until `unshare`. */
  share(shared: Int32Array, index: number): void {
    Atomics.store(shared, index, this.#state);
    this.#shared = shared;
    this.#index = index;
  }

  unshare(): void {
    this.#state = STARTED;
    this.#shared = null;
    this.onCancelled = null;
  }

  /** For a request that nobody cancels: the request that had this index before may have been cancelled. */
  static open(shared: Int32Array, index: number): void {
    Atomics.store(shared, index, OPEN);
  }

  /** The permit of the same request, on the other thread. */
  static at(shared: Int32Array, index: number, leaseDeadline?: LeaseDeadline): StartPermit {
    const permit = new StartPermit(leaseDeadline);
    permit.#shared = shared;
    permit.#index = index;
    return permit;
  }
}

/** The message to a thread when permits of its requests were cancelled. */
export const SWEEP = 'sweep';

const OPEN = 0;
const STARTED = 1;
const CANCELLED = 2;

/** @returns whether it is `state` now */
function take(shared: Int32Array, index: number, state: number): boolean {
  const was = Atomics.compareExchange(shared, index, OPEN, state);
  return was === OPEN || was === state;
}
