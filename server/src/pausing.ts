import type { Logger } from 'pino';
import type { EnginePort } from './api/deps.ts';
import type { Pause } from './domain/run/unseen.ts';
import type { Engine } from './engine/engine.ts';

import type { EngineLock } from './store/contract/engine-lock.ts';
import type { Store } from './store/contract/store.ts';

/** How often a node asks whether it shall fire: well within the 5 s that `punctual pause` promises. */
const ASK_EVERY_MS = 1_000;

export const PAUSED = 'paused: nothing fires until "punctual resume"';
export const PAUSED_BY_SETTING = 'paused by PUNCTUAL_PAUSED: this node fires nothing';

export interface PausingOptions {
  /**
   * @param isFirst of this process
   * @param pauses that ended before, in order
   */
  make: (isFirst: boolean, pauses: Pause[]) => Engine;
  /** Since when nothing shall fire, epoch ms; null: it shall. */
  pausedSince: () => Promise<number | null>;
  installation: Pick<Store['installation'], 'pauses'>;
  /** The log line of a pause. */
  paused: string;
  stopMs: number;
  log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * An engine that stops while the store says so, and begins anew when it no longer does.
 *
 * Guarantee: a pause is like a stop and a start. Requests in flight have its time to end, waiting runs are given
 * back, and the times that pass in the meantime are unseen: `catchUpSeconds` decides about them.
 */
export class PausableEngine implements EnginePort {
  readonly #options: PausingOptions;
  #engine: Engine | null = null;
  /** No engine of this process has started. */
  #isFirst = true;
  #isPaused = false;
  #stopping = false;
  /** Null during the start. */
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: PausingOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#engine?.inFlight ?? 0;
  }

  get waitingForDestinations(): number {
    return this.#engine?.waitingForDestinations ?? 0;
  }

  get isRunning(): boolean {
    return this.#engine?.isRunning ?? false;
  }

  get hasStarted(): boolean {
    return !this.#isFirst;
  }

  async start(): Promise<void> {
    const first = this.#look();
    // Its fault is told by the start alone.
    this.#looking = first.catch(() => {});
    await first;
    this.#askAgain();
  }

  async stop(limitMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // A resume that is under way waits for what is in flight itself, as long as this would.
    await this.#looking;
    await this.#engine?.stop(limitMs);
  }

  wake(dueAt: number): void {
    this.#engine?.wake(dueAt);
  }

  changed(scheduleId: string, changedAt: number): void {
    this.#engine?.changed(scheduleId, changedAt);
  }

  wakeOutbox(scheduleId: string): void {
    this.#engine?.wakeOutbox(scheduleId);
  }

  rotated(clientRowId: number): void {
    this.#engine?.rotated(clientRowId);
  }

  calendarsChanged(): void {
    this.#engine?.calendarsChanged();
  }

  #askAgain(): void {
    if (this.#stopping) return;
    this.#timer = setTimeout(() => {
      // A store that does not answer changes nothing: the engine tells of it.
      this.#looking = this.#look().catch(() => {});
      void this.#looking.then(() => this.#askAgain());
    }, ASK_EVERY_MS);
  }

  async #look(): Promise<void> {
    const since = await this.#options.pausedSince();
    if (this.#stopping) return;
    if (since !== null) this.#pause(since);
    else if (this.#isPaused || this.#engine === null) await this.#goOn();
  }

  /** Requests in flight have all the time of the pause to end. */
  #pause(since: number): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#options.log.warn({ since: new Date(since).toISOString() }, this.#options.paused);
    void this.#engine?.stop();
  }

  /** A request in flight since before the pause holds up the resume no longer than it would hold up a stop. */
  async #goOn(): Promise<void> {
    const { stopMs, log, make, installation, pausedSince } = this.#options;
    if (this.#engine !== null) {
      await this.#engine.stop(stopMs);
      this.#engine = null;
      // Another pause may have begun while that took its time.
      if ((await pausedSince()) !== null) return;
    }
    const pauses = await installation.pauses();
    if (this.#stopping) return;
    if (this.#isPaused) log.warn('resumed: schedules fire again');
    this.#isPaused = false;
    this.#engine = await this.#begin(make(this.#isFirst, pauses));
    this.#isFirst = false;
  }

  /** @throws what the start has thrown: the next look begins with another engine */
  async #begin(engine: Engine): Promise<Engine> {
    try {
      await engine.start();
      return engine;
    } catch (error) {
      // The first one is a part of the start, which says why it ends or waits.
      if (this.#timer !== null) this.#options.log.error({ err: error }, 'the engine did not start');
      await engine.stop(0);
      throw error;
    }
  }
}

/** The state of the engine before this process concerns only the first engine of this process. */
export function lockOf(isFirst: boolean, lock: EngineLock | null): EngineLock | null {
  if (isFirst || lock === null) return lock;
  return {
    sentUntil: null,
    noteSentUntil: until => lock.noteSentUntil(until),
    release: () => lock.release(),
  };
}
