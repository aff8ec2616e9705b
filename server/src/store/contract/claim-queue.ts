/**
 * The store contract, the common part of the queue and the outbox: one node claims due rows, sends
 * and settles them. `store.ts` says the rules of the whole contract.
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
   * Takes back the rows in flight whose node is gone. A single engine takes back all rows in flight
   * at its start. With several engines, these are the rows claimed or renewed longer ago than a
   * lease, by the database's clock. Each engine asks at its start and then repeatedly.
   *
   * @param sentUntil rows that were claimed ahead for a later time than this were never sent; epoch
   * ms. Left out: that is not known
   * @returns how many
   */
  recover(now: number, sentUntil?: number): Promise<number>;
}
