/**
 * The only calls that go up the pipeline: what ended below may have made something due above, or a slot free. A call costs
 * a look, and may come too often.
 */
export interface Wake {
  /** A row of the queue is due at `dueAt` (epoch ms), or now. */
  queue(dueAt?: number): void;
  /** Something in the outbox may be due. */
  outbox(): void;
  /** Slots are free again. */
  room(): void;
}
