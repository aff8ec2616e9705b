import { quoted } from '../calendar/cron/interval-field.ts';
import { isOneOff, isRate } from '../calendar/interval-form.ts';
import { unpausedOf } from '../calendar/nominal.ts';
import { parseOneOff } from '../calendar/one-off.ts';
import { resolveTiming, type TimingFacts } from '../calendar/resolve-timing.ts';
import { checkInterval, isFixedToMinute, nextTime } from '../calendar/times.ts';
import type { AfterCompletion, OnExcluded, Timing, When } from '../calendar/timing.ts';
import { zoneOf } from '../calendar/zones/zone.ts';
import { PunctualError } from '../errors.ts';
import { instantFrom } from '../iso.ts';
import { allGiven } from './given.ts';
import type { Schedule } from './schedule.ts';

/** The timing that a body asks for: read, checked, and resolved. */

/** The fields of a body that decide when a schedule fires; instants as ISO 8601. */
export interface TimingBody {
  startsAt?: string;
  endsAt?: string;
  maxRuns?: number;
  pausedUntil?: string;
  windowSeconds?: number;
  exclude?: string[];
  onExcluded?: OnExcluded;
  afterCompletion?: AfterCompletion;
}

/** The present versions of calendars by their names; all of them are known to this thread. */
export type CalendarVersions = ReadonlyMap<string, string>;

export const NO_CALENDARS: CalendarVersions = new Map();

/** @throws PunctualError `request_invalid` that names the field */
export function timingFrom(body: TimingBody, now: number): Timing {
  const { maxRuns, windowSeconds, exclude, onExcluded, afterCompletion } = body;
  const [startsAt, endsAt] = [instantOf(body, 'startsAt'), instantOf(body, 'endsAt')];
  const pausedUntil = instantOf(body, 'pausedUntil');
  // An instant that has passed counts as null.
  const isAhead = pausedUntil !== undefined && pausedUntil > now;
  return allGiven({
    startsAt,
    endsAt,
    maxRuns,
    pausedUntil: isAhead ? pausedUntil : undefined,
    windowSeconds,
    exclude,
    onExcluded,
    afterCompletion,
  });
}

/** @throws PunctualError `request_invalid` */
export function instantOf(body: TimingBody, field: 'startsAt' | 'endsAt' | 'pausedUntil') {
  const text = body[field];
  if (text === undefined) return undefined;
  const instant = instantFrom(text);
  if (instant !== null) return instant;
  throw invalid(
    `${field} must be an ISO 8601 date-time with an offset, such as 2026-12-24T18:00:00Z.`,
    text,
  );
}

/** @throws PunctualError `request_invalid` where `endsAt` is not after `startsAt` */
export function checkBounds({ startsAt, endsAt }: Timing): void {
  if (startsAt === undefined || endsAt === undefined || startsAt < endsAt) return;
  throw invalid('endsAt must be after startsAt.');
}

/** @throws PunctualError `request_invalid` where excluded times of this interval cannot move to another day */
export function checkOnExcluded(interval: string, { onExcluded = 'skip' }: Timing): void {
  if (onExcluded === 'skip' || isFixedToMinute(interval)) return;
  throw invalid(
    `onExcluded may be ${onExcluded} only with a cron interval that has one number for the minute and one for the hour.`,
  );
}

/** @throws PunctualError `reference_unknown`, `request_invalid` */
export function versionsOf({ exclude = [] }: Timing, calendars: CalendarVersions): string[] {
  return exclude.map((_name, index) => versionOf(exclude, index, calendars));
}

/** @throws PunctualError `reference_unknown`, `request_invalid` where the calendar at this index cannot be named there */
export function versionOf(exclude: string[], index: number, calendars: CalendarVersions): string {
  const name = exclude[index]!;
  if (exclude.indexOf(name) !== index) {
    throw invalid(`exclude[${index}] names the calendar ${quoted(name)} again.`);
  }
  const version = calendars.get(name);
  if (version !== undefined) return version;
  throw new PunctualError(
    'reference_unknown',
    `exclude[${index}]: there is no calendar ${quoted(name)}.`,
    { refused: name },
  );
}

/** A one-off must lie ahead where it is new or changed. @throws PunctualError `interval_invalid` */
export function checkOneOff(when: When, before: When | null, now: number): void {
  const { interval, timezone } = when;
  if (!isOneOff(interval)) return;
  if (before !== null && before.interval === interval && before.timezone === timezone) return;
  if (parseOneOff(interval, zoneOf(timezone)) > now) return;
  throw new PunctualError('interval_invalid', `interval: ${interval} has passed.`);
}

/**
 * The schedule with its timing checked and resolved.
 *
 * @param before null where the schedule is new
 * @throws PunctualError `interval_invalid`, `timezone_unknown`, `request_invalid`, `reference_unknown`
 */
export function withTiming(
  draft: Schedule,
  before: Schedule | null,
  now: number,
  calendars: CalendarVersions,
): Schedule {
  if (draft.timing === undefined && !isRate(draft.interval)) {
    // Most are plain: nothing is to be resolved.
    checkInterval(draft);
    return draft;
  }
  const { timing, ...plain } = draft;
  const { id, externalId, createdAt } = draft;
  const counted = { ...timing, ...countFromOf(draft, before, now) };
  const facts = { createdAt, hashed: externalId ?? id };
  const resolved = resolvedTiming({ ...draft, timing: counted }, facts, calendars);
  return resolved === undefined ? plain : { ...plain, timing: resolved };
}

/**
 * When a body would fire that was created now. Without an external id its times stand at the start of the window.
 *
 * @param from a preview counts from here instead, times before it included that a window or a move brings behind it; epoch ms
 * @throws PunctualError `interval_invalid`, `timezone_unknown`, `request_invalid`, `reference_unknown`
 */
export function unstoredWhen(
  body: TimingBody & { interval: string; timezone: string; externalId?: string },
  now: number,
  calendars: CalendarVersions,
  from?: number,
): When {
  const { interval, timezone, externalId = null } = body;
  const timing = timingFrom(body, now);
  const createdAt = from ?? now;
  const counted = timing.maxRuns === undefined ? timing : { ...timing, countFrom: createdAt };
  const facts = { createdAt, hashed: externalId, isPreview: from !== undefined };
  const when = { interval, timezone, timing: counted };
  const resolved = resolvedTiming(when, facts, calendars);
  return resolved === undefined ? { interval, timezone } : { interval, timezone, timing: resolved };
}

function resolvedTiming(
  when: When & { timing: Timing },
  facts: Omit<TimingFacts, 'versions'>,
  calendars: CalendarVersions,
): Timing | undefined {
  const { interval, timing } = when;
  checkInterval(when);
  checkBounds(timing);
  checkOnExcluded(interval, timing);
  return resolveTiming(when, { ...facts, versions: versionsOf(timing, calendars) });
}

/** `maxRuns` counts from the create, or from the last change of the times that it counts. */
function countFromOf(draft: Schedule, before: Schedule | null, now: number): Timing {
  if (draft.timing?.maxRuns === undefined) return {};
  const isSame = before !== null && countedFields(before) === countedFields(draft);
  return { countFrom: isSame ? (before.timing?.countFrom ?? now) : now };
}

function countedFields({ interval, timezone, timing = {} }: When): string {
  const { startsAt, exclude, maxRuns } = timing;
  return JSON.stringify([interval, timezone, startsAt, exclude, maxRuns]);
}

/** All fields, in one order. */
const FIELDS = [
  ...['startsAt', 'endsAt', 'maxRuns', 'pausedUntil', 'windowSeconds', 'exclude', 'onExcluded'],
  ...['afterCompletion', 'countFrom', 'lastAt', 'offsetMs', 'anchorAt', 'calendars', 'createdAt'],
];

export function isSameTiming(a: Timing | undefined, b: Timing | undefined): boolean {
  return a === b || JSON.stringify(a, FIELDS) === JSON.stringify(b, FIELDS);
}

/** @throws PunctualError `request_invalid` where a bound leaves no time to come, paused or not */
export function checkComing(when: When, now: number): void {
  const why = whyNothingComes(when, now);
  if (why !== null) throw invalid(`The schedule has no time to come: ${why}.`);
}

/**
 * Why an enabled schedule has no time to come, whether it is paused or not: the end of a sentence, or null where it has one,
 * or where nothing bounds it.
 */
export function whyNothingComes(when: When, now: number): string | null {
  const { timing = {} } = when;
  const { endsAt, maxRuns, lastAt, exclude, offsetMs = 0 } = timing;
  const isBounded = isOneOff(when.interval) || endsAt !== undefined || maxRuns !== undefined;
  if (!isBounded && exclude === undefined) return null;
  if (nextTime({ ...when, timing: unpausedOf(timing) }, now) !== null) return null;
  if (endsAt !== undefined && endsAt <= now) return 'endsAt has passed';
  if (lastAt !== undefined && lastAt + offsetMs <= now)
    return `all of its ${maxRuns} times have passed`;
  if (isOneOff(when.interval) && nextTime(bareOf(when), now) === null)
    return 'its one time has passed';
  return exclude === undefined
    ? 'no time of its interval lies within its bounds'
    : 'no time of its interval lies within its bounds and outside its calendars';
}

function bareOf({ interval, timezone }: When): When {
  return { interval, timezone };
}

function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('request_invalid', sentence, { refused });
}
