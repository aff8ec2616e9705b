/**
 * The store contract, what the queue and the outbox have in common: rows that are due, are claimed by
 * one node, sent, and settled. What holds for all of the contract is said in `store.ts`.
 */
export interface ClaimQueue<Key, Settlement, Held> {
  /**
   * Applies each where the row is still the claimed one: that is the fence. All of one call or nothing.
   *
   * @returns the keys of the rows that were no longer the claimed ones
   */
  settle(settlements: Settlement[]): Promise<Key[]>;
  /** When the earliest row is due, epoch ms, or null. Rows in flight do not count. */
  nextDueAt(): Promise<number | null>;
  /**
   * Keeps rows in flight that this store has claimed and not settled: their engine is alive. To be
   * called well within the lease of a backend that has leases; others need none.
   *
   * @returns the keys of those that are held on and still are as they were; of the others nothing may be sent
   */
  renew(held: Held[]): Promise<Key[]>;
  /**
   * Takes back the rows in flight whose node is gone. Where there is only one engine, these are all rows in
   * flight at its start. Where there are several, these are the rows that were claimed or renewed longer ago
   * than a lease, by the database's clock; each engine asks at its start and then again and again.
   *
   * @param sentUntil rows that were claimed ahead for a later time than this were never sent; epoch ms. Left
   *   out: that is not known
   * @returns how many
   */
  recover(now: number, sentUntil?: number): Promise<number>;
}
