import type { Clock } from '../../clock.ts';
import type { Outcome } from '../../domain/run/run.ts';
import type { ConcurrencyLimits } from '../fairness/concurrency.ts';
import type { Throttle } from '../fairness/throttle.ts';
import type { Throttles } from '../fairness/throttles.ts';
import type { Identities } from '../identity/identities.ts';
import { destinationOf, type Job } from './job.ts';

/** How much later a job is due again that its host will not get through soon. */
const POSTPONED_MS = 5_000;
/** How often to look for jobs that wait for a limit and have been overtaken. */
const LOOK_MS = 1_000;

export interface SlotsOptions {
  limits: ConcurrencyLimits;
  throttles: Throttles;
  /** The destinations of the claims, which were loaded before. */
  identities: Pick<Identities, 'limitsFor'>;
  clock: Clock;
}

/**
 * Slots: takes those that a job needs to be sent, of its host and of its destination, and says which jobs wait too long for
 * one. A job of a destination with limits waits in a lane of its own, beside the one of its host.
 */
export class Slots {
  readonly #options: SlotsOptions;
  /** When the first request may start that a destination's limit holds back. */
  #nextStartAt = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** When the first request may start that was held back since the last look; Infinity: when another one ends. */
  get nextStartAt(): number {
    return this.#nextStartAt;
  }

  /** From here on `acquire` is asked anew. */
  beginLook(): void {
    this.#nextStartAt = Number.POSITIVE_INFINITY;
  }

  /** The job is held from here on, until it leaves. */
  join(job: Job): void {
    const name = destinationOf(job);
    if (name === undefined || job.kind === 'callback') return;
    const { identities, throttles, clock } = this.#options;
    const limits = identities.limitsFor(job.claim.schedule);
    if (limits === null) return;
    // It counts without limits as well: they may be set while it is in flight.
    job.throttle = throttles.of(job.clientRowId, name, limits, clock.now());
    if (job.throttle.hasLimits) job.lane = `${job.origin} ${name}`;
    job.throttle.join();
  }

  leave(job: Job): void {
    job.throttle?.leave();
  }

  /**
   * @param room how many slots the kind has left
   * @returns false where it has to wait
   */
  acquire(job: Job, room: number, now: number): boolean {
    const { throttle } = job;
    if (throttle !== null && !this.#mayStart(throttle, now)) return false;
    job.host = this.#options.limits.acquire(job, room);
    if (job.host === null) return false;
    throttle?.start();
    return true;
  }

  /** @param outcome null where no request was sent */
  release(job: Job, outcome: Outcome | null): void {
    const { limits, clock } = this.#options;
    job.host!.breaker.over(job, outcome !== null);
    limits.release(job.kind, job.host!, outcome, clock.now());
    job.host = null;
    job.throttle?.end(outcome !== null);
  }

  /** @param isFirst nothing is known of the seconds before */
  beginSecond(isFirst: boolean): void {
    const { limits, throttles, clock } = this.#options;
    limits.beginSecond(isFirst);
    if (throttles.size > 0) throttles.beginSecond(clock.now(), isFirst);
  }

  /** How many of the jobs that wait in one lane exceed what host and destination may get through soon. */
  surplus(job: Job, waiting: number): number {
    const { limits, clock } = this.#options;
    const ofHost = limits.surplus(job, waiting);
    if (job.throttle === null) return ofHost;
    return Math.max(ofHost, job.throttle.surplus(clock.now(), waiting));
  }

  /** When a job is due again that makes room for others; at its schedule's next time at the latest. */
  postpone({ kind, claim, throttle }: Job, now: number): number {
    if (!throttle?.hasLimits) return now + POSTPONED_MS;
    const dueAt = throttle.postpone(now);
    if (kind !== 'schedule' || claim.nextFor === null) return dueAt;
    return Math.min(dueAt, Math.max(claim.nextFor, now + POSTPONED_MS));
  }

  /**
   * Of the jobs that are due, those that wait for a limit of their destination, and whose next time came first. Looks once a
   * second.
   */
  overtaken(ready: Iterable<Job>, now: number): Job[] {
    const isSoon = Math.abs(now - this.#lookedAt) < LOOK_MS;
    if (isSoon || this.#options.throttles.size === 0) return [];
    this.#lookedAt = now;
    return [...ready].filter(job => isOvertaken(job, now));
  }

  /** How many jobs wait for a limit of their destination: of those that are due, and those that were postponed. */
  waitingForDestinations(ready: Iterable<Job>): number {
    const { throttles, clock } = this.#options;
    if (throttles.size === 0) return 0;
    const now = clock.now();
    let count = throttles.postponedCount(now);
    for (const { throttle } of ready) if (throttle !== null && !throttle.isOpen(now)) count += 1;
    return count;
  }

  #mayStart(throttle: Throttle, now: number): boolean {
    if (throttle.mayStart(now)) return true;
    this.#nextStartAt = Math.min(this.#nextStartAt, throttle.nextStartAt(now));
    return false;
  }
}

/**
 * Whether a job that waited for a limit of its destination may start no more: its schedule's next time has come. A run that
 * was cut off goes first, whatever has come.
 */
export function isOvertaken({ kind, claim, throttle }: Job, now: number): boolean {
  if (!throttle?.hasLimits || kind !== 'schedule' || claim.was === 'lost') return false;
  return claim.nextFor !== null && claim.nextFor <= now;
}
