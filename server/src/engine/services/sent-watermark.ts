import type { EngineLock } from '../../store/contract/engine-lock.ts';

/**
 * Sent watermark: the latest instant whose runs may have been sent, recorded before they are. If the process ends, runs
 * due later were never sent. It is used only where the store belongs to one engine.
 */
export class SentWatermark {
  readonly #lock: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null | undefined;
  #isFirst = true;
  /** Never lowered while requests may be in flight: late runs start after punctual ones, and a clock may be set back. */
  #until: number;

  constructor(lock: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null | undefined) {
    this.#lock = lock;
    this.#until = lock?.sentUntil ?? Number.NEGATIVE_INFINITY;
  }

  /** @throws where it cannot be recorded: then nothing may be sent */
  raise(starting: { dueAt: number }[], now: number): void {
    // A batch of callbacks says nothing about runs.
    if (starting.length === 0) return;
    const latest = starting.reduce((until, { dueAt }) => Math.max(until, dueAt), 0);
    // Runs that the clock was set back behind are not sent now.
    const until = Math.min(latest, now);
    // Nothing was in flight at the start: a watermark of a clock that was ahead then is of no use.
    if (this.#isFirst) this.#until = Math.min(this.#until, now);
    this.#isFirst = false;
    if (until <= this.#until) return;
    this.#lock?.noteSentUntil(until);
    this.#until = until;
  }
}
