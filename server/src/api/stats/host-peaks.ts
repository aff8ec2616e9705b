import type * as Wire from '@punctual/client';
import { countBySpan } from '../../domain/calendar/forecast.ts';
import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import { iso } from '../../domain/iso.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { hostOf } from '../../domain/schedule/target.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type { ScheduleGroup } from '../../store/contract/stats.ts';
import type { YieldTurn } from '../http/slices.ts';
import { Tally, timesOf } from './tally.ts';

/** The busiest minute of hosts, without and with changes of schedules. */

const MINUTE_MS = 60_000;
const MOST_HOSTS = 20;
/** Minutes in which something fires, of all groups together: some five seconds. */
const MOST_STEPS = 10_000_000;

/** A schedule that fires, before or after a change; null where it does not. */
export interface FiringChange {
  before: Schedule | null;
  after: Schedule | null;
}

interface Question {
  changes: FiringChange[];
  /** Of the same client, the changed schedules among them. */
  groups: ScheduleGroup[];
  from: number;
  to: number;
  calendars: Pick<CalendarStore, 'versions'>;
}

/**
 * Of the hosts that the changes touch, those with the most changed schedules. Groups of few schedules are left out where
 * there are too many different ones.
 */
export async function hostPeaks(
  { changes, groups, from, to, calendars }: Question,
  turn: YieldTurn,
): Promise<{ herd: Wire.HerdEffect[]; isPartial: boolean }> {
  const counting = new Counting(touchedHosts(changes), { from, to }, calendars, turn);
  await counting.add(groups);
  const before = counting.busiest();
  await counting.add(changes.flatMap(changedGroups));
  const after = counting.busiest();
  const herd = [...before].map(([host, minute]) => ({
    host,
    ...(minute && { before: minute }),
    ...(after.get(host) && { after: after.get(host)! }),
  }));
  return { herd, isPartial: counting.isPartial };
}

/** The schedule as it was goes, and as it is comes. */
function changedGroups({ before, after }: FiringChange): ScheduleGroup[] {
  return [
    ...(before === null ? [] : [groupOf(before, -1)]),
    ...(after === null ? [] : [groupOf(after, 1)]),
  ];
}

function groupOf({ url, interval, timezone, timing }: Schedule, count: number): ScheduleGroup {
  return { host: hostOf(url), interval, timezone, ...(timing && { timing }), count };
}

function touchedHosts(changes: FiringChange[]): string[] {
  const touched = new Map<string, number>();
  for (const { before, after } of changes) {
    const hosts = new Set([before, after].flatMap(each => (each ? hostOf(each.url) : [])));
    for (const host of hosts) touched.set(host, (touched.get(host) ?? 0) + 1);
  }
  return [...touched]
    .sort(([a, many], [b, most]) => most - many || (a < b ? -1 : 1))
    .slice(0, MOST_HOSTS)
    .map(([host]) => host);
}

/** Firings of some hosts, minute by minute. */
class Counting {
  readonly #steps: { from: number; spanMs: number; count: number };
  readonly #hosts: Map<string, Float64Array>;
  readonly #calendars: Question['calendars'];
  readonly #turn: YieldTurn;
  #stepsLeft = MOST_STEPS;

  constructor(
    hosts: string[],
    range: { from: number; to: number },
    calendars: Question['calendars'],
    turn: YieldTurn,
  ) {
    const from = Math.floor(range.from / MINUTE_MS) * MINUTE_MS;
    const count = Math.ceil((range.to - from) / MINUTE_MS);
    this.#steps = { from, spanMs: MINUTE_MS, count };
    this.#hosts = new Map(hosts.map(host => [host, new Float64Array(count)]));
    this.#calendars = calendars;
    this.#turn = turn;
  }

  get isPartial(): boolean {
    return this.#stepsLeft === 0;
  }

  /** @param groups those of other hosts are left out; a negative count takes firings away */
  async add(groups: ScheduleGroup[]): Promise<void> {
    const tally = new Tally(this.#steps.from, () => MINUTE_MS);
    await tally.add(
      groups.filter(({ host }) => this.#hosts.has(host)),
      this.#turn,
    );
    const sorted = tally.groups().sort((a, b) => b.count - a.count);
    for (const same of Map.groupBy(sorted, timesOf).values()) await this.#addSame(same);
  }

  /** @param same groups that fire at the same times */
  async #addSame(same: ScheduleGroup[]): Promise<void> {
    if (this.isPartial) return;
    await loadCalendars(this.#calendars, same);
    for (const { span, times } of countBySpan(same[0]!, this.#steps)) {
      for (const { host, count } of same) this.#hosts.get(host)![span]! += times * count;
      if (this.#turn.isOver) await this.#turn.next();
      this.#stepsLeft -= 1;
      if (this.isPartial) return;
    }
  }

  busiest(): Map<string, Wire.BusiestMinute | null> {
    const minutes = [...this.#hosts].map(([host, counts]) => [host, this.#most(counts)] as const);
    return new Map(minutes);
  }

  #most(counts: Float64Array): Wire.BusiestMinute | null {
    let best = 0;
    for (const [minute, firings] of counts.entries()) {
      if (firings > counts[best]!) best = minute;
    }
    const firings = counts[best] ?? 0;
    return firings <= 0 ? null : { at: iso(this.#steps.from + best * MINUTE_MS), firings };
  }
}
