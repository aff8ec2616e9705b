import type { EngineLock } from '../store/store.ts';

/**
 * The mark: until when what was due is being sent, said before it is. What is due later was never sent, if
 * the process ends. Only where the store is this engine's alone.
 */
export class Mark {
  readonly #lock: Pick<EngineLock, 'sentUntil' | 'mark'> | null | undefined;
  #isFirst = true;
  /** Not lowered while anything may be in flight: what is late departs after what is not, and a clock may be set back. */
  #until: number;

  constructor(lock: Pick<EngineLock, 'sentUntil' | 'mark'> | null | undefined) {
    this.#lock = lock;
    this.#until = lock?.sentUntil ?? Number.NEGATIVE_INFINITY;
  }

  /** @throws where it cannot be said: then nothing may be sent */
  raise(departing: { dueAt: number }[], now: number): void {
    const latest = departing.reduce((until, { dueAt }) => Math.max(until, dueAt), 0);
    // What the clock was set back for stays, and is not sent now.
    const until = Math.min(latest, now);
    // Nothing was in flight at the start: what a clock that was ahead then has said is of no use any more.
    if (this.#isFirst) this.#until = Math.min(this.#until, now);
    this.#isFirst = false;
    if (until <= this.#until) return;
    this.#lock?.mark(until);
    this.#until = until;
  }
}
