import type { HealthSort, RecentOutcome, ScheduleHealth, Total } from '@punctual/client';
import { relative } from '../time/times.ts';

/** The health of a schedule in words. */

export const SORTS: readonly { value: HealthSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'worst', label: 'Worst first' },
  { value: 'next', label: 'Next to fire first' },
  { value: 'slowest', label: 'Slowest first' },
];

/** As many outcomes as a strip has. */
export const STRIP_LENGTH = 30;

/** `Last 30: 28 succeeded, 2 failed` */
export function stripText(recent: readonly RecentOutcome[]): string {
  if (recent.length === 0) return 'It has not run yet';
  const counts = Map.groupBy(recent, ({ status }) => status);
  const parts = [...counts].map(([status, of]) => `${of.length} ${status}`);
  return `Last ${recent.length}: ${parts.join(', ')}`;
}

/** The latest outcomes that failed or were missed, before one that succeeded. @param recent newest first */
export function badInARow(recent: readonly RecentOutcome[]): number {
  const judged = recent.filter(({ status }) => status !== 'skipped');
  const end = judged.findIndex(({ status }) => status === 'succeeded');
  return end === -1 ? judged.length : end;
}

/**
 * `8 in a row`, or `after 8 failures` if the latest time was skipped: with a plus where all that is known went wrong, and more
 * may have before.
 */
export function inARowText(recent: readonly RecentOutcome[]): string | null {
  const count = badInARow(recent);
  if (count < 2) return null;
  const isAll =
    recent.length === STRIP_LENGTH && recent.every(({ status }) => status !== 'succeeded');
  const number = `${count}${isAll ? '+' : ''}`;
  return recent[0]?.status === 'skipped' ? `after ${number} failures` : `${number} in a row`;
}

/** `99.3 %`; 100 only where none failed, and 0 only where all did. */
export function shareText({ succeeded24h, ended24h }: ScheduleHealth): string | null {
  if (ended24h === 0) return null;
  if (succeeded24h === ended24h) return '100 %';
  const percent = (100 * succeeded24h) / ended24h;
  const bounded = succeeded24h === 0 ? 0 : Math.min(99.9, Math.max(0.1, percent));
  return `${bounded < 10 || bounded >= 99 ? bounded.toFixed(1).replace(/\.0$/, '') : Math.round(bounded)} %`;
}

/** `in 12 s`, or `now` from its time on: what comes after it is told a moment later. */
export function countdown(at: string, now: number): string {
  return Date.parse(at) <= now ? 'now' : relative(at, now);
}

/** `530 schedules`, `10,000+ schedules` */
export function totalText({ count, isExact }: Total): string {
  const number = count.toLocaleString('en-GB');
  return `${number}${isExact ? '' : '+'} ${count === 1 && isExact ? 'schedule' : 'schedules'}`;
}
