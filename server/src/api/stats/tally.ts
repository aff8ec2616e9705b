import { forecastTiming } from '../../domain/calendar/forecast-timing.ts';
import type { Timing } from '../../domain/calendar/timing.ts';
import type { ScheduleGroup } from '../../store/contract/stats.ts';
import type { YieldTurn } from '../http/slices.ts';

/** Looked at again and again whether to give way: a step of work is this many groups. */
const GROUPS_AT_ONCE = 1_024;

/** Tally of groups: those with the same host, and with the same counts in each step from `from` on, are one. */
export class Tally {
  readonly #from: number;
  readonly #stepMsOf: (timing: Timing) => number;
  readonly #groups = new Map<string, ScheduleGroup>();

  /** @param stepMsOf how coarse the times of a timing may be told */
  constructor(from: number, stepMsOf: (timing: Timing) => number) {
    this.#from = from;
    this.#stepMsOf = stepMsOf;
  }

  async add(groups: ScheduleGroup[], turn: YieldTurn): Promise<void> {
    for (const [index, group] of groups.entries()) {
      if (index % GROUPS_AT_ONCE === GROUPS_AT_ONCE - 1 && turn.isOver) await turn.next();
      const each = this.#coarse(group);
      const key = `${each.host}\0${timesOf(each)}`;
      const before = this.#groups.get(key)?.count ?? 0;
      this.#groups.set(key, before === 0 ? each : { ...each, count: before + each.count });
    }
  }

  #coarse(group: ScheduleGroup): ScheduleGroup {
    const { timing: given, ...plain } = group;
    if (given === undefined) return group;
    const timing = forecastTiming(group, this.#from, this.#stepMsOf(given));
    return timing === undefined ? plain : { ...plain, timing };
  }

  groups(): ScheduleGroup[] {
    return [...this.#groups.values()];
  }
}

/** The same text for the same times. */
export function timesOf({ interval, timezone, timing }: ScheduleGroup): string {
  return `${timezone}\0${interval}\0${timing === undefined ? '' : JSON.stringify(timing)}`;
}
