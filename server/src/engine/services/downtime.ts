import type { Unseen, UnseenSpan } from '../../domain/run/unseen.ts';

/** `Cluster.looked` (store/contract/cluster.ts). */
export type AgreeOnDowntime = (awakeSince: number, blindAfterMs: number) => Promise<number>;

/**
 * Downtime detector: finds gaps in which nobody looked at the clock. The process was not started, it was stopped, the
 * machine was suspended, or the clock was set ahead. Times in such a gap passed unseen, and catch-up decides about them.
 *
 * If nodes share the store, a gap counts only if no node looked (`agree`). Times that passed while another node was awake
 * belong to that node, which was merely busy.
 */
export class DowntimeDetector {
  #unseen: Unseen;
  #lookedAt: number;
  #awakeSince: number;
  readonly #onBlind: (from: number, until: number) => void;
  readonly #agree: AgreeOnDowntime | undefined;
  #isAgreed: boolean;
  /** The beginning of the gap that the nodes have not agreed upon yet. */
  #gapFrom: number | null = null;
  #asking: Promise<void> | null = null;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param spans of the past whose cause is known */
  constructor(
    now: number,
    onBlind: (from: number, until: number) => void,
    agree?: AgreeOnDowntime,
    spans: readonly UnseenSpan[] = [],
  ) {
    this.#unseen = { until: now, spans };
    this.#lookedAt = now;
    this.#awakeSince = now;
    this.#onBlind = onBlind;
    this.#agree = agree;
    this.#isAgreed = agree === undefined;
  }

  /** The times that may have passed unseen. If nodes share the store, it holds once `agreed` has resolved. */
  get unseen(): Unseen {
    return this.#unseen;
  }

  get unseenUntil(): number {
    return this.#unseen.until;
  }

  look(now: number): void {
    if (now - this.#lookedAt > BLIND_AFTER_MS) {
      this.#awakeSince = now;
      this.#gapFrom ??= this.#lookedAt;
      if (this.#agree === undefined) this.#settle(now);
      else this.#isAgreed = false;
    }
    // Times that come after the clock was set back are seen.
    if (now < this.#lookedAt) {
      const { until, awake, ...unseen } = this.#unseen;
      this.#unseen = { ...unseen, until: Math.min(until, now), ...(awake && seenBy(awake, now)) };
      this.#awakeSince = Math.min(this.#awakeSince, now);
    }
    this.#lookedAt = now;
    if (this.#agree !== undefined && Math.abs(now - this.#toldAt) >= TELL_EVERY_MS) {
      this.#toldAt = now;
      // If it fails, the next call says the same.
      this.#ask().catch(() => {});
    }
  }

  /** Resolves when it is known whether other nodes looked while this one did not. */
  async agreed(): Promise<void> {
    while (!this.#isAgreed) await this.#ask();
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askOnce(): Promise<void> {
    const awakeSince = this.#awakeSince;
    const unseenUntil = await this.#agree!(awakeSince, BLIND_AFTER_MS);
    // Asleep in between: the answer is of before.
    if (awakeSince === this.#awakeSince && !this.#isAgreed) this.#settle(unseenUntil);
  }

  #settle(unseenUntil: number): void {
    const from = this.unseenUntil;
    this.#unseen = { ...this.#unseen, until: unseenUntil };
    this.#isAgreed = true;
    if (this.#gapFrom !== null && unseenUntil > this.#gapFrom) {
      const awake = [...(this.#unseen.awake ?? []), { from, until: this.#gapFrom }];
      this.#unseen.awake = awake.slice(-AWAKE_KEPT);
      this.#onBlind(this.#gapFrom, unseenUntil);
    }
    this.#gapFrom = null;
  }
}

/** Times that came until then were seen, also where the clock was ahead after that. */
function seenBy(awake: NonNullable<Unseen['awake']>, now: number): Pick<Unseen, 'awake'> {
  const before = awake.filter(({ from }) => from <= now);
  return { awake: before.map(({ from, until }) => ({ from, until: Math.min(until, now) })) };
}

/** Loops look once a second; a busy process may miss a few looks and still be awake. */
const BLIND_AFTER_MS = 5_000;
/** Gaps within one run: a machine that is suspended each night, for the longest that a run awaits. */
const AWAKE_KEPT = 100;
/** How often the other nodes are told that this one is awake: well within `BLIND_AFTER_MS`. */
const TELL_EVERY_MS = 1_000;
