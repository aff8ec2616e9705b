import type { Zone } from '../zones/zone.ts';
import { invalid } from './content-lines.ts';
import type { Effort } from './effort.ts';
import type { FileZones } from './file-zones.ts';
import { dayStart, type Moment, readDuration, readMoment } from './moment.ts';
import type { Period } from './period.ts';
import { expand } from './recurrence.ts';
import { readRule } from './recurrence-rule.ts';
import type { SeriesEvent } from './series-event.ts';

/** Instants, `to` exclusive. */
export interface PeriodSpan {
  from: number;
  to: number;
}

/** The length of an event: days of the wall clock, then elapsed time. */
interface Length {
  days: number;
  ms: number;
}

/** A start on the wall clock of its event, and its own length if it has one. */
interface Instance {
  localTime: number;
  length: Length | null;
}

/**
 * The periods of a series that touch the window: all events of one UID. A changed instance takes the place of its original,
 * whenever that was; a cancelled one takes it and leaves it empty.
 *
 * @throws PunctualError `calendar_invalid`
 */
export function* expandSeries(
  events: readonly SeriesEvent[],
  zones: FileZones,
  window: PeriodSpan,
  effort: Effort,
): Generator<Period> {
  const changed = latestChanges(events.filter(({ recurrenceId }) => recurrenceId !== null));
  for (const event of events) {
    effort.spend(EVENT_STEPS);
    if (event.recurrenceId !== null) continue;
    if (mayTouch(event, changed, window)) {
      yield* new Series(event, changed, zones, window, effort).periods();
    }
  }
  for (const event of changed) {
    if (event.isCancelled || !mayTouch(event, [], window)) continue;
    yield* new Series(single(event), [], zones, window, effort).periods();
  }
}

function single(event: SeriesEvent): SeriesEvent {
  return { ...event, rules: [], dates: [], exceptionDates: [] };
}

/** Of two versions of an instance, the later one. */
function latestChanges(events: readonly SeriesEvent[]): SeriesEvent[] {
  const latest = new Map<string, SeriesEvent>();
  for (const event of events) {
    const { localTime, timezone } = event.recurrenceId!;
    const key = `${localTime} ${timezone}`;
    const known = latest.get(key);
    if (known === undefined || known.sequence <= event.sequence) latest.set(key, event);
  }
  return [...latest.values()];
}

/** A first look at the wall clock, before zones are read: most events of a long history are over. */
function mayTouch(
  event: SeriesEvent,
  changed: readonly SeriesEvent[],
  { from, to }: PeriodSpan,
): boolean {
  const { start, end, duration, rules, dates } = event;
  if (rules.length > 0 || dates.length > 0 || changed.length > 0) return true;
  const length = end !== null ? end.localTime - start.localTime : lengthMs(duration ?? NONE);
  return (
    start.localTime - MARGIN_MS < to && start.localTime + Math.max(0, length) + MARGIN_MS > from
  );
}

/** One event with all its instances. */
class Series {
  readonly #event: SeriesEvent;
  readonly #zones: FileZones;
  readonly #window: PeriodSpan;
  readonly #effort: Effort;
  readonly #length: Length;
  /** Starts of the series that are no instances: by day, and by time. */
  readonly #takenDays = new Set<number>();
  readonly #takenTimes = new Set<number>();
  /** Changes from an instance on, by its start. */
  readonly #laterChanges: { localTime: number; shiftMs: number; series: Series | null }[] = [];

  constructor(
    event: SeriesEvent,
    changed: readonly SeriesEvent[],
    zones: FileZones,
    window: PeriodSpan,
    effort: Effort,
  ) {
    this.#event = event;
    this.#zones = zones;
    this.#window = window;
    this.#effort = effort;
    this.#length = this.#lengthOfEvent();
    for (const property of event.exceptionDates) {
      for (const text of this.#list(property.value)) this.#take(readMoment(text, property));
    }
    for (const change of changed) this.#note(change);
    this.#laterChanges.sort((a, b) => a.localTime - b.localTime);
  }

  *periods(): Generator<Period> {
    for (const { localTime, length } of this.#instances()) {
      this.#effort.spend(INSTANCE_STEPS);
      if (this.#isTaken(localTime)) continue;
      const change = this.#changeAt(localTime);
      const period =
        change === undefined
          ? this.#periodAt(localTime, length ?? this.#length)
          : change.series?.shiftedTo(localTime + change.shiftMs);
      if (period === undefined || period.to <= period.from || !this.#touches(period)) continue;
      yield { ...period, to: Math.min(period.to, LAST_TIME) };
    }
  }

  shiftedTo(localTime: number): Period {
    return this.#periodAt(localTime, this.#length);
  }

  get #isLocal(): boolean {
    return this.#event.start.isDate || this.#event.timezone === null;
  }

  /** Of the wall clock; null where that is local. */
  get #zone(): Zone | null {
    const { timezone, line } = this.#event;
    return timezone === null ? null : this.#zones.find(timezone, line);
  }

  #periodAt(localTime: number, { days, ms }: Length): Period {
    const { summary } = this.#event;
    if (this.#isLocal) {
      return { from: localTime, to: localTime + days * DAY_MS + ms, isLocal: true, summary };
    }
    const from = instantOf(this.#zone!, localTime);
    const nominal = days === 0 ? from : instantOf(this.#zone!, localTime + days * DAY_MS);
    return { from, to: nominal + ms, isLocal: false, summary };
  }

  #touches({ from, to, isLocal }: Period): boolean {
    const margin = isLocal ? DAY_MS : 0;
    return from < this.#window.to + margin && to > this.#window.from - margin;
  }

  *#instances(): Generator<Instance> {
    const { start, rules, dates } = this.#event;
    yield { localTime: start.localTime, length: null };
    for (const property of dates) {
      for (const text of this.#list(property.value)) {
        const [first, second] = text.split('/', 2);
        const moment = readMoment(first!, property);
        const localTime = this.#localTimeOf(moment) + (moment.isDate ? this.#timeOfDay : 0);
        const length = second === undefined ? null : this.#lengthUntil(second, moment, property);
        yield { localTime, length };
      }
    }
    const reachMs = this.#reachMs();
    const bounds = {
      start: start.localTime,
      isDate: start.isDate,
      from: this.#window.from - reachMs,
      to: this.#window.to + reachMs,
    };
    for (const property of rules) {
      const rule = readRule(property, instant => this.#wallClockAt(instant));
      const isShort = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.frequency);
      if (isShort && start.isDate) {
        throw invalid(
          `Line ${property.line} of the calendar has a rule by hours for an event of whole days.`,
        );
      }
      for (const localTime of expand(rule, bounds, this.#effort)) yield { localTime, length: null };
    }
  }

  /** How far from the window an instance may begin and touch it nevertheless. */
  #reachMs(): number {
    const shifts = this.#laterChanges.map(
      ({ shiftMs, series }) => Math.abs(shiftMs) + (series === null ? 0 : lengthMs(series.#length)),
    );
    return MARGIN_MS + lengthMs(this.#length) + shifts.reduce((a, b) => Math.max(a, b), 0);
  }

  get #timeOfDay(): number {
    const { localTime } = this.#event.start;
    return localTime - dayStart(localTime);
  }

  #list(value: string): string[] {
    const values = value.split(',').filter(each => each.trim() !== '');
    this.#effort.spend(values.length * DATE_STEPS);
    return values;
  }

  #note(change: SeriesEvent): void {
    const recurrenceId = change.recurrenceId!;
    this.#effort.spend(EVENT_STEPS);
    this.#take(recurrenceId);
    if (!change.changesLaterOnes) return;
    const localTime = this.#localTimeOf(recurrenceId);
    this.#laterChanges.push({
      localTime,
      shiftMs: change.start.localTime - localTime,
      series: change.isCancelled
        ? null
        : new Series(single(change), [], this.#zones, this.#window, this.#effort),
    });
  }

  #changeAt(localTime: number) {
    if (this.#laterChanges.length === 0) return undefined;
    this.#effort.spend(this.#laterChanges.length);
    return this.#laterChanges.findLast(change => change.localTime <= localTime);
  }

  #take(moment: Moment): void {
    const localTime = this.#localTimeOf(moment);
    const isDay = moment.isDate || this.#event.start.isDate;
    if (isDay) this.#takenDays.add(dayStart(localTime));
    else this.#takenTimes.add(localTime);
  }

  #isTaken(localTime: number): boolean {
    return this.#takenTimes.has(localTime) || this.#takenDays.has(dayStart(localTime));
  }

  /** On the wall clock of the event. */
  #localTimeOf({ localTime, timezone, line }: Moment): number {
    const own = this.#event.timezone;
    if (timezone === null || own === null || timezone === own) return localTime;
    return this.#wallClockAt(instantOf(this.#zones.find(timezone, line), localTime));
  }

  #wallClockAt(instant: number): number {
    return this.#zone === null ? instant : instant + this.#zone.segmentAt(instant).offsetMs;
  }

  #lengthOfEvent(): Length {
    const { start, end, duration, line } = this.#event;
    const isDays = start.isDate;
    const length = end !== null ? this.#lengthTo(start, end) : (duration ?? NONE);
    if (lengthMs(length) < 0) {
      throw invalid(`The event at line ${line} of the calendar ends before it begins.`);
    }
    // Also where a day ends on itself, as some programs write it.
    return isDays && lengthMs(length) === 0 ? { days: 1, ms: 0 } : length;
  }

  #lengthTo(start: Moment, end: Moment): Length {
    if (this.#isLocal) return { days: 0, ms: end.localTime - start.localTime };
    return { days: 0, ms: this.#instantOf(end) - this.#instantOf(start) };
  }

  /** Of an end without a zone, that of the event. */
  #instantOf({ localTime, timezone, line }: Moment): number {
    return instantOf(timezone === null ? this.#zone! : this.#zones.find(timezone, line), localTime);
  }

  /** Of a period in RDATE: its end, or its duration. */
  #lengthUntil(text: string, start: Moment, property: SeriesEvent['dates'][number]): Length {
    return readDuration(text) ?? this.#lengthTo(start, readMoment(text, property));
  }
}

/** RFC 5545, 3.3.5: of a time that comes twice the first one; one that does not come counts by the offset before the gap. */
function instantOf(zone: Zone, localTime: number): number {
  // No wall clock is more than a day from UTC.
  let segment = zone.segmentAt(localTime - MARGIN_MS);
  while (localTime - segment.offsetMs >= segment.endAt) segment = zone.segmentAt(segment.endAt);
  const instant = localTime - segment.offsetMs;
  return instant >= segment.startAt ? instant : instant + segment.shiftMs;
}

function lengthMs({ days, ms }: Length): number {
  return days * DAY_MS + ms;
}

const NONE: Length = { days: 0, ms: 0 };
const DAY_MS = 86_400_000;
/** The year 9999 is the last one that ISO 8601 writes with four digits. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MARGIN_MS = 2 * DAY_MS;
const EVENT_STEPS = 20;
const INSTANCE_STEPS = 20;
const DATE_STEPS = 5;
