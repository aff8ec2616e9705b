import type { Clock } from '../../clock.ts';
import { newId } from '../../domain/id.ts';
import type { BreakerRecord } from '../../store/contract/breakers.ts';
import type { Store } from '../../store/contract/store.ts';
import { Loop } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import type { Breaker } from './breaker.ts';

/** How often an open breaker is noted again, and how long it counts as open without that. */
const NOTE_EVERY_MS = 60_000;
const OPEN_FOR_MS = 3 * NOTE_EVERY_MS;
/** The log forgets a breaker when nothing was due for its host for this long. */
const QUIET_MS = 86_400_000;
/** Most records that wait while the store fails. Beyond, the oldest are dropped. */
const MOST_WAITING = 10_000;

/** A host as one client knows it. */
export interface BrokenHost {
  readonly clientRowId: number;
  readonly origin: string;
  readonly breaker: Breaker;
}

export interface BreakerLogOptions {
  store: Pick<Store, 'breakers' | 'cluster'>;
  clock: Clock;
  observer: Pick<EngineObserver, 'breaker' | 'storeFailed'>;
}

/**
 * Breaker log: writes to the store which hosts do not respond, so that every node can say so.
 *
 * Guarantee: no firing waits for it. It writes each change within a turn of its loop, and notes open breakers again once
 * a minute. While the store fails, it tries again, and the breakers work without it.
 */
export class BreakerLog {
  readonly #options: BreakerLogOptions;
  readonly #loop: Loop;
  /** Open ones, as they are noted. */
  readonly #open = new Map<BrokenHost, BreakerRecord>();
  /** Records to be written, by id. */
  readonly #waiting = new Map<string, BreakerRecord>();
  #isFirst = true;
  #isStopped = false;
  #noteAgainAt = Number.NEGATIVE_INFINITY;

  constructor(options: BreakerLogOptions) {
    this.#options = options;
    const { clock, observer } = options;
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
      undefined,
      NOTE_EVERY_MS,
    );
  }

  start(): void {
    this.#loop.start();
  }

  /** This engine's breakers end with it. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    // A request that outlasts the stop opens no breaker.
    this.#isStopped = true;
    for (const host of [...this.#open.keys()]) this.forgotten(host);
    await this.#write([...this.#waiting.values()]).catch(this.#options.observer.storeFailed);
  }

  opened(host: BrokenHost): void {
    if (this.#isStopped) return;
    const { clientRowId, origin, breaker } = host;
    const openedAt = this.#options.clock.now();
    const record = { id: newId(openedAt), clientRowId, origin, since: breaker.since, openedAt };
    this.#open.set(host, record);
    this.#options.observer.breaker('opened', origin);
    this.#wait(record);
  }

  /** The host answers again. */
  closed(host: BrokenHost): void {
    this.#end(host, 'closed');
  }

  /** Nobody knows whether the host answers again. */
  forgotten(host: BrokenHost): void {
    this.#end(host, 'forgotten');
  }

  #end(host: BrokenHost, change: 'closed' | 'forgotten'): void {
    const { clock, observer } = this.#options;
    const record = this.#open.get(host);
    if (record === undefined) return;
    this.#open.delete(host);
    observer.breaker(change, host.origin);
    this.#wait({ ...record, closedAt: clock.now() });
  }

  #wait(record: BreakerRecord): void {
    this.#waiting.set(record.id, record);
    if (this.#waiting.size > MOST_WAITING) {
      this.#waiting.delete(this.#waiting.keys().next().value!);
    }
    this.#loop.wake();
  }

  async #step(): Promise<number> {
    const { store, clock } = this.#options;
    const now = clock.now();
    // A clock that was set back does not put it off.
    const isTime = now >= this.#noteAgainAt || this.#noteAgainAt - now > NOTE_EVERY_MS;
    if (isTime && (this.#isFirst || store.cluster !== null)) {
      // If there is only one engine, the open breakers of the process before belong to nobody.
      const openUntil = store.cluster === null ? Number.MAX_SAFE_INTEGER : now;
      await store.breakers.closeForgotten(now, openUntil);
      this.#isFirst = false;
    }
    if (isTime) {
      this.#forgetQuiet(now);
      for (const record of this.#open.values()) this.#waiting.set(record.id, record);
    }
    await this.#write([...this.#waiting.values()]);
    if (isTime) this.#noteAgainAt = now + NOTE_EVERY_MS;
    return this.#noteAgainAt;
  }

  #forgetQuiet(now: number): void {
    for (const host of [...this.#open.keys()]) {
      if (now - host.breaker.askedAt < QUIET_MS) continue;
      host.breaker.forget();
      this.forgotten(host);
    }
  }

  async #write(records: BreakerRecord[]): Promise<void> {
    if (records.length === 0) return;
    const { store, clock } = this.#options;
    await store.breakers.note(records, clock.now() + OPEN_FOR_MS);
    for (const record of records) {
      if (this.#waiting.get(record.id) === record) this.#waiting.delete(record.id);
    }
  }
}
