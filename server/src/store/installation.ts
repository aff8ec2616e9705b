/** What holds for all nodes on a store. */
export interface InstallationStore {
  /** Since when nothing shall fire, epoch ms; null: it shall. */
  pausedSince(): Promise<number | null>;
  /** From `now` on nothing shall fire. @returns since when, where that was said before */
  pause(now: number): Promise<number>;
  /** @returns false where it was not paused */
  resume(): Promise<boolean>;
}
