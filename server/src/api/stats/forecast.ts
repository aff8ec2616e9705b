import type * as Wire from '@punctual/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { countBySpan } from '../../domain/calendar/forecast.ts';
import { iso } from '../../domain/iso.ts';
import type { ScheduleGroup } from '../../store/contract/stats.ts';
import { nextSlice } from '../http/slices.ts';
import type { CountedGroups, ScheduleGroups } from './groups.ts';
import { largest, type YieldTurn } from './largest.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS = {
  day: { spanMs: MINUTE_MS, count: 24 * 60 },
  week: { spanMs: HOUR_MS, count: 7 * 24 },
} as const;
const MOST_HOSTS = 100;
const MOST_GROUPS = 50_000;
/** Of clients and spans together: each holds a number for each host of its client. */
const MOST_TOTALS = 50;
/** Firings wait for no more than this while a forecast is worked out. */
const SLICE_MS = 4;

/**
 * `GET /v1/forecast`: how many firings are to come, worked out from the groups of schedules.
 *
 * For all hosts it is worked out once for each client and step. One host costs its own groups, and a host
 * that the client does not call costs nothing. A client's forecasts are worked out one after the other, and all
 * of a process share one slice of each turn of the event loop: so nobody's firings wait for them.
 */
export class ForecastStats {
  readonly #clock: Clock;
  readonly #groups: ScheduleGroups;
  readonly #totals = new LRUCache<string, Totals, Question>({
    max: MOST_TOTALS,
    // A count evicted in the meantime is answered all the same.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _old, { context }) =>
      this.#inTurn(context.clientRowId, () => total(context)),
  });
  /** The last forecast of each client that is under way. */
  readonly #last = new Map<number, Promise<unknown>>();

  constructor(clock: Clock, groups: ScheduleGroups) {
    this.#clock = clock;
    this.#groups = groups;
  }

  async of(clientRowId: number, span: 'day' | 'week', host?: string): Promise<Wire.Forecast> {
    const grouped = await this.#groups.of(clientRowId);
    const { spanMs, count } = STEPS[span];
    const from = Math.floor(this.#clock.now() / spanMs) * spanMs;
    const question = { ...grouped, clientRowId, steps: { from, spanMs, count } };
    const totals = await this.#totalsOf(question);
    if (host === undefined) return answer(question, totals, totals);
    const isKnown = totals.byHost.has(host);
    const ofHost = isKnown
      ? await this.#inTurn(clientRowId, () => sum(question, onlyOf(host, totals.counted)))
      : NOTHING(count);
    return answer(question, totals, ofHost);
  }

  async #totalsOf(question: Question): Promise<Totals> {
    const { clientRowId, countedAt, isPartial, steps } = question;
    if (isPartial) return this.#inTurn(clientRowId, () => total(question));
    const key = [clientRowId, steps.spanMs, steps.from, countedAt].join(' ');
    return (await this.#totals.fetch(key, { context: question }))!;
  }

  async #inTurn<Result>(clientRowId: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(clientRowId);
    const mine = (before ?? Promise.resolve()).then(work, work);
    this.#last.set(clientRowId, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(clientRowId) === mine) this.#last.delete(clientRowId);
    }
  }
}

interface Question extends CountedGroups {
  clientRowId: number;
  steps: { from: number; spanMs: number; count: number };
}

interface Sum {
  counts: number[];
  schedules: number;
  byHost: Map<string, number>;
}

interface Totals extends Sum {
  counted: ScheduleGroup[];
  uncounted: number;
  hosts: Wire.Forecast['hosts'];
}

const NOTHING = (count: number): Sum => ({
  counts: new Array<number>(count).fill(0),
  schedules: 0,
  byHost: new Map(),
});

async function total(question: Question): Promise<Totals> {
  const slices = new Slices(question.clientRowId);
  const { counted, uncounted } = await largest(question.groups, MOST_GROUPS, slices);
  const all = await sum(question, counted, slices);
  return { ...all, counted, uncounted, hosts: busiest(all.byHost) };
}

async function sum(
  { clientRowId, steps }: Question,
  groups: ScheduleGroup[],
  slices = new Slices(clientRowId),
): Promise<Sum> {
  const result = NOTHING(steps.count);
  // Many hosts share few times: those are worked out once.
  for (const same of Map.groupBy(groups, timesOf).values()) {
    const { interval, timezone } = same[0]!;
    const schedules = same.reduce((most, { count }) => most + count, 0);
    let times = 0;
    for (const each of countBySpan(interval, timezone, steps)) {
      times += each.times;
      result.counts[each.span]! += each.times * schedules;
      if (slices.isOver) await slices.next();
    }
    result.schedules += schedules;
    for (const { host, count } of same) {
      result.byHost.set(host, (result.byHost.get(host) ?? 0) + times * count);
    }
    if (slices.isOver) await slices.next();
  }
  return result;
}

function answer(
  { countedAt, isPartial, steps }: Question,
  { hosts, uncounted }: Totals,
  { counts, schedules }: Sum,
): Wire.Forecast {
  return {
    from: iso(steps.from),
    stepSeconds: steps.spanMs / 1_000,
    counts,
    firings: counts.reduce((firings, each) => firings + each, 0),
    schedules,
    uncounted,
    hosts,
    countedAt: iso(countedAt),
    ...(isPartial && { isPartial }),
  };
}

/** The hosts with the most firings, without sorting all of them. */
function busiest(byHost: Map<string, number>): Wire.Forecast['hosts'] {
  const isBefore = (a: Wire.ForecastHost, b: Wire.ForecastHost) =>
    a.firings > b.firings || (a.firings === b.firings && a.host < b.host);
  const found: Wire.ForecastHost[] = [];
  for (const [host, firings] of byHost) {
    const each = { host, firings };
    if (found.length === MOST_HOSTS && !isBefore(each, found.at(-1)!)) continue;
    const place = found.findIndex(other => isBefore(each, other));
    found.splice(place === -1 ? found.length : place, 0, each);
    if (found.length > MOST_HOSTS) found.pop();
  }
  return found;
}

function onlyOf(host: string, groups: ScheduleGroup[]): ScheduleGroup[] {
  return groups.filter(group => group.host === host);
}

function timesOf({ interval, timezone }: ScheduleGroup): string {
  return `${timezone} ${interval}`;
}

/** Work in slices of a few milliseconds, with whatever else waits in between. */
class Slices implements YieldTurn {
  readonly #clientRowId: number;
  #endsAt = 0;

  constructor(clientRowId: number) {
    this.#clientRowId = clientRowId;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async next(): Promise<void> {
    await nextSlice(this.#clientRowId);
    this.#endsAt = performance.now() + SLICE_MS;
  }
}
