import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { EngineEvents } from './events.ts';
import { Loop } from './loop.ts';

const DAY_MS = 86_400_000;
/** Between two looks: what is older by minutes may stay for minutes. */
const LOOK_EVERY_MS = 10 * 60_000;
/** A bite is followed by a pause of its size, so that firings have the store in between. */
const ROWS_PER_MS = 50;

export interface RetentionOptions {
  store: Pick<Store, 'runs' | 'clients'>;
  clock: Clock;
  events: EngineEvents;
  keep: KeepDays;
}

/** How long history is kept, in days. */
export interface KeepDays {
  runsDays: number;
  failedRunsDays: number;
}

/** Retention: takes away history that is older than it is kept, and secrets that sign no more. */
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
    const { store, clock, keep } = this.#options;
    const now = clock.now();
    await store.clients.forgetOldSecrets(now);
    const count = await store.runs.prune({
      succeededBefore: now - keep.runsDays * DAY_MS,
      failedBefore: now - keep.failedRunsDays * DAY_MS,
    });
    return clock.now() + (count > 0 ? Math.ceil(count / ROWS_PER_MS) : LOOK_EVERY_MS);
  }
}
