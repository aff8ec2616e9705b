/** Jobs that are got through within this time are not postponed. */
export const SOON_SECONDS = 5;
/** Slots that become free together find up to this number of jobs that wait for them, whatever ended before. */
const MOST_AT_ONCE = 200;

/**
 * Recent ends: counts the requests that ended in the last seconds, to a host or a destination whose slots were all taken
 * meanwhile. It says how many jobs may find a slot soon.
 */
export class RecentEnds {
  /** By second, the one that is running first. */
  readonly #counts = [0];

  count(): void {
    this.#counts[0]! += 1;
  }

  /**
   * The counts that go on as a second begins.
   *
   * @param ends null where there were none
   * @param isFull whether all slots are taken: there are none where one is free
   * @param isFirst nothing is known of the seconds before
   */
  static beginSecond(
    ends: RecentEnds | null,
    isFull: boolean,
    isFirst: boolean,
  ): RecentEnds | null {
    if (!isFull) return null;
    if (isFirst || ends === null) return new RecentEnds();
    ends.#counts.unshift(0);
    if (ends.#counts.length > SOON_SECONDS + 1) ends.#counts.pop();
    return ends;
  }

  /**
   * Requests that began together end together. So whole rounds of slots are counted, and the round that is in flight is one
   * of them: it may end at any time.
   *
   * @returns Infinity while no second has passed
   */
  mostSoon(slots: number): number {
    const round = Math.min(slots, MOST_AT_ONCE);
    const [, ...counts] = this.#counts;
    const ended = counts.reduce((sum, count) => sum + count, 0);
    return Math.ceil(((ended / round + 1) * SOON_SECONDS) / counts.length) * round;
  }
}
