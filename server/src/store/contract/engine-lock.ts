/** The right to be the one engine of an embedded store. */
export interface EngineLock {
  /** What the engine before had claimed ahead for later than this was never sent, epoch ms; null: unknown. */
  readonly sentUntil: number | null;
  /** What is due until then may be sent from here on. */
  noteSentUntil(until: number): void;
  release(): void;
}
