import type { MissedTime } from '../../domain/run/bands.ts';
import { type LatenessCount, STEPS } from '../../domain/run/lateness.ts';
import { type Row, SCHEDULE } from '../columns.ts';
import type {
  BreakerChange,
  CountedHistory,
  EndedRun,
  FailureCount,
  GroupedPart,
  HerdMember,
  LatestRun,
  MinuteCount,
  MissedSpan,
  OpenBreaker,
  OutcomeCounts,
  PassedCount,
  StatusCounts,
  StepCount,
  StepRange,
  Upcoming,
} from '../contract/stats.ts';
import { attemptsFrom, runViewFrom, whenFrom } from './row.ts';

/** Rows of figures, as both backends read them. */

export const MINUTE_MS = 60_000;
/** Failed runs that one question counts at most. */
export const MOST_FAILED = 2_000;
/** Of each schedule that fails. */
export const LATEST_RUNS = 20;
/** Rows of the queue that are looked through for one client's, and schedules of a small client. */
export const MOST_LOOKED_AT = 5_000;
/**
 * A run ends within this time of its nominal one, or figures do not count it: ten retries, each
 * after the longest Retry-After.
 */
export const LONGEST_RUN_MS = 11 * 86_400_000;

/** The step of a lateness (domain/run/lateness.ts), as both dialects say it. */
export function stepSql(late: string): string {
  const steps = STEPS.map(
    ({ from, width }) => `WHEN ${late} >= ${from} THEN ${late} - ${late} % ${width}`,
  );
  return `CASE WHEN ${late} < 0 THEN 0 ${steps.join(' ')} ELSE ${late} END`;
}

/** Of a time that does not fire. */
export const PASSED_MINUTE = `CASE WHEN status IN ('skipped', 'missed')
        THEN scheduled_for / ${MINUTE_MS} END`;

/** @param rows one for each minute, status, and step or minute of nominal times */
export function minutesFrom(rows: Row[]): MinuteCount[] {
  return [...Map.groupBy(rows, ({ minute }) => minute as number)]
    .sort(([a], [b]) => a - b)
    .map(([minute, of]) => minuteFrom(minute * MINUTE_MS, of));
}

function minuteFrom(minute: number, rows: Row[]): MinuteCount {
  const ended = { succeeded: 0, failed: 0 };
  const steps = new Map<number, number>();
  for (const row of rows) {
    const count = row.count as number;
    if (row.nominal === null) ended[row.status as keyof typeof ended] += count;
    const step = row.step as number | null;
    if (step !== null) steps.set(step, (steps.get(step) ?? 0) + count);
  }
  const passed = passedFrom(rows.filter(({ nominal }) => nominal !== null));
  return { minute, ...ended, lateness: latenessFrom(steps), passed };
}

function latenessFrom(steps: Map<number, number>): LatenessCount[] {
  return [...steps].sort(([a], [b]) => a - b).map(([stepMs, count]) => ({ stepMs, count }));
}

/** One that stands for more than 1,000 times, a second apart, is decided about so long after the first of them. */
const MANY_MINUTES = 16;

/** The nominal times among which records that stand for many are looked for, by their status. */
export function manyRanges(rows: Row[]): { status: string; from: number; to: number }[] {
  const isMany = ({ status, minute, nominal }: Row) =>
    // Of a slow target nearly all are skipped, and one record each.
    status === 'missed' ||
    (status === 'skipped' && (minute as number) - (nominal as number) >= MANY_MINUTES);
  return [...Map.groupBy(rows.filter(isMany), ({ status }) => status as string)].map(
    ([status, of]) => {
      const minutes = of.map(({ nominal }) => nominal as number);
      const [first, last] = [Math.min(...minutes), Math.max(...minutes)];
      return { status, from: first * MINUTE_MS, to: (last + 1) * MINUTE_MS };
    },
  );
}

function passedFrom(rows: Row[]): PassedCount[] {
  const minutes = new Map<number, PassedCount>();
  for (const row of rows) {
    const minute = (row.nominal as number) * MINUTE_MS;
    const found = minutes.get(minute) ?? { minute, skipped: 0, missed: 0 };
    found[row.status as 'skipped' | 'missed'] += row.count as number;
    minutes.set(minute, found);
  }
  return [...minutes.values()].sort((a, b) => a.minute - b.minute);
}

/**
 * @param rows one for each step and status, and one for each record that stands for many times
 * @param before the last such record before the range, whose times may reach into it
 */
export function historyFrom(rows: Row[], before: Row[], range: StepRange): CountedHistory {
  const steps = new Map<number, StepCount>();
  const spans = before.map(spanFrom).filter(({ to }) => to >= range.from);
  let records = 0;
  for (const row of rows) {
    records += row.count as number;
    if (row.missed !== null) {
      spans.push(spanFrom(row));
      continue;
    }
    const at = range.from + (row.step as number) * range.stepMs;
    const step = steps.get(at) ?? { at, succeeded: 0, failed: 0, skipped: 0, missed: 0 };
    step[row.status as keyof OutcomeCounts] += row.count as number;
    steps.set(at, step);
  }
  return { steps: [...steps.values()].sort((a, b) => a.at - b.at), spans, records };
}

/** How many missed times of a client are looked at for those of one schedule. */
export const MOST_MISSED = 20_000;

/**
 * @param before the record before the range, where there is one
 * @param rows newest first
 */
export function missedTimesFrom(before: Row | undefined, rows: Row[], from: number): MissedTime[] {
  const times = rows.toReversed().map(missedTimeFrom);
  const reaching = before?.missed == null ? null : missedTimeFrom(before);
  return reaching !== null && reaching.missed!.to >= from ? [reaching, ...times] : times;
}

function missedTimeFrom(row: Row): MissedTime {
  return {
    scheduledFor: row.scheduled_for as number,
    reason: (row.reason ?? '') as string,
    ...(row.missed !== null && { missed: spanFrom(row) }),
  };
}

function spanFrom({ missed }: Row): MissedSpan {
  return JSON.parse(missed as string) as MissedSpan;
}

export function countsFrom(rows: Row[]): StatusCounts {
  const counts = { enabled: 0, disabled: 0 };
  for (const { status, count } of rows) counts[status as keyof StatusCounts] = count as number;
  return counts;
}

/**
 * @param rows each with the lowest id of its group
 * @param limit of schedules that were grouped
 */
export function groupedFrom(rows: Row[], limit: number): GroupedPart {
  let counted = 0;
  let lowest = '~';
  const groups = rows.map(row => {
    const [count, id] = [row.count as number, row.lowest_id as string];
    counted += count;
    if (id < lowest) lowest = id;
    return {
      ...whenFrom(row),
      host: row.host as string,
      count,
    };
  });
  return { groups, next: counted < limit ? null : lowest };
}

export function herdMemberFrom(row: Row): HerdMember {
  return {
    id: row.id as string,
    ...whenFrom(row),
    ...(row.external_id !== null && { externalId: row.external_id as string }),
  };
}

/** @param latest rows of its runs */
export function failureFrom(row: Row, latest: Row[]): FailureCount {
  return {
    scheduleId: row.id as string,
    label: row.label as string,
    url: row.url as string,
    failures: row.failures as number,
    lastFailedFor: row.last_failed_for as number,
    latest: latest.map(latestFrom),
  };
}

function latestFrom({ status, attempts }: Row): LatestRun {
  const error = attemptsFrom(attempts).at(-1)?.error;
  return { status: status as LatestRun['status'], ...(error !== undefined && { error }) };
}

export function upcomingFrom(row: Row): Upcoming {
  return {
    scheduleId: row.id as string,
    label: row.label as string,
    url: row.url as string,
    dueAt: row.due_at as number,
    scheduledFor: row.scheduled_for as number,
    isRetry: row.state !== 'waiting',
  };
}

export function endedFrom(row: Row): EndedRun {
  return { ...runViewFrom(row), endedAt: row.finished_at as number } as EndedRun;
}

export function openBreakerFrom(row: Row): OpenBreaker {
  return {
    origin: row.origin as string,
    since: row.since as number,
    openedAt: row.opened_at as number,
  };
}

/** The breaker of another engine for the same host that is open at `instant`, as both dialects say it. */
export function isOpenElsewhere(instant: string): string {
  return `EXISTS (
      SELECT 1 FROM breakers AS other
      WHERE other.client_key = breakers.client_key AND other.origin = breakers.origin
        AND other.id <> breakers.id AND other.opened_at <= ${instant}
        AND (other.opened_at < ${instant} OR other.id < breakers.id)
        AND (other.closed_at IS NULL OR other.closed_at > ${instant}
          OR (other.closed_at = ${instant} AND other.id > breakers.id)))`;
}

/** @param row with `change` and `at` */
export function breakerChangeFrom(row: Row): BreakerChange {
  return {
    ...openBreakerFrom(row),
    id: row.id as string,
    change: row.change as BreakerChange['change'],
    at: row.at as number,
  };
}

/** Of a row of the queue that is in flight: it was claimed ahead, and its time has not come. */
export function isAheadSql(now: string): string {
  return `claimed_at < due_at AND due_at > ${now} AND changed_at IS NULL`;
}

/** Its state before it was claimed. */
export const STATE_BEFORE = `CASE WHEN state <> 'inFlight' THEN state
      WHEN attempts IS NULL THEN 'waiting' ELSE 'retrying' END`;

/**
 * The next firings, from waiting rows and rows claimed ahead. Read the rows claimed ahead last: a
 * row claimed in between is then in both lists, and not in neither.
 */
export function soonestOf(waiting: Upcoming[], ahead: Upcoming[], limit: number): Upcoming[] {
  const each = new Map([...waiting, ...ahead].map(one => [one.scheduleId, one]));
  return [...each.values()].sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
}

/** When it was made or last changed: the order of `changedSince`. */
export function changedFrom(made: Row[], changed: Row[], limit: number) {
  const schedules = new Map([...made, ...changed].map(row => [row.id, SCHEDULE.fromRow(row)]));
  const changedAt = ({
    createdAt,
    updatedAt = createdAt,
  }: {
    createdAt: number;
    updatedAt?: number;
  }) => updatedAt;
  return [...schedules.values()].sort((a, b) => changedAt(a) - changedAt(b)).slice(0, limit);
}
