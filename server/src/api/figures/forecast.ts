import { setImmediate } from 'node:timers/promises';
import type * as Wire from '@punctual/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { countBySpan } from '../../domain/forecast.ts';
import { iso } from '../../domain/iso.ts';
import type { ScheduleGroup } from '../../store/figures.ts';
import type { Grouped, Groups } from './groups.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS = {
  day: { spanMs: MINUTE_MS, count: 24 * 60 },
  week: { spanMs: HOUR_MS, count: 7 * 24 },
} as const;
const MOST_HOSTS = 100;
const MOST_GROUPS = 50_000;
const MOST_ANSWERS = 200;
/** Firings wait for no more than this while a forecast is worked out. */
const SLICE_MS = 4;

/** `GET /v1/forecast`: how many firings are to come, worked out from the groups of schedules. */
export class ForecastFigures {
  readonly #clock: Clock;
  readonly #groups: Groups;
  readonly #answers = new LRUCache<string, Wire.Forecast, Question>({
    max: MOST_ANSWERS,
    // What others push out meanwhile is answered all the same.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _old, { context }) => forecastOf(context),
  });

  constructor(clock: Clock, groups: Groups) {
    this.#clock = clock;
    this.#groups = groups;
  }

  async of(clientKey: number, span: 'day' | 'week', host?: string): Promise<Wire.Forecast> {
    const grouped = await this.#groups.of(clientKey);
    const { spanMs, count } = STEPS[span];
    const from = Math.floor(this.#clock.now() / spanMs) * spanMs;
    const question = { ...grouped, steps: { from, spanMs, count }, host };
    if (grouped.isPartial) return forecastOf(question);
    const { countedAt } = grouped;
    const key = [clientKey, span, from, countedAt, host ?? ''].join(' ');
    return (await this.#answers.fetch(key, { context: question }))!;
  }
}

interface Question extends Grouped {
  steps: { from: number; spanMs: number; count: number };
  host: string | undefined;
}

/** Gives way to whatever else waits every few milliseconds. */
async function forecastOf(question: Question): Promise<Wire.Forecast> {
  const { groups, countedAt, isPartial, steps, host } = question;
  const counts = new Array<number>(steps.count).fill(0);
  const byHost = new Map<string, number>();
  const [counted, uncounted] = largest(groups);
  let schedules = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  // Many hosts share few times: those are worked out once.
  for (const same of Map.groupBy(counted, timesOf).values()) {
    const { interval, timezone } = same[0]!;
    const shown = same.filter(group => host === undefined || group.host === host);
    const shownCount = shown.reduce((sum, { count }) => sum + count, 0);
    schedules += shownCount;
    let times = 0;
    for (const each of countBySpan(interval, timezone, steps)) {
      times += each.times;
      counts[each.span]! += each.times * shownCount;
    }
    for (const group of same) {
      byHost.set(group.host, (byHost.get(group.host) ?? 0) + times * group.count);
    }
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return {
    from: iso(steps.from),
    stepSeconds: steps.spanMs / 1_000,
    counts,
    firings: counts.reduce((sum, each) => sum + each, 0),
    schedules,
    uncounted: uncounted.reduce((sum, { count }) => sum + count, 0),
    hosts: [...byHost]
      .map(([name, firings]) => ({ host: name, firings }))
      .sort((a, b) => b.firings - a.firings || (a.host < b.host ? -1 : 1))
      .slice(0, MOST_HOSTS),
    countedAt: iso(countedAt),
    ...(isPartial && { isPartial }),
  };
}

/** Those that are counted, and the rest. */
function largest(groups: ScheduleGroup[]): [ScheduleGroup[], ScheduleGroup[]] {
  if (groups.length <= MOST_GROUPS) return [groups, []];
  const sorted = groups.toSorted((a, b) => b.count - a.count);
  return [sorted.slice(0, MOST_GROUPS), sorted.slice(MOST_GROUPS)];
}

function timesOf({ interval, timezone }: ScheduleGroup): string {
  return `${timezone} ${interval}`;
}
