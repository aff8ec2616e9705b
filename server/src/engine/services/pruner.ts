import type { Clock } from '../../clock.ts';
import { IDEMPOTENCY_KEPT_MS } from '../../domain/idempotency.ts';
import { COMPLETIONS_KEPT_MS } from '../../domain/run/completion.ts';
import type { QueueStore } from '../../store/contract/queue.ts';
import type { Store } from '../../store/contract/store.ts';
import { Loop } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import { ClockSteps } from './clock-steps.ts';

const DAY_MS = 86_400_000;
/** Between two looks. History may stay some minutes longer than it must. */
const LOOK_EVERY_MS = 10 * 60_000;
/** After each batch the pruner pauses for about as long as it took, so that runs reach the store in between. */
const ROWS_PER_MS = 100;
/**
 * Between two bites while firings wait for their turn: twenty a second, for a million schedules a minute bring
 * 16,667 runs. No longer where firings are late: behind a host that hangs some wait for hours.
 */
const BEHIND_PAUSE_MS = 30;

/** For how long the clock must have gone on without a step before history is taken away by it. */
const BELIEVED_AFTER_MS = 5 * 60_000;
/** The same where it shows more than a day beyond the step, or beyond the clock that was believed before the start. */
const FAR_BELIEVED_AFTER_MS = DAY_MS;

export interface PrunerOptions {
  store: Pick<Store, 'runs' | 'clients' | 'idempotency' | 'calendars' | 'completions'> & {
    queue: Pick<QueueStore, 'latest'>;
    installation: Pick<Store['installation'], 'believedClock' | 'noteBelievedClock'>;
  };
  clock: Clock;
  observer: EngineObserver;
  retention: RetentionDays;
  /** Whether runs are due and were not sent yet. */
  isBehind: () => boolean;
}

/** How long history is kept, in days. */
export interface RetentionDays {
  runsDays: number;
  failedRunsDays: number;
}

/**
 * Pruner: deletes history and replaced versions of calendars beyond their retention, calls with an Idempotency-Key after a
 * day, completions after eight, and old signing secrets. It gives way to runs that are due.
 *
 * Guarantee: a clock that is far ahead for a moment, or for some hours, deletes nothing, also across restarts.
 */
export class Pruner {
  readonly #options: PrunerOptions;
  readonly #loop: Loop;
  readonly #steps: ClockSteps;
  /** By the monotonic clock; null: not known yet. */
  #believedAt: number | null = null;
  /** The clock that the store has noted as believed last. */
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PrunerOptions) {
    this.#options = options;
    const { clock, observer } = options;
    this.#steps = new ClockSteps(clock.now(), clock.monotonicMs());
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
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
    const { store, clock, retention: keep, isBehind } = this.#options;
    this.#believedAt ??= await this.#firstBelieved();
    const now = clock.now();
    this.#look(now);
    // A part of a ms is lost beside an instant: then it would be due at once, again and again.
    const leftMs = Math.ceil(this.#believedAt - clock.monotonicMs());
    if (leftMs > 0) return now + Math.min(leftMs, LOOK_EVERY_MS);
    await this.#noteBelieved(now);
    await store.clients.forgetOldSecrets(now);
    const calls = await store.idempotency.prune(now - IDEMPOTENCY_KEPT_MS);
    const runs = await store.runs.prune({
      succeededBefore: now - keep.runsDays * DAY_MS,
      failedBefore: now - keep.failedRunsDays * DAY_MS,
    });
    const versions = await store.calendars.prune(now - keep.failedRunsDays * DAY_MS);
    const said = await store.completions.prune(now - COMPLETIONS_KEPT_MS);
    const count = calls + runs + versions + said;
    if (count === 0) return clock.now() + LOOK_EVERY_MS;
    return clock.now() + pauseMs(count, isBehind());
  }

  #look(now: number): void {
    const { clock } = this.#options;
    const step = this.#steps.look(now, clock.monotonicMs());
    if (step !== null) this.#believedAt = this.#believed(step.byMs);
  }

  /** The newest record says little: what fired by a clock that was ahead is one. It is asked where nothing was noted yet. */
  async #firstBelieved(): Promise<number> {
    const { clock, store } = this.#options;
    const now = clock.now();
    const known = (await store.installation.believedClock()) ?? (await store.queue.latest());
    return this.#believed(now - (known ?? now));
  }

  /** One write for each look. */
  async #noteBelieved(now: number): Promise<void> {
    if (Math.abs(now - this.#notedAt) < LOOK_EVERY_MS) return;
    await this.#options.store.installation.noteBelievedClock(now);
    this.#notedAt = now;
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
