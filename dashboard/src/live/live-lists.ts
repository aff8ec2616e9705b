import type { Run, RunPage, RunQuery, Schedule } from '@punctual/client';

/** Events put into lists. */

/** Filters that only the service can decide. */
const OF_SERVICE = ['tag', 'host', 'responseStatus', 'error', 'cause'] as const;
const DEFAULT_LIMIT = 20;

/**
 * A page of runs with a run that has ended. The first page takes new ones, and grows until it is twice as long as
 * was asked for: then it is asked again, so that its cursor fits its last row.
 *
 * @returns the same page where nothing changes; `ask` where only the service knows
 */
export function withRun(page: RunPage, query: RunQuery, run: Run): RunPage | 'ask' {
  const { items } = page;
  const place = items.findIndex(({ id }) => id === run.id);
  if (!mayMatch(query, run)) {
    return place === -1 ? page : { ...page, items: items.toSpliced(place, 1) };
  }
  if (place !== -1) return { ...page, items: items.with(place, run) };
  if (query.cursor !== undefined) return page;
  if (OF_SERVICE.some(name => query[name] !== undefined)) return 'ask';
  const older = items.findIndex(({ scheduledFor }) => scheduledFor <= run.scheduledFor);
  if (older === -1 && page.nextCursor !== undefined) return page;
  if (items.length >= 2 * (query.limit ?? DEFAULT_LIMIT)) return 'ask';
  return { ...page, items: items.toSpliced(older === -1 ? items.length : older, 0, run) };
}

function mayMatch({ scheduleId, status, from, to }: RunQuery, run: Run): boolean {
  const at = Date.parse(run.scheduledFor);
  return (
    (scheduleId === undefined || scheduleId === run.scheduleId) &&
    (status === undefined || status === run.status) &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to))
  );
}

type Told = Omit<Schedule, 'headers' | 'data' | 'body'>;

/** A schedule as an event tells it, with the fields that events leave out as they were. */
export function withoutHidden(known: Schedule, told: Told): Schedule {
  const { headers, data, body } = known;
  return {
    ...told,
    ...(headers !== undefined && { headers }),
    ...(data !== undefined && { data }),
    ...(body !== undefined && { body }),
  };
}

/**
 * A page of schedules, or of rows that have one each, with a schedule as it is now.
 *
 * @returns `ask` where the page does not show it, or may not any more: only the service knows its filter
 */
export function withSchedule(page: unknown, told: Told): unknown {
  if (!hasItems(page)) return 'ask';
  const place = page.items.findIndex(item => scheduleOf(item).id === told.id);
  const item = page.items[place];
  if (item === undefined || scheduleOf(item).status !== told.status) return 'ask';
  const schedule = withoutHidden(scheduleOf(item), told);
  const row = 'schedule' in item ? { ...item, schedule } : schedule;
  return { ...page, items: page.items.with(place, row) };
}

type ScheduleRow = Schedule | { schedule: Schedule };

function scheduleOf(row: ScheduleRow): Schedule {
  return 'schedule' in row ? row.schedule : row;
}

function hasItems(page: unknown): page is { items: ScheduleRow[] } {
  return typeof page === 'object' && page !== null && Array.isArray((page as { items: [] }).items);
}
