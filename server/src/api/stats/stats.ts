import type * as Wire from '@punctual/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { iso } from '../../domain/iso.ts';
import { type LatenessCount, percentile } from '../../domain/run/lateness.ts';
import type {
  FailureCount,
  LatestRun,
  MinuteCount,
  PassedCount,
  StatsStore,
  StatusCounts,
} from '../../store/contract/stats.ts';
import type { Store } from '../../store/contract/store.ts';
import { breakerAnswer } from '../answers.ts';
import { Kept } from './kept.ts';
import { Minutes } from './minutes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MOST_SHOWN = 10;
/** Schedules with the most failed runs; some may have succeeded since. */
const MOST_CANDIDATES = 20;
const MOST_BREAKERS = 20;
const MOST_CLIENTS = 1_000;
/** An answer is as old as this at most where it is asked for again and again. */
const FRESH_MS = 1_500;

/** `GET /v1/stats`: what ended, how late, what fails, what is due. One count at a time per client. */
export class ClientStats {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #counts: Kept<number, StatusCounts>;
  readonly #minutes = new LRUCache<number, Minutes>({ max: MOST_CLIENTS });
  readonly #answers = new LRUCache<string, Wire.Stats, Question>({
    max: MOST_CLIENTS,
    ttl: FRESH_MS,
    // A count evicted in the meantime is answered all the same.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _old, { context }) => this.#count(context),
  });

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#counts = new Kept(clock, { most: MOST_CLIENTS });
  }

  async of(clientRowId: number, minutes: number): Promise<Wire.Stats> {
    const question = { clientRowId, minutes };
    return (await this.#answers.fetch(`${clientRowId} ${minutes}`, { context: question }))!;
  }

  async #count({ clientRowId, minutes: span }: Question): Promise<Wire.Stats> {
    const { stats } = this.#store;
    const now = this.#clock.now();
    const from = Math.floor(now / MINUTE_MS + 1 - span) * MINUTE_MS;
    const [ended, failing, next, breakers, schedules] = await Promise.all([
      this.#minutesOf(clientRowId, stats).since(from, now),
      this.#failing(clientRowId, now),
      stats.upcoming(clientRowId, now, MOST_SHOWN),
      stats.openBreakers(clientRowId, now, MOST_BREAKERS),
      this.#counts.of(clientRowId, () => stats.counts(clientRowId)),
    ]);
    const countedFrom = ended[0]?.minute ?? now;
    return {
      from: iso(countedFrom),
      to: iso(now),
      ...talliesOf(ended),
      failing,
      next: next.map(({ scheduledFor, dueAt, ...same }) => ({
        ...same,
        scheduledFor: iso(scheduledFor),
        dueAt: iso(dueAt),
      })),
      openBreakers: breakers.map(breakerAnswer),
      enabledSchedules: schedules.enabled,
      disabledSchedules: schedules.disabled,
    };
  }

  #minutesOf(clientRowId: number, stats: StatsStore): Minutes {
    const kept = this.#minutes.get(clientRowId) ?? new Minutes(stats, clientRowId);
    this.#minutes.set(clientRowId, kept);
    return kept;
  }

  /** Those that failed and have not succeeded since. */
  async #failing(clientRowId: number, now: number): Promise<Wire.FailingSchedule[]> {
    const { stats } = this.#store;
    const candidates = await stats.failures(clientRowId, now - DAY_MS, MOST_CANDIDATES);
    const found = candidates.map(failingSchedule);
    return found.filter(({ inARow }) => inARow > 0).slice(0, MOST_SHOWN);
  }
}

function failingSchedule({ latest, ...failure }: FailureCount): Wire.FailingSchedule {
  const error = latest.find(({ status }) => status === 'failed')?.error;
  return {
    ...failure,
    lastFailedFor: iso(failure.lastFailedFor),
    inARow: failuresInARow(latest),
    ...(error !== undefined && { error }),
  };
}

interface Question {
  clientRowId: number;
  minutes: number;
}

/** @param latest newest first */
export function failuresInARow(latest: LatestRun[]): number {
  const end = latest.findIndex(({ status }) => status === 'succeeded');
  return end === -1 ? latest.length : end;
}

/**
 * The minutes in which something ended or passed, and all of them together.
 *
 * @param ended oldest first; nominal times before the first of them are left out
 */
export function talliesOf(ended: MinuteCount[]): Pick<Wire.Stats, 'total' | 'minutes'> {
  const first = ended[0]?.minute ?? 0;
  const passed = ended.flatMap(each => each.passed).filter(({ minute }) => minute >= first);
  const passedBy = Map.groupBy(passed, ({ minute }) => minute);
  const endedBy = new Map(ended.map(each => [each.minute, each]));
  const minutes = [...new Set([...endedBy.keys(), ...passedBy.keys()])].sort((a, b) => a - b);
  const shown = minutes.map(minute => ({
    at: iso(minute),
    ...tallyOf([endedBy.get(minute)], passedBy.get(minute) ?? []),
  }));
  return {
    total: tallyOf(ended, passed),
    minutes: shown.filter(
      ({ succeeded, failed, skipped, missed }) => succeeded + failed + skipped + missed > 0,
    ),
  };
}

function tallyOf(ended: (MinuteCount | undefined)[], passed: PassedCount[]): Wire.Tally {
  const lateness = mergedLateness(ended.flatMap(each => each?.lateness ?? []));
  const [p50, p99] = [percentile(lateness, 0.5), percentile(lateness, 0.99)];
  return {
    succeeded: sum(ended.map(each => each?.succeeded ?? 0)),
    failed: sum(ended.map(each => each?.failed ?? 0)),
    skipped: sum(passed.map(({ skipped }) => skipped)),
    missed: sum(passed.map(({ missed }) => missed)),
    ...(p50 !== null && { p50LateMs: p50 }),
    ...(p99 !== null && { p99LateMs: p99 }),
  };
}

function mergedLateness(counts: LatenessCount[]): LatenessCount[] {
  const steps = new Map<number, number>();
  for (const { stepMs, count } of counts) steps.set(stepMs, (steps.get(stepMs) ?? 0) + count);
  return [...steps].map(([stepMs, count]) => ({ stepMs, count }));
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
