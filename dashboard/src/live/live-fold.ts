import type {
  HealthPage,
  PunctualEvent,
  Run,
  RunPage,
  RunQuery,
  Schedule,
  Stats,
  TaggedSchedule,
} from '@punctual/client';
import type { QueryClient } from '@tanstack/react-query';
import { withEnded } from './live-figures.ts';
import { withOutcome } from './live-health.ts';
import { withoutHidden, withRun, withSchedule } from './live-lists.ts';
import type { Stale } from './pace.ts';

/**
 * Puts an event into the lists and figures that the page has.
 *
 * @returns what the event alone cannot tell: these queries are to be asked again
 */
export function foldEvent(queries: QueryClient, event: PunctualEvent): Stale[] {
  switch (event.type) {
    case 'run.ended':
      return foldRun(queries, event.data);
    case 'schedule.changed':
      return foldSchedule(queries, event.data);
    case 'breaker.opened':
    case 'breaker.closed':
      return [again(['stats']), again(['incidents'])];
    case 'gap':
      return ALL.map(name => again([name]));
  }
}

const ALL = [
  'runs',
  'run',
  'history',
  'stats',
  'schedules',
  'health',
  'schedule',
  'forecast',
  'next',
  'explain',
  'incidents',
];

/** Slower where an answer is large, or is folded in meanwhile. */
const EVERY_MS: Record<string, number> = {
  stats: 10_000,
  health: 10_000,
  incidents: 10_000,
  forecast: 30_000,
  schedule: 1_000,
  next: 1_000,
  run: 1_000,
};
const ORDINARY_MS = 5_000;

function again(queryKey: readonly unknown[]): Stale {
  return { queryKey, everyMs: EVERY_MS[queryKey[0] as string] ?? ORDINARY_MS };
}

function foldRun(queries: QueryClient, run: Run): Stale[] {
  const { id, scheduleId } = run;
  const stale: Stale[] = [again(['history', scheduleId]), again(['explain', scheduleId])];
  for (const [queryKey, page] of queries.getQueriesData<RunPage>({ queryKey: ['runs'] })) {
    if (page === undefined) continue;
    const [, query] = queryKey;
    if (typeof query !== 'object') {
      // Of one schedule, and asked for in another way.
      if (queryKey.includes(scheduleId)) stale.push(again(queryKey));
      continue;
    }
    const folded = withRun(page, query as RunQuery, run);
    if (folded === 'ask') stale.push(again(queryKey));
    else if (folded !== page) queries.setQueryData(queryKey, folded);
  }
  for (const [queryKey, page] of queries.getQueriesData<HealthPage>({ queryKey: ['health'] })) {
    if (page === undefined) continue;
    const folded = withOutcome(page, run);
    if (folded === page) continue;
    queries.setQueryData(queryKey, folded);
    stale.push(again(queryKey));
  }
  const open = queries.getQueryData<Run>(['run', id]);
  if (open !== undefined && open.finishedAt === undefined) stale.push(again(['run', id]));
  for (const [queryKey, stats] of queries.getQueriesData<Stats>({ queryKey: ['stats'] })) {
    if (stats === undefined) continue;
    const { figures, isWhole } = withEnded(stats, run);
    if (figures !== stats) queries.setQueryData(queryKey, figures);
    if (!isWhole) stale.push(again(queryKey));
  }
  if (run.status === 'failed' || run.status === 'missed') stale.push(again(['incidents']));
  return stale;
}

function foldSchedule(
  queries: QueryClient,
  changed: Omit<Schedule, 'headers' | 'data' | 'body'>,
): Stale[] {
  const { id } = changed;
  const stale: Stale[] = [
    again(['stats']),
    again(['forecast']),
    again(['next', id]),
    again(['explain', id]),
  ];
  const lists = ['schedules', 'health'].flatMap(name =>
    queries.getQueriesData({ queryKey: [name] }),
  );
  for (const [queryKey, known] of lists) {
    const folded = withSchedule(known, changed);
    // Its next time is only known to the service.
    const isAsked = folded === 'ask' || (folded !== known && queryKey[0] === 'health');
    if (isAsked) stale.push(again(queryKey));
    if (folded !== 'ask') queries.setQueryData(queryKey, folded);
  }
  // The page of the schedule has it plain, the form with its version.
  const copies = queries.getQueriesData<Schedule | TaggedSchedule>({ queryKey: ['schedule', id] });
  for (const [queryKey, copy] of copies) {
    const known = copy !== undefined && 'schedule' in copy ? copy.schedule : copy;
    if (known === undefined || !isNews(known, changed)) continue;
    if (known === copy) queries.setQueryData(queryKey, withoutHidden(known, changed));
    // Its headers and its data are not told, and may have changed as well.
    stale.push(again(queryKey));
  }
  return stale;
}

type Dated = Pick<Schedule, 'updatedAt' | 'status'>;

function isNews(known: Dated, changed: Dated): boolean {
  return known.updatedAt !== changed.updatedAt || known.status !== changed.status;
}
