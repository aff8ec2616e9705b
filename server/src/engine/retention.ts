import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { EngineEvents } from './events.ts';
import { Loop } from './loop.ts';

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

export interface RetentionOptions {
  store: Pick<Store, 'runs' | 'clients'>;
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
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #loop: Loop;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#loop = new Loop(
      options.clock,
      () => this.#step(),
      error => options.events.storeFailed(error),
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
    const now = clock.now();
    await store.clients.forgetOldSecrets(now);
    const count = await store.runs.prune({
      succeededBefore: now - keep.runsDays * DAY_MS,
      failedBefore: now - keep.failedRunsDays * DAY_MS,
    });
    if (count === 0) return clock.now() + LOOK_EVERY_MS;
    return clock.now() + pauseMs(count, isBehind());
  }
}

/** After `count` rows were taken away. */
function pauseMs(count: number, isBehind: boolean): number {
  return isBehind ? BEHIND_PAUSE_MS : Math.ceil(count / ROWS_PER_MS);
}
