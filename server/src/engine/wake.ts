/**
 * The only calls that go up the pipeline: what ended below may have made something due above, or a slot free. A call costs
 * a look, and may come too often.
 */
export interface Wake {
  /** A row of the queue is due at `dueAt` (epoch ms), or now. */
  queue(dueAt?: number): void;
  /** Something in the outbox is due, or is likely to be. */
  outbox(): void;
  /** Runs of times have ended: a callback may be due, or a manual run may have its turn. Mostly there is none. */
  runsEnded(): void;
  /** Slots are free again. */
  room(): void;
}
