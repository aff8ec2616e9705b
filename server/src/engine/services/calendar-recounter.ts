import type { Clock } from '../../clock.ts';
import {
  loadCalendars,
  loadVersions,
  unknownVersions,
} from '../../domain/calendar/load-calendars.ts';
import { countTimes, nextTime, timesBetween } from '../../domain/calendar/times.ts';
import { type Start, startOf } from '../../domain/run/start.ts';
import { withCalendars } from '../../domain/schedule/calendar-change.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { CalendarVersions } from '../../domain/schedule/timing-draft.ts';
import type { CalendarRecount, CalendarStore } from '../../store/contract/calendars.ts';
import type { RunStore } from '../../store/contract/runs.ts';
import type {
  Requeue,
  ScheduleChange,
  ScheduleStore,
  VersionedSchedule,
} from '../../store/contract/schedules.ts';
import { Loop } from '../loop.ts';
import { type EngineObserver, eachOf } from '../observer.ts';

/** Schedules after which it is noted how far a count has come. */
const BITE = 1_000;
/** Schedules that are written together. */
const SLICE = 50;
/** Runs of one schedule that have not ended: more than it can have. */
const MOST_LIVE = 1_100;
/** While times that have passed are decided about: how often to look whether they are, and how many times at most. */
const DECIDED_MS = 25;
const MOST_LOOKS = 10;
/** How often to look for a count, where other nodes put calendars too. */
const POLL_MS = 2_000;

/** A schedule with the present versions of its calendars. */
interface Counted extends VersionedSchedule {
  /** Null where nothing changes. */
  next: Schedule | null;
  start: Start | null;
  /** It is enabled and has no time to come. */
  isEnding: boolean;
  /** Its next time is the one that it had. */
  isSame: boolean;
}

interface CountedChange extends ScheduleChange {
  requeue: Exclude<Requeue, 'keep'>;
  /** A time that is due waits or goes on. */
  isKept: boolean;
  /** Others have passed behind it than the new version has. A node that is just deciding about them goes by the version before. */
  isUndecided: boolean;
}

export interface CalendarRecounterOptions {
  calendars: CalendarStore;
  schedules: ScheduleStore;
  runs: Pick<RunStore, 'list'>;
  clock: Clock;
  observer: EngineObserver;
  /** Whether nodes share the store. */
  isShared: boolean;
  /** No request of this schedule starts but as it now says. */
  changed: (scheduleId: string, changedAt: number) => void;
}

/**
 * Calendar recounter: after a calendar has changed, its schedules count with the new version, newest first.
 *
 * Guarantee: whichever process ends in between, a count goes on where it was, at most `BITE` schedules behind. Each schedule
 * is written by itself, and takes its new times at once.
 */
export class CalendarRecounter {
  readonly #options: CalendarRecounterOptions;
  readonly #loop: Loop;
  #stopping = false;
  /** How many times in a row this bite was left for later. */
  #looks = 0;

  constructor(options: CalendarRecounterOptions) {
    this.#options = options;
    this.#loop = new Loop(
      options.clock,
      () => this.#step(),
      error => options.observer.storeFailed(error),
      undefined,
      POLL_MS,
    );
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    this.#stopping = true;
    return this.#loop.stop();
  }

  /** A calendar was put, or a schedule was written while one changed. */
  wake(): void {
    this.#loop.wake();
  }

  async #step(): Promise<number | null> {
    const { calendars, clock, isShared } = this.#options;
    const recount = await calendars.nextRecount();
    if (recount === null) return isShared ? clock.now() + POLL_MS : null;
    const isWhole = await this.#bite(recount);
    return isWhole ? clock.now() : clock.now() + DECIDED_MS;
  }

  /** @returns false where some are left for later */
  async #bite(recount: CalendarRecount): Promise<boolean> {
    const { calendars } = this.#options;
    const { clientRowId, name, before } = recount;
    const named = await calendars.namedBy(clientRowId, name, before, BITE);
    const mayLeave = this.#looks < MOST_LOOKS;
    let isWhole = true;
    for (let at = 0; at < named.length; at += SLICE) {
      if (this.#stopping) return isWhole;
      const ids = named.slice(at, at + SLICE).map(({ id }) => id);
      if (!(await this.#recountAll(clientRowId, ids, mayLeave))) isWhole = false;
      await new Promise(setImmediate);
    }
    this.#looks = isWhole ? 0 : this.#looks + 1;
    if (!isWhole) return false;
    const isLast = named.length < BITE;
    await calendars.recounted(recount, isLast ? null : named.at(-1)!.scheduleRowId);
    return true;
  }

  /**
   * Until nothing is left to change: a schedule may be written, and its run may end, in the meantime.
   *
   * @returns false where some are left as they are
   */
  async #recountAll(clientRowId: number, ids: string[], mayLeave: boolean): Promise<boolean> {
    let isWhole = true;
    for (let left = ids; left.length > 0 && !this.#stopping; ) {
      const decided = await this.#decideAll(clientRowId, left);
      const changes = decided.filter(({ isUndecided }) => !(isUndecided && mayLeave));
      if (changes.length < decided.length) isWhole = false;
      const written = await this.#writeAll(clientRowId, changes);
      left = written.filter(({ isOpen }) => isOpen).map(({ id }) => id);
    }
    return isWhole;
  }

  async #decideAll(clientRowId: number, ids: string[]): Promise<CountedChange[]> {
    const { calendars, schedules } = this.#options;
    const found = await schedules.findAll(clientRowId, ids);
    // Those that they counted with so far: a time that is due is told from one that has moved.
    await loadCalendars(
      calendars,
      found.map(({ schedule }) => schedule),
    );
    const names = new Set(found.flatMap(({ schedule }) => schedule.timing?.exclude ?? []));
    const versions = await calendars.present(clientRowId, [...names]);
    await loadVersions(calendars, versions.values());
    const now = this.#options.clock.now();
    const counted = eachOf(
      found,
      ({ schedule }) => schedule.id,
      each => countedAnew(each, versions, now),
      this.#options.observer,
    );
    const changes: CountedChange[] = [];
    for (const each of counted) {
      const change = await this.#changeOf(clientRowId, each, versions, now);
      if (change !== null) changes.push(change);
    }
    return changes;
  }

  async #changeOf(
    clientRowId: number,
    { schedule, version, next, start, isEnding, isSame }: Counted,
    versions: CalendarVersions,
    now: number,
  ): Promise<CountedChange | null> {
    if (next === null && !isEnding) return null;
    const row = (await this.#options.schedules.findAt(clientRowId, schedule.id, now))?.row ?? null;
    const isOver =
      isEnding && !row?.begun && !(await this.#hasFurtherRun(clientRowId, schedule.id));
    const changed = isOver ? withCalendars(schedule, versions, now, false) : next;
    if (changed === null) return null;
    // Nobody asked for a change: a time that is due, and still waits for its turn, fires if the times behind it are the same.
    const isDue = row !== null && row.scheduledFor <= now && isSame && !isOver;
    const isKept = isDue && (row.begun || hasSame(schedule, changed, row.scheduledFor, now));
    // A run that has begun, or does so meanwhile, counts with the version before: its end has to find that the schedule was changed.
    const requeue =
      isKept && !row.begun ? keptAt(row.scheduledFor, changed, now) : { changedAt: now, start };
    return { schedule: changed, version, requeue, isKept, isUndecided: isDue && !isKept };
  }

  /** A run that the target asked for is to come: the schedule completes with that. */
  async #hasFurtherRun(clientRowId: number, scheduleId: string): Promise<boolean> {
    for (const status of ['queued', 'running', 'retrying'] as const) {
      const filter = { scheduleId, status };
      const runs = await this.#options.runs.list(clientRowId, filter, MOST_LIVE);
      if (runs.some(({ trigger }) => trigger === 'target')) return true;
    }
    return false;
  }

  /** @returns those that were written, and whether each is to be looked at again */
  async #writeAll(
    clientRowId: number,
    changes: CountedChange[],
  ): Promise<{ id: string; isOpen: boolean }[]> {
    if (changes.length === 0) return [];
    const { schedules } = this.#options;
    const written: { id: string; isOpen: boolean }[] = [];
    if (await schedules.updateAll(clientRowId, changes)) {
      for (const change of changes) written.push(this.#written(change));
      return written;
    }
    for (const change of changes) {
      const { schedule, version, requeue } = change;
      const isDone = await schedules.update(clientRowId, schedule, version, requeue);
      written.push(isDone ? this.#written(change) : { id: schedule.id, isOpen: true });
    }
    return written;
  }

  /** A run that has begun may have ended before this was written: then nothing else completes its schedule. */
  #written({ schedule, requeue, isKept }: CountedChange): { id: string; isOpen: boolean } {
    const { id, status } = schedule;
    if (!isKept) this.#options.changed(id, requeue.changedAt);
    return { id, isOpen: status === 'enabled' && requeue.start === null };
  }
}

/** Times that are compared one by one. */
const MOST_COMPARED = 1_000;

/** Whether both have the same times behind this one. Of those that pass, the latest fires and the others are recorded. */
function hasSame(before: Schedule, changed: Schedule, time: number, now: number): boolean {
  const [times, others] = [before, changed].map(schedule => [
    countTimes(schedule, time + 1, now),
    ...timesBetween(schedule, time + 1, now, MOST_COMPARED),
  ]);
  return times!.every((each, index) => each === others![index]);
}

/** A row that waits for this time goes on to wait. A claim that was just made for it comes again. */
function keptAt(time: number, schedule: Schedule, now: number): CountedChange['requeue'] {
  const start = { first: time, second: nextTime(schedule, time) };
  return { changedAt: now, start, keptFor: time };
}

function countedAnew(
  { schedule, version }: VersionedSchedule,
  versions: CalendarVersions,
  now: number,
): Counted {
  const next = withCalendars(schedule, versions, now, true);
  const start = startOf(next ?? schedule, now);
  const isEnding = start === null && schedule.status === 'enabled';
  const isKnown = unknownVersions([schedule], each => each) === null;
  const isSame = isKnown && start?.first === startOf(schedule, now)?.first;
  return { schedule, version, next, start, isEnding, isSame };
}
