/**
 * The store contract, the part of breakers: what engines note of the hosts that do not answer, so that
 * it can be shown and told. None of it decides about a firing: each engine goes by its own.
 */

/** A breaker of one engine, for one client's requests to one host. */
export interface BreakerRecord {
  /** A UUID: of one opening. */
  id: string;
  clientRowId: number;
  /** Scheme, name and port. */
  origin: string;
  /** The first request that got no answer, epoch ms. */
  since: number;
  openedAt: number;
  /** Absent while it is open. */
  closedAt?: number;
}

export interface BreakerStore {
  /**
   * Notes them as they stand now, known ones anew. One that is not closed counts as open until
   * `openUntil`, or until it is noted again: its engine may be gone.
   */
  note(breakers: BreakerRecord[], openUntil: number): Promise<void>;
  /**
   * Closes, as at `now`, those that were not noted again: their engine is gone.
   *
   * @param openUntil of those that go; `now`, or later where no engine is there that could note one
   */
  closeForgotten(now: number, openUntil: number): Promise<void>;
}
