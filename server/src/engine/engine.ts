import type { Clock } from '../clock.ts';
import type { UnseenSpan } from '../domain/run/unseen.ts';
import type { FetchText } from '../outbound/fetch-text.ts';
import type { LeaseDeadline } from '../outbound/lease-deadline.ts';
import type { Send } from '../outbound/send.ts';
import type { EngineLock } from '../store/contract/engine-lock.ts';
import type { Store } from '../store/contract/store.ts';
import { CalendarReader, type Expand } from './calendar-reader.ts';
import { Completer } from './delivery/completer.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { Executor } from './delivery/executor.ts';
import { type CompletionUrlOf, isAhead } from './delivery/job.ts';
import { Outbox } from './delivery/outbox.ts';
import { forgetSkipped } from './delivery/taken-back.ts';
import { BreakerLog } from './fairness/breaker-log.ts';
import { ConcurrencyLimits, type ConcurrencySettings } from './fairness/concurrency.ts';
import { Throttles } from './fairness/throttles.ts';
import { Identities } from './identity/identities.ts';
import { tokenSigner } from './identity/issuer.ts';
import type { EngineObserver } from './observer.ts';
import { CalendarRecounter } from './services/calendar-recounter.ts';
import { CalendarRefresher } from './services/calendar-refresher.ts';
import { ClockWatch } from './services/clock-watch.ts';
import { DowntimeDetector } from './services/downtime.ts';
import { LeaseRenewer } from './services/lease-renewer.ts';
import { Pruner, type RetentionDays } from './services/pruner.ts';
import { Recounter } from './services/recounter.ts';
import { Suspensions } from './services/suspensions.ts';
import type { Wake } from './wake.ts';

export interface EngineOptions extends ConcurrencySettings {
  store: Store;
  send: Send;
  /** Fetches the calendars that have a url. */
  fetchText: FetchText;
  /** Expands them, away from the thread of the engine. */
  expand: Expand;
  clock: Clock;
  /** 0 to below 1, for the jitter of retries. */
  random: () => number;
  observer: EngineObserver;
  /** Those of the destinations; where they are left out, the engine has its own, and signs no tokens. */
  identities?: Identities;
  /** Those of the process; where they are left out, no engine was there before. */
  throttles?: Throttles;
  retention: RetentionDays;
  /** The url at which a target says how an attempt ended; left out where targets cannot call this installation. */
  completionUrl?: CompletionUrlOf | undefined;
  /** Until when this node holds its claims. Set where nodes share the store. */
  leaseDeadline?: LeaseDeadline | undefined;
  /** Set if the store belongs to this engine alone. */
  lock?: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null;
  /** Spans before its start in which nothing fired, and why: the reason of times that are missed. */
  unseenSpans?: readonly UnseenSpan[] | undefined;
}

function ownIdentities({ store, send, clock }: EngineOptions): Identities {
  const signToken = tokenSigner({ publicUrl: null, keys: null });
  return new Identities({ destinations: store.destinations, send, clock, signToken });
}

/** If nodes share the store, each sees the changes of the others within this time. */
const POLL_MS = 500;

/**
 * The engine: claims due rows, sends their requests, and settles them.
 *
 * An embedded store has only one engine, because the service holds the lock. Rows in flight at its start were cut off with
 * the process before, and are sent again first. If nodes share the store, these are the rows that no node holds any more
 * (`LeaseRenewer`).
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #dispatcher: Dispatcher;
  readonly #outbox: Outbox;
  readonly #executor: Executor;
  readonly #completer: Completer;
  readonly #clockWatch: ClockWatch;
  readonly #leaseRenewer: LeaseRenewer | null;
  readonly #pruner: Pruner;
  readonly #recounter: Recounter;
  readonly #breakers: BreakerLog;
  readonly #suspensions: Suspensions;
  readonly #throttles: Throttles;
  readonly #calendarRefresher: CalendarRefresher;
  readonly #calendarRecounter: CalendarRecounter;
  /** Ends with the note of this engine that is under way. */
  #noted: Promise<unknown> = Promise.resolve();
  #started = false;
  #stopped: Promise<void> | null = null;
  /** Ends when what is in flight is waited for no longer. */
  readonly #limit = Promise.withResolvers<void>();

  constructor(options: EngineOptions) {
    this.#options = options;
    const { store, clock, observer, throttles = new Throttles() } = options;
    this.#throttles = throttles;
    const { queue, outbox, completions, runs, calendars, cluster } = store;
    const wake: Wake = {
      queue: dueAt => this.#dispatcher.wake(dueAt),
      outbox: () => this.#outbox.wake(),
      runsEnded: () => this.#outbox.look(),
      room: () => this.#roomFreed(),
    };
    const downtime = new DowntimeDetector(
      clock.now(),
      observer.blind,
      cluster?.looked,
      options.unseenSpans,
    );
    this.#breakers = new BreakerLog(options);
    this.#recounter = new Recounter({ ...options, queue, outbox, completions, wake, cluster });
    this.#suspensions = new Suspensions({
      ...options,
      suspensions: store.suspensions,
      suspended: clientRowId => this.#callBackClient(clientRowId),
      unsent: claims => forgetSkipped(queue, claims, clock.now()),
      wake,
    });
    this.#clockWatch = new ClockWatch({
      clock,
      observer,
      downtime,
      setBack: (now, since) => this.#clockSetBack(now, since),
    });
    const shared = {
      queue,
      outbox,
      completions,
      runs,
      calendars,
      clock,
      observer,
      downtime,
      clockWatch: this.#clockWatch,
      recounter: this.#recounter,
      suspensions: this.#suspensions,
      identities: options.identities ?? ownIdentities(options),
      throttles,
      leaseDeadline: options.leaseDeadline,
      pollMs: cluster ? POLL_MS : undefined,
      wake,
    };
    const { send, random, lock, completionUrl } = options;
    const limits = new ConcurrencyLimits({ ...options, breakers: this.#breakers });
    // From the end of the pipeline to its beginning: each part knows those that come after it.
    const keptSuccessMs = options.retention.runsDays * 86_400_000;
    const { schedules } = store;
    const completer = new Completer({
      ...shared,
      schedules,
      random,
      keptSuccessMs,
      lookAtClock: () => this.#lookAtClock(),
    });
    const executor = new Executor({
      ...shared,
      send,
      lock,
      limits,
      completer,
      completionUrl,
    });
    this.#completer = completer;
    this.#executor = executor;
    this.#dispatcher = new Dispatcher({ ...shared, executor, completer });
    this.#outbox = new Outbox({ ...shared, executor, completer });
    this.#leaseRenewer = this.#newLeaseRenewer();
    this.#pruner = new Pruner({ ...options, isBehind: () => executor.isBehind });
    this.#calendarRecounter = new CalendarRecounter({
      ...options,
      calendars,
      schedules: store.schedules,
      runs: store.runs,
      isShared: cluster !== null,
      changed: (scheduleId, changedAt) => this.changed(scheduleId, changedAt),
    });
    this.#calendarRefresher = new CalendarRefresher({
      ...options,
      calendars,
      reader: new CalendarReader({ ...options, calendars }),
      changed: () => this.calendarsChanged(),
    });
  }

  get inFlight(): number {
    return this.#executor.inFlight;
  }

  /** Jobs that wait for a limit of their destination. */
  get waitingForDestinations(): number {
    return this.#executor.waitingForDestinations;
  }

  /** From its start to the moment that it is asked to stop. */
  get isRunning(): boolean {
    return this.#started && this.#stopped === null;
  }

  get hasStarted(): boolean {
    return this.#started;
  }

  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    const { store, clock } = this.#options;
    await store.queue.recover(clock.now(), this.#options.lock?.sentUntil ?? undefined);
    await store.outbox.recover(clock.now());
    await this.#recounter.start();
    await this.#suspensions.start();
    await this.#noteEngine();
    this.#leaseRenewer?.start();
    this.#executor.start();
    this.#outbox.start();
    this.#dispatcher.start();
    this.#calendarRecounter.start();
    this.#calendarRefresher.start();
    this.#pruner.start();
    this.#breakers.start();
  }

  /** A schedule was written and is due at `dueAt` (epoch ms). */
  wake(dueAt: number): void {
    this.#lookAtClock();
    this.#dispatcher.wake(dueAt);
  }

  /** A manual run of the schedule was put into the outbox. */
  wakeOutbox(scheduleId: string): void {
    this.#lookAtClock();
    this.#executor.yieldToManualRun(scheduleId);
    this.#outbox.wake();
  }

  /** A schedule was changed: no request starts from here on but as it now says. */
  changed(scheduleId: string, changedAt: number): void {
    this.#lookAtClock();
    this.#executor.cancelSchedule(scheduleId);
    // The clock may have been set back since then.
    this.#dispatcher.wake(Math.min(changedAt, this.#options.clock.now()));
    this.#outbox.wake();
  }

  /** A client's secret was rotated, or an overlap ended: no request starts signed as before. */
  rotated(clientRowId: number): void {
    this.#callBackClient(clientRowId);
  }

  /** A calendar was put, or a schedule was written while one of its calendars changed. */
  calendarsChanged(): void {
    this.#calendarRecounter.wake();
  }

  /** A write goes by a clock that may be set back before a loop looks at it. One that stops tells no node that it is awake. */
  #lookAtClock(): void {
    if (this.isRunning) this.#clockWatch.look(this.#options.clock.now());
  }

  /** Requests that have not started are claimed again. */
  #callBackClient(clientRowId: number): void {
    this.#executor.cancelWhere(job => job.clientRowId === clientRowId);
    this.#dispatcher.wake();
    this.#outbox.wake();
  }

  /** Jobs of an instant that is to come again, or signed at one, are claimed anew. */
  #clockSetBack(now: number, since: number): void {
    this.#recounter.begin(since);
    this.#executor.cancelWhere(job => isAhead(job, now) || (job.signedAt ?? now) > now);
  }

  #roomFreed(): void {
    this.#executor.wake();
    this.#dispatcher.roomFreed();
    this.#outbox.roomFreed();
  }

  /**
   * Claims nothing more, lets requests in flight finish for up to `limitMs`, and settles them. Requests that are in flight
   * even then are abandoned: the next start sends them again, under the same id. Asked again, the earliest limit counts.
   *
   * @param limitMs left out: until they have finished
   */
  async stop(limitMs?: number): Promise<void> {
    this.#stopped ??= this.#stop();
    const { clock } = this.#options;
    const timer = limitMs === undefined ? null : clock.after(limitMs, this.#limit.resolve);
    await this.#stopped.finally(() => timer?.cancel());
  }

  async #stop(): Promise<void> {
    const { observer } = this.#options;
    const ended = Promise.all([
      this.#forgetEngine().catch(observer.storeFailed),
      this.#stopDelivery(),
      this.#pruner.stop(),
      this.#calendarRefresher.stop(),
      this.#calendarRecounter.stop(),
      this.#recounter.stop(),
      this.#suspensions.stop(),
      this.#breakers.stop(),
    ]);
    await Promise.race([ended, this.#limit.promise]);
    this.#completer.abandon();
    this.#executor.abandon();
    await this.#leaseRenewer?.stop();
  }

  /** The limits of destinations hold for all engines together. */
  async #noteEngine(): Promise<void> {
    const { cluster } = this.#options.store;
    if (cluster === null || this.#stopped !== null) return;
    const lives = cluster.engineLives();
    this.#noted = lives.catch(() => {});
    this.#throttles.noteEngines(await lives);
  }

  /** A note that is under way would come after it, and count this engine for three leases more. */
  async #forgetEngine(): Promise<void> {
    await this.#noted;
    await this.#options.store.cluster?.engineStopped();
  }

  /** Gives back what was not started, and waits for what is in flight. */
  async #stopDelivery(): Promise<void> {
    // Before the last steps end: what they claim does not start any more.
    void this.#executor.stopAll();
    await Promise.all([this.#dispatcher.stop(), this.#outbox.stop()]);
    await this.#executor.stopAll();
    await this.#completer.drained();
  }

  #newLeaseRenewer(): LeaseRenewer | null {
    const { store, leaseDeadline, clock, observer } = this.#options;
    if (store.cluster === null || leaseDeadline === undefined) return null;
    return new LeaseRenewer({
      store,
      leaseMs: store.cluster.leaseMs,
      leaseDeadline,
      clock,
      observer,
      renew: async claimedBefore => {
        await this.#executor.renew(claimedBefore);
        await this.#noteEngine();
      },
      wake: () => {
        this.#dispatcher.wake();
        this.#outbox.wake();
      },
    });
  }
}
