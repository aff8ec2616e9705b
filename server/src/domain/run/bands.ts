import { nextTime } from '../calendar/times.ts';
import { fieldsOf, type Timing } from '../calendar/timing.ts';
import { iso } from '../iso.ts';
import {
  type HeldSchedule,
  type Standing,
  type StandingFacts,
  standingAt,
  standingEdges,
} from './standing.ts';
import { causeIn, type MissedCause, type Pause } from './unseen.ts';

/**
 * Bands: the spans in which a schedule could not fire, each with its reason, and the instants at which its times were
 * changed. They are what explain says of the instants in them: both take it from the standing of the schedule and from
 * the reasons of records.
 */
export type BandKind = Standing | MissedCause;

export interface Band {
  kind: BandKind;
  /** Epoch ms. */
  from: number;
  /** Exclusive. */
  until: number;
  /** One sentence. */
  sentence: string;
}

/** The interval, the time zone, the bounds, the calendars or the window were changed. */
export interface TimesEdit {
  at: number;
  sentence: string;
}

/** A nominal time that was missed, or many of them in one record. */
export interface MissedTime {
  scheduledFor: number;
  reason: string;
  missed?: { count: number; from: number; to: number };
}

export interface BandFacts {
  schedule: StandingFacts['schedule'];
  /** The states of the schedule, in order, each until the next. */
  held: readonly HeldSchedule[];
  /** In order. */
  missed: readonly MissedTime[];
  /** Of the installation, those that have ended, in order. */
  pauses: readonly Pause[];
  /** Since when the installation is paused; null: it is not. */
  pausedSince: number | null;
  now: number;
}

/** Nominal times are whole seconds: a missed one takes this long. */
const SECOND_MS = 1_000;

/**
 * The bands from `from` to `until`, in the order of their start.
 *
 * @param until exclusive
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function bandsBetween(facts: BandFacts, from: number, until: number): Band[] {
  const all = [...standingBands(facts), ...haltedBands(facts), ...missedBands(facts)];
  return all
    .filter(band => band.from < until && band.until > from)
    .map(band => ({
      ...band,
      from: Math.max(from, band.from),
      until: Math.min(until, band.until),
    }))
    .sort((a, b) => a.from - b.from);
}

function standingBands({ schedule, held }: BandFacts): Band[] {
  return held.flatMap(state => {
    const facts = { schedule, held: state };
    const start = state.since ?? 0;
    const end = state.until ?? Number.POSITIVE_INFINITY;
    const edges = standingEdges(facts).filter(edge => edge > start && edge < end);
    const starts = [start, ...edges];
    return starts.flatMap((at, piece) => {
      const answer = standingAt(facts, at);
      const stop = starts[piece + 1] ?? end;
      if (answer === null || stop <= at) return [];
      return [{ kind: answer[0], from: at, until: stop, sentence: answer[1] }];
    });
  });
}

/** An operator paused the installation: nothing of anybody fired. */
function haltedBands({ pauses, pausedSince, now }: BandFacts): Band[] {
  const ended = pauses.map(({ since, until }) => ({
    kind: 'halted' as const,
    from: since,
    until,
    sentence: `Punctual was paused, from ${iso(since)} to ${iso(until)}.`,
  }));
  if (pausedSince === null) return ended;
  const sentence = `Punctual is paused since ${iso(pausedSince)}.`;
  return [...ended, { kind: 'halted', from: pausedSince, until: now, sentence }];
}

/** Missed times of one cause, one band for all between which no other time is. */
function missedBands({ held, missed, pauses }: BandFacts): Band[] {
  const bands: Band[] = [];
  for (const { scheduledFor, reason, missed: many } of missed) {
    const kind = causeIn(reason);
    const last = many?.to ?? scheduledFor;
    if (kind === 'halted' && pauses.some(pause => isWithin(scheduledFor, pause))) continue;
    const before = bands.at(-1);
    if (before?.kind === kind && isNextTime(held, before.until - SECOND_MS, scheduledFor)) {
      before.until = last + SECOND_MS;
    } else {
      bands.push({ kind, from: scheduledFor, until: last + SECOND_MS, sentence: reason });
    }
  }
  return bands;
}

function isWithin(at: number, { since, until }: Pause): boolean {
  return since <= at && at <= until;
}

function isNextTime(held: readonly HeldSchedule[], last: number, at: number): boolean {
  const state = held.findLast(({ since }) => since === null || since <= at);
  if (state === undefined) return false;
  const next = nextTime(state, last);
  return next === null || next >= at;
}

/** @param held in order */
export function editsOf(held: readonly HeldSchedule[]): TimesEdit[] {
  return held.slice(1).flatMap((after, index) => {
    const sentence = editSentence(held[index]!, after);
    return sentence === null || after.since === null ? [] : [{ at: after.since, sentence }];
  });
}

function editSentence(before: HeldSchedule, after: HeldSchedule): string | null {
  if (before.interval !== after.interval) {
    return `Its interval was changed from "${before.interval}" to "${after.interval}".`;
  }
  if (before.timezone !== after.timezone) {
    return `Its time zone was changed from ${before.timezone} to ${after.timezone}.`;
  }
  if (textOf(before.timing) !== textOf(after.timing)) {
    return 'Its bounds, its window or its calendars were changed.';
  }
  if (`${before.timing?.calendars}` === `${after.timing?.calendars}`) return null;
  return 'A calendar that it excludes was changed.';
}

/** Without the pause, which has a band. */
function textOf(timing: Timing = {}): string {
  const { pausedUntil: _, ...fields } = fieldsOf(timing);
  return JSON.stringify(fields, Object.keys(fields).sort());
}
