/** The right to be the one engine of an embedded store. */
export interface EngineLock {
  /**
   * Rows that the previous engine claimed ahead for later than this were never sent, epoch ms;
   * null: unknown.
   */
  readonly sentUntil: number | null;
  /** From now on the engine may send rows due until then. */
  noteSentUntil(until: number): void;
  release(): void;
}
