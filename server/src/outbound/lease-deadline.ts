/**
 * Lease deadline: until when this node holds its claims, shared by all of its threads. A node that froze and wakes late
 * starts nothing after it, because other nodes may have taken its claims over.
 */
export class LeaseDeadline {
  readonly shared: Float64Array<SharedArrayBuffer>;
  readonly #lengthMs: number;

  /** @param lengthMs how long this node relies on a claim or a renewal */
  constructor(lengthMs: number, shared = new Float64Array(new SharedArrayBuffer(8))) {
    this.#lengthMs = lengthMs;
    this.shared = shared;
  }

  get isOver(): boolean {
    return monotonicMs() >= this.shared[0]!;
  }

  /** Whether claims that were asked for then (`monotonicMs`) may no longer be this node's. */
  isOverSince(askedAt: number): boolean {
    return monotonicMs() >= askedAt + this.#lengthMs;
  }

  /** All claims were renewed, asked for then (`monotonicMs`). */
  renewed(askedAt: number): void {
    this.shared[0] = askedAt + this.#lengthMs;
  }
}

/** One scale for all threads of the process, which nobody sets. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now();
}
