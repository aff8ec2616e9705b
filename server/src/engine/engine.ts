import type { Clock } from '../clock.ts';
import type { UnseenSpan } from '../domain/run/unseen.ts';
import type { LeaseDeadline } from '../outbound/lease-deadline.ts';
import type { Send } from '../outbound/send.ts';
import type { EngineLock } from '../store/contract/engine-lock.ts';
import type { Store } from '../store/contract/store.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { Outbox } from './delivery/outbox.ts';
import { BreakerLog } from './fairness/breaker-log.ts';
import type { EngineObserver } from './observer.ts';
import { LeaseRenewer } from './services/lease-renewer.ts';
import { Pruner, type RetentionDays } from './services/pruner.ts';
import { Recounter } from './services/recounter.ts';
import { Suspensions } from './services/suspensions.ts';

export interface EngineOptions {
  store: Store;
  send: Send;
  clock: Clock;
  /** 0 to below 1, for the jitter of retries. */
  random: () => number;
  observer: EngineObserver;
  /** Firings whose time has come and that are not settled yet, at most. */
  maxInFlight: number;
  /** Of these to one host, for one client. */
  maxInFlightPerHost: number;
  retention: RetentionDays;
  /** Where the store is shared: how long this node holds what it has claimed. */
  leaseDeadline?: LeaseDeadline | undefined;
  /** Where the store is this engine's alone. */
  lock?: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null;
  /** Spans before its start in which nothing fired, and why: the reason of times that are missed. */
  unseenSpans?: readonly UnseenSpan[] | undefined;
}

/** Where nodes share a store: a change made by one is seen by the others within this time. */
const POLL_MS = 500;

/** Callbacks and manual runs in flight, at most. */
const MAX_OUTBOX_IN_FLIGHT = 200;

/**
 * The engine: makes due things happen. The only one on an embedded store (the service holds the
 * lock): what stands in flight at its start was cut off with the process before, and is sent again
 * first. Where nodes share the store, that is what nobody holds any more (`LeaseRenewer`).
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #dispatcher: Dispatcher;
  readonly #outbox: Outbox;
  readonly #leaseRenewer: LeaseRenewer | null;
  readonly #pruner: Pruner;
  readonly #recounter: Recounter;
  readonly #breakers: BreakerLog;
  readonly #suspensions: Suspensions;
  #started = false;
  #stopped: Promise<void> | null = null;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { store, maxInFlight, ...rest } = options;
    this.#breakers = new BreakerLog({ ...rest, store });
    const shared = {
      ...rest,
      breakers: this.#breakers,
      leaseDeadline: options.leaseDeadline,
      lock: options.lock,
      pollMs: store.cluster ? POLL_MS : undefined,
    };
    this.#recounter = new Recounter({
      ...rest,
      queue: store.queue,
      outbox: store.outbox,
      moved: dueAt => this.#dispatcher.wake(dueAt),
      putForward: () => this.#outbox.wake(),
    });
    this.#suspensions = new Suspensions({
      ...rest,
      suspensions: store.suspensions,
      suspended: clientRowId => this.#callBackClient(clientRowId),
      readmitted: dueAt => {
        if (dueAt !== null) this.#dispatcher.wake(dueAt);
        this.#outbox.wake();
      },
    });
    this.#dispatcher = new Dispatcher({
      ...shared,
      suspensions: this.#suspensions,
      queue: store.queue,
      agree: store.cluster?.looked,
      unseenSpans: options.unseenSpans,
      maxInFlight,
      recounter: this.#recounter,
      setBack: () => this.#outbox.cancelAll(),
      settled: () => this.#outbox.wake(),
    });
    this.#outbox = new Outbox({
      ...shared,
      suspensions: this.#suspensions,
      outbox: store.outbox,
      maxInFlight: MAX_OUTBOX_IN_FLIGHT,
      settled: () => this.#dispatcher.wake(),
    });
    this.#leaseRenewer = this.#newTenure();
    this.#pruner = new Pruner({ ...rest, store, isBehind: () => this.#dispatcher.isBehind });
  }

  get inFlight(): number {
    return this.#dispatcher.inFlight + this.#outbox.inFlight;
  }

  /** From its start to the moment that it is asked to stop. */
  get isRunning(): boolean {
    return this.#started && this.#stopped === null;
  }

  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    const { store, clock } = this.#options;
    await store.queue.recover(clock.now(), this.#options.lock?.sentUntil ?? undefined);
    await store.outbox.recover(clock.now());
    await this.#recounter.start();
    await this.#suspensions.start();
    this.#leaseRenewer?.start();
    this.#outbox.start();
    this.#dispatcher.start();
    this.#pruner.start();
    this.#breakers.start();
  }

  /** A schedule was written and is due at `dueAt` (epoch ms). */
  wake(dueAt: number): void {
    this.#dispatcher.wake(dueAt);
  }

  /** A manual run of the schedule was put into the outbox. */
  wakeOutbox(scheduleId: string): void {
    this.#dispatcher.yieldToManualRun(scheduleId);
    this.#outbox.wake();
  }

  /** A schedule was changed: no request starts from here on but as it now says. */
  changed(scheduleId: string, changedAt: number): void {
    this.#dispatcher.cancelSchedule(scheduleId);
    this.#outbox.cancelSchedule(scheduleId);
    this.#dispatcher.wake(changedAt);
    this.#outbox.wake();
  }

  /** A client's secret was rotated, or an overlap ended: no request starts signed as before. */
  rotated(clientRowId: number): void {
    this.#callBackClient(clientRowId);
  }

  /** What has not started is claimed anew. */
  #callBackClient(clientRowId: number): void {
    this.#dispatcher.cancelClient(clientRowId);
    this.#outbox.cancelClient(clientRowId);
    this.#dispatcher.wake();
    this.#outbox.wake();
  }

  /**
   * No new schedule; those in flight finish, up to `limitMs`; everything settled. What is still in
   * flight then is abandoned: the next start sends it again, under the same id. Idempotent.
   */
  stop(limitMs: number): Promise<void> {
    this.#stopped ??= this.#stop(limitMs);
    return this.#stopped;
  }

  async #stop(limitMs: number): Promise<void> {
    const { clock } = this.#options;
    const ended = Promise.all([
      this.#dispatcher.stop(),
      this.#outbox.stop(),
      this.#pruner.stop(),
      this.#recounter.stop(),
      this.#suspensions.stop(),
      this.#breakers.stop(),
    ]);
    let timer: { cancel(): void } | undefined;
    const limit = new Promise<void>(resolve => {
      timer = clock.after(limitMs, resolve);
    });
    await Promise.race([ended, limit]);
    timer?.cancel();
    this.#dispatcher.abandon();
    this.#outbox.abandon();
    await this.#leaseRenewer?.stop();
  }

  #newTenure(): LeaseRenewer | null {
    const { store, leaseDeadline, clock, observer } = this.#options;
    if (store.cluster === null || leaseDeadline === undefined) return null;
    return new LeaseRenewer({
      store,
      leaseMs: store.cluster.leaseMs,
      leaseDeadline,
      clock,
      observer,
      renew: claimedBefore =>
        Promise.all([this.#dispatcher.renew(claimedBefore), this.#outbox.renew()]),
      recovered: () => {
        this.#dispatcher.wake();
        this.#outbox.wake();
      },
    });
  }
}
