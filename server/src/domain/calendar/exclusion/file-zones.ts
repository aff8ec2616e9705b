import { isTimezone, Zone, zoneOf } from '../zones/zone.ts';
import {
  type Component,
  type ContentLine,
  invalid,
  propertiesOf,
  propertyOf,
} from './content-lines.ts';
import type { Effort } from './effort.ts';
import { readMoment } from './moment.ts';
import { expand } from './recurrence.ts';
import { readRule } from './recurrence-rule.ts';

/**
 * The time zones that ICS text names.
 *
 * For a name of IANA's our rules count, not the VTIMEZONE of the text. Programs write only part of a zone's rules there,
 * often those of one year, or rules that have changed since. Any other name, such as one of Windows', is described by its
 * VTIMEZONE alone. After its last change its last offset holds.
 */
export class FileZones {
  readonly #described = new Map<string, Component>();
  readonly #found = new Map<string, Zone>();
  readonly #until: number;
  readonly #effort: Effort;

  /** @param until described zones are known up to here */
  constructor(calendars: readonly Component[], until: number, effort: Effort) {
    this.#until = until;
    this.#effort = effort;
    for (const { components } of calendars) {
      for (const component of components) {
        const name = propertyOf(component, 'TZID')?.value.trim();
        if (component.name === 'VTIMEZONE' && name) this.#described.set(name, component);
      }
    }
  }

  /**
   * @param line of who asks
   * @throws PunctualError `calendar_invalid` where the text does not describe it, or not well
   */
  find(name: string, line: number): Zone {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const zone = this.#read(name, line);
    this.#found.set(name, zone);
    return zone;
  }

  #read(name: string, line: number): Zone {
    // To read the rules of a zone takes half a millisecond.
    this.#effort.spend(10_000);
    const described = this.#described.get(name);
    const location = described && propertyOf(described, 'X-LIC-LOCATION')?.value.trim();
    const timezone = ianaName(name) ?? (location ? ianaName(location) : null);
    if (timezone !== null) return zoneOf(timezone);
    if (described !== undefined) return zoneOfDescription(described, this.#until, this.#effort);
    const shown = JSON.stringify(name.slice(0, 80));
    throw invalid(
      `Line ${line} of the calendar names the time zone ${shown}, which is not IANA's and has no VTIMEZONE.`,
    );
  }
}

/** Also of names that programs have put something before: `/mozilla.org/20050126_1/Europe/Berlin`. */
function ianaName(name: string): string | null {
  if (isTimezone(name)) return name;
  if (!name.startsWith('/')) return null;
  const parts = name.split('/').slice(-4);
  const names = parts.map((_, index) => parts.slice(index).join('/'));
  return names.find(isTimezone) ?? null;
}

const ONSET_STEPS = 20;

interface Onset {
  at: number;
  fromMs: number;
  toMs: number;
}

function zoneOfDescription(described: Component, until: number, effort: Effort): Zone {
  const onsets = described.components
    .filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT')
    .flatMap(observance => onsetsOf(observance, until, effort))
    .sort((a, b) => a.at - b.at);
  const [first] = onsets;
  if (first === undefined) {
    throw invalid(`The VTIMEZONE at line ${described.line} of the calendar has no rules.`);
  }
  const last = onsets.filter(({ at }, index) => at !== onsets[index + 1]?.at);
  return new Zone({
    startsAt: last.map(({ at }) => at),
    offsetsMs: [first.fromMs, ...last.map(({ toMs }) => toMs)],
    tail: null,
    tailFrom: 0,
  });
}

function onsetsOf(observance: Component, until: number, effort: Effort): Onset[] {
  const fromMs = offsetOf(observance, 'TZOFFSETFROM');
  const toMs = offsetOf(observance, 'TZOFFSETTO');
  const start = readMoment(required(observance, 'DTSTART').value, required(observance, 'DTSTART'));
  const times = [start.localTime];
  for (const property of propertiesOf(observance, 'RDATE')) {
    const dates = property.value.split(',');
    effort.spend(dates.length * ONSET_STEPS);
    for (const date of dates) times.push(readMoment(date.split('/')[0]!, property).localTime);
  }
  for (const property of propertiesOf(observance, 'RRULE')) {
    const rule = readRule(property, instant => instant + fromMs);
    const bounds = { start: start.localTime, isDate: false, from: start.localTime, to: until };
    for (const time of expand(rule, bounds, effort)) {
      effort.spend(ONSET_STEPS);
      times.push(time);
    }
  }
  return times.map(time => ({ at: time - fromMs, fromMs, toMs }));
}

function offsetOf(observance: Component, name: string): number {
  const { value, line } = required(observance, name);
  const [, sign, hours, minutes, seconds = '0'] =
    /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(value.trim()) ?? [];
  if (sign === undefined || Number(hours) > 24) {
    throw invalid(`Line ${line} of the calendar has no valid offset in ${name}.`);
  }
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ms : ms;
}

function required(component: Component, name: string): ContentLine {
  const property = propertyOf(component, name);
  if (property !== undefined) return property;
  throw invalid(`The ${component.name} at line ${component.line} of the calendar has no ${name}.`);
}
