import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { QueueStore } from '../store/work.ts';
import type { EngineEvents } from './events.ts';
import { Loop } from './loop.ts';
import { Steps } from './steps.ts';

const DAY_MS = 86_400_000;
/** Between two looks: what is older by minutes may stay for minutes. */
const LOOK_EVERY_MS = 10 * 60_000;
/** A bite is followed by a pause of about its length, so that firings have the store in between. */
const ROWS_PER_MS = 100;
/**
 * Between two bites while firings wait for their turn: twenty a second, for a million schedules a minute bring
 * 16,667 runs. No longer where firings are late: behind a host that hangs some wait for hours.
 */
const BEHIND_PAUSE_MS = 30;

/** For how long the clock must have gone on without a step before history is taken away by it. */
const BELIEVED_AFTER_MS = 5 * 60_000;
/** The same where it shows more than a day beyond the step, or beyond the newest record of the store. */
const FAR_BELIEVED_AFTER_MS = DAY_MS;

export interface RetentionOptions {
  store: Pick<Store, 'runs' | 'clients'> & { queue: Pick<QueueStore, 'latest'> };
  clock: Clock;
  events: EngineEvents;
  keep: KeepDays;
  /** Whether firings wait that should have departed. */
  isBehind: () => boolean;
}

/** How long history is kept, in days. */
export interface KeepDays {
  runsDays: number;
  failedRunsDays: number;
}

/**
 * Retention: takes away history that is older than it is kept, and secrets that sign no more. It gives
 * way to firings that wait.
 *
 * Guarantee: a clock that is far ahead for a moment, or for some hours, takes nothing away.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #loop: Loop;
  readonly #steps: Steps;
  /** By the monotonic clock; null: not known yet. */
  #believedAt: number | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
    const { clock, events } = options;
    this.#steps = new Steps(clock.now(), clock.monotonicMs());
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => events.storeFailed(error),
      now => this.#look(now),
    );
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(): Promise<number> {
    const { store, clock, keep, isBehind } = this.#options;
    this.#believedAt ??= await this.#firstBelieved();
    const now = clock.now();
    this.#look(now);
    const leftMs = this.#believedAt - clock.monotonicMs();
    if (leftMs > 0) return now + Math.min(leftMs, LOOK_EVERY_MS);
    await store.clients.forgetOldSecrets(now);
    const count = await store.runs.prune({
      succeededBefore: now - keep.runsDays * DAY_MS,
      failedBefore: now - keep.failedRunsDays * DAY_MS,
    });
    if (count === 0) return clock.now() + LOOK_EVERY_MS;
    return clock.now() + pauseMs(count, isBehind());
  }

  #look(now: number): void {
    const { clock } = this.#options;
    const step = this.#steps.look(now, clock.monotonicMs());
    if (step !== null) this.#believedAt = this.#believed(step.byMs);
  }

  async #firstBelieved(): Promise<number> {
    const now = this.#options.clock.now();
    return this.#believed(now - ((await this.#options.store.queue.latest()) ?? now));
  }

  /** @param aheadMs how far the clock is ahead of what was known before */
  #believed(aheadMs: number): number {
    const afterMs = aheadMs > DAY_MS ? FAR_BELIEVED_AFTER_MS : BELIEVED_AFTER_MS;
    return this.#options.clock.monotonicMs() + afterMs;
  }
}

/** After `count` rows were taken away. */
function pauseMs(count: number, isBehind: boolean): number {
  return isBehind ? BEHIND_PAUSE_MS : Math.ceil(count / ROWS_PER_MS);
}
