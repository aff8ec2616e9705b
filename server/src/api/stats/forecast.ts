import type * as Wire from '@punctual/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { countBySpan } from '../../domain/calendar/forecast.ts';
import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import { iso } from '../../domain/iso.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type { ScheduleGroup } from '../../store/contract/stats.ts';
import { Slices } from '../http/slices.ts';
import type { CountedGroups, ScheduleGroups } from './groups.ts';
import { largest } from './largest.ts';
import { withPatience } from './patience.ts';
import { Tally, timesOf } from './tally.ts';

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
/** How long a caller waits for a new forecast where there is one that begins a step before. */
const PATIENCE_MS = 150;
/** One whose schedules were counted earlier than this before is not given. */
const STALE_MS = 5 * MINUTE_MS;

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
  readonly #calendars: Calendars;
  readonly #totals = new LRUCache<string, Totals, Question>({
    max: MOST_TOTALS,
    // A count evicted in the meantime is answered all the same.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _old, { context }) =>
      this.#inTurn(context.clientRowId, () => total(context)),
  });
  /** The latest of each client and span. */
  readonly #latest = new LRUCache<string, WorkedOut>({ max: MOST_TOTALS });
  /** The last forecast of each client that is under way. */
  readonly #last = new Map<number, Promise<unknown>>();

  constructor(clock: Clock, groups: ScheduleGroups, calendars: Calendars) {
    this.#clock = clock;
    this.#groups = groups;
    this.#calendars = calendars;
  }

  async of(clientRowId: number, span: 'day' | 'week', host?: string): Promise<Wire.Forecast> {
    const grouped = await this.#groups.of(clientRowId);
    const { spanMs, count } = STEPS[span];
    const from = Math.floor(this.#clock.now() / spanMs) * spanMs;
    const calendars = this.#calendars;
    const { asked, totals } = await this.#workedOut({
      ...grouped,
      clientRowId,
      calendars,
      steps: { from, spanMs, count },
    });
    if (host === undefined) return answer(asked, totals, totals);
    const isKnown = totals.byHost.has(host);
    const ofHost = isKnown
      ? await this.#inTurn(clientRowId, () => sum(asked, onlyOf(host, totals.counted)))
      : NOTHING(count);
    return answer(asked, totals, ofHost);
  }

  async #workedOut(question: Question): Promise<WorkedOut> {
    const { clientRowId, isPartial, steps } = question;
    if (isPartial) {
      return { asked: question, totals: await this.#inTurn(clientRowId, () => total(question)) };
    }
    const series = `${clientRowId} ${steps.spanMs}`;
    const latest = this.#latest.get(series);
    const making = this.#make(question, series);
    const isNear = latest !== undefined && isNearTo(latest.asked, question);
    return isNear ? ((await withPatience(making, PATIENCE_MS)) ?? latest) : making;
  }

  async #make(question: Question, series: string): Promise<WorkedOut> {
    const { groups: _, ...asked } = question;
    const { clientRowId, countedAt, steps } = asked;
    const key = [clientRowId, steps.spanMs, steps.from, countedAt].join(' ');
    const totals = (await this.#totals.fetch(key, { context: question }))!;
    const made = { asked, totals };
    this.#latest.set(series, made);
    return made;
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

type Calendars = Pick<CalendarStore, 'versions'>;

interface Asked extends Omit<CountedGroups, 'groups'> {
  clientRowId: number;
  calendars: Calendars;
  steps: { from: number; spanMs: number; count: number };
}

interface Question extends Asked {
  groups: ScheduleGroup[];
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

/** Totals, and the question that they answer: its steps may begin one before those asked for. */
interface WorkedOut {
  asked: Asked;
  totals: Totals;
}

function isNearTo(latest: Asked, { steps, countedAt }: Asked): boolean {
  return (
    Math.abs(steps.from - latest.steps.from) <= steps.spanMs &&
    Math.abs(countedAt - latest.countedAt) <= STALE_MS
  );
}

const NOTHING = (count: number): Sum => ({
  counts: new Array<number>(count).fill(0),
  schedules: 0,
  byHost: new Map(),
});

async function total(question: Question): Promise<Totals> {
  const slices = new Slices(question.clientRowId);
  const { from, spanMs } = question.steps;
  const tally = new Tally(from, () => spanMs);
  await tally.add(question.groups, slices);
  const { counted, uncounted } = await largest(tally.groups(), MOST_GROUPS, slices);
  const all = await sum(question, counted, slices);
  return { ...all, counted, uncounted, hosts: busiest(all.byHost) };
}

async function sum(
  { clientRowId, calendars, steps }: Asked,
  groups: ScheduleGroup[],
  slices = new Slices(clientRowId),
): Promise<Sum> {
  const result = NOTHING(steps.count);
  // Many hosts share few times: those are worked out once.
  for (const same of Map.groupBy(groups, timesOf).values()) {
    const [when] = same as [ScheduleGroup];
    await loadCalendars(calendars, [when]);
    const schedules = same.reduce((most, { count }) => most + count, 0);
    let times = 0;
    for (const each of countBySpan(when, steps)) {
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
  { countedAt, isPartial, steps }: Asked,
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
