import type { Run, Stats, StatsMinute } from '@punctual/client';

/** Events put into figures. */

const MINUTE_MS = 60_000;

/**
 * Whether figures reach back as far as was asked for. The service counts the newest minutes first, and answers with
 * those that it has: after its start the first answer may be of a minute only.
 */
export function reachBack({ from, to }: Pick<Stats, 'from' | 'to'>, minutes: number): boolean {
  return Date.parse(from) <= Date.parse(to) - (minutes - 1) * MINUTE_MS;
}

/**
 * Figures with a run that ended after they were counted; one that ended before is in them. Percentiles stay as they
 * were counted.
 *
 * @returns `isWhole` false where only the service can tell the rest: failures in a row, and times that passed
 */
export function withEnded(stats: Stats, run: Run): { figures: Stats; isWhole: boolean } {
  const { status, finishedAt, scheduleId } = run;
  if (status !== 'succeeded' && status !== 'failed') return { figures: stats, isWhole: false };
  const isWhole =
    status === 'succeeded' && !stats.failing.some(each => each.scheduleId === scheduleId);
  // Both instants are of the service's clock.
  if (finishedAt === undefined || finishedAt <= stats.to) return { figures: stats, isWhole };
  const total = { ...stats.total, [status]: stats.total[status] + 1 };
  const minute = Math.floor(Date.parse(finishedAt) / MINUTE_MS) * MINUTE_MS;
  const at = new Date(minute).toISOString();
  return {
    figures: { ...stats, total, minutes: withOne(stats.minutes, at, status) },
    isWhole,
  };
}

function withOne(
  minutes: StatsMinute[],
  at: string,
  status: 'succeeded' | 'failed',
): StatsMinute[] {
  const place = minutes.findIndex(minute => minute.at === at);
  const known = minutes[place];
  if (known !== undefined) return minutes.with(place, { ...known, [status]: known[status] + 1 });
  const empty = { at, succeeded: 0, failed: 0, skipped: 0, missed: 0 };
  return [...minutes, { ...empty, [status]: 1 }].sort((a, b) => (a.at < b.at ? -1 : 1));
}
