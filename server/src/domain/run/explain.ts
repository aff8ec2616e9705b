import { clockNoteAt, localTimeAt, movedTo } from '../calendar/clock-change.ts';
import { type Nominal, nominalAt } from '../calendar/nominal.ts';
import { intervalLine, lastTime, nextTime } from '../calendar/times.ts';
import { iso } from '../iso.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { buffersOne } from './queue.ts';
import type { RunStatus, RunTrigger } from './run.ts';
import {
  afterEnd,
  beforeCreate,
  beforeStart,
  deleted,
  disabled,
  type HeldSchedule,
  notCreated,
  pausedUntil,
} from './standing.ts';

/**
 * Explanations: for every instant of a schedule, whether it fired there, and why not.
 *
 * Guarantee: there is an answer for every instant, from what is on record where something is, and
 * otherwise from what the schedule was at that time. It says so where neither is known any more.
 */
export type ExplainStatus =
  | 'succeeded'
  | 'failed'
  | 'running'
  | 'retrying'
  | 'queued'
  | 'skipped'
  | 'missed'
  | 'waiting'
  | 'upcoming'
  | 'moved'
  | 'dropped'
  | 'repeated'
  | 'paused'
  | 'excluded'
  | 'rolled'
  | 'beforeStart'
  | 'afterEnd'
  | 'completed'
  | 'deleted'
  | 'notCreated'
  | 'neverDue'
  | 'forgotten'
  | 'unrecorded';

export interface ExplainedRun {
  scheduledFor: number;
  trigger: RunTrigger;
  status: RunStatus;
  startedAt?: number;
  completionUntil?: number;
  attempts: { error?: string; refused?: true }[];
  reason?: string;
  missed?: { count: number; from: number; to: number };
}

export interface ExplainFacts {
  at: number;
  now: number;
  schedule: Pick<Schedule, 'createdAt' | 'updatedAt' | 'statusReason' | 'policy'>;
  held: HeldSchedule;
  /** The run of exactly this nominal time, or the record of missed times that spans it. */
  run: ExplainedRun | null;
  /** The row in the queue: the earliest time that is not decided yet. */
  row: { scheduledFor: number; begun: boolean } | null;
  /** Runs of nominal times before this may have been taken away. */
  historyFrom: number;
  /** Since when nothing fires, because somebody paused it; null: it does. */
  pausedSince: number | null;
  /** It was paused already when the only process began, and nothing has fired since: nobody saw what came behind a run. */
  startedInPause: boolean;
}

export interface Explanation {
  at: number;
  verdict: ExplainStatus;
  /** One sentence. */
  sentence: string;
  /** From the nominal time to the first attempt. */
  lateMs?: number;
  /** The local time that does not exist, or comes twice. */
  localTime?: string;
  /** The time to which it was moved, by the clock or by a calendar, or at which it fired first. */
  movedTo?: number;
  /** The nearest nominal times around it, of the interval that held then. */
  previous?: number;
  next?: number;
}

/** Lateness below this is what a busy second costs, and not worth a word. */
const ON_TIME_MS = 1_000;

export function explain(facts: ExplainFacts): Explanation {
  const { at, held, schedule } = facts;
  const [verdict, sentence, more] = answerOf(facts);
  const bounds = {
    from: Math.max(schedule.createdAt, held.since ?? 0),
    until: held.until ?? Number.POSITIVE_INFINITY,
  };
  const previous = lastTime(held, bounds.from + 1, at - 1);
  const next = nextTime(held, Math.max(at, bounds.from));
  return {
    at,
    verdict,
    sentence,
    ...more,
    ...(previous !== null && previous < bounds.until && { previous }),
    ...(next !== null && next <= bounds.until && { next }),
  };
}

type Answer = [ExplainStatus, string, Partial<Explanation>?];

function answerOf(facts: ExplainFacts): Answer {
  const { at, now, schedule, held, run, historyFrom } = facts;
  if (at > now) return toCome(facts);
  if (run !== null) return recorded(facts, run);
  if (at <= schedule.createdAt) return notCreated(facts);
  if (held.status === 'deleted') return deleted(facts);
  const nominal = nominalAt(held, at);
  if (isTakenAway(nominal)) return takenAway(facts, nominal);
  if (held.status === 'disabled') return disabled(facts, false);
  if (nominal.kind === 'paused') return pausedUntil(held);
  return decidedWithoutRecord(facts) ?? unknown(at, historyFrom);
}

/**
 * Explains a time in the future even if it is on record. The engine claims a run up to a second
 * ahead, and a clock that was ahead leaves records of future times.
 */
function toCome(facts: ExplainFacts): Answer {
  const { at, held, run, pausedSince } = facts;
  if (held.status === 'deleted') return deleted(facts);
  if (run?.trigger === 'target') return recorded(facts, run);
  const nominal = nominalAt(held, at);
  if (isTakenAway(nominal)) return takenAway(facts, nominal);
  if (held.status === 'disabled') return disabled(facts, true);
  if (nominal.kind === 'paused') return pausedUntil(held);
  const wasSent = run?.status === 'succeeded' || run?.status === 'failed';
  const sentence = wasSent
    ? 'It is to come, and was sent already, while the clock was ahead: it is not sent again.'
    : pausedSince === null
      ? 'It is to come: the schedule will fire then.'
      : `It is to come, and fires only if Punctual is resumed by then: it is paused since ${iso(pausedSince)}.`;
  return ['upcoming', sentence, moved(held, at)];
}

type TakenAway = Exclude<Nominal, { kind: 'due' } | { kind: 'paused' }>;

function isTakenAway(nominal: Nominal): nominal is TakenAway {
  return nominal.kind !== 'due' && nominal.kind !== 'paused';
}

function takenAway(facts: ExplainFacts, nominal: TakenAway): Answer {
  switch (nominal.kind) {
    case 'excluded':
      return ['excluded', `It does not fire: ${entryText(nominal.by)} excludes it.`];
    case 'rolled': {
      const { movedTo } = nominal;
      const sentence = `It was moved: ${entryText(nominal.by)} excludes it, and it is due at ${iso(movedTo)}.`;
      return ['rolled', sentence, { movedTo }];
    }
    case 'beforeCreate':
      return beforeCreate(facts);
    case 'beforeStart':
      return beforeStart(facts.held);
    case 'afterEnd':
      return afterEnd(facts.held);
    default:
      return notDue(facts);
  }
}

function entryText({ calendar, summary }: { calendar: string; summary: string }): string {
  const entry = summary === '' ? '' : `, entry "${summary}",`;
  return `the calendar ${calendar}${entry}`;
}

function recorded(facts: ExplainFacts, run: ExplainedRun): Answer {
  const { at, held, startedInPause } = facts;
  const { status, startedAt } = run;
  const where = moved(held, at);
  switch (status) {
    case 'missed':
    case 'skipped':
      return [status, `It was ${status}: ${uncapitalised(run.reason ?? 'no reason was kept.')}`];
    case 'queued':
      return ['queued', waitingSentence(run)];
    case 'running':
      if (startedInPause && run.completionUntil === undefined) return leftBehind(facts);
      return [status, goingSentence(run), { ...lateness(run), ...where }];
    case 'retrying':
      return [status, goingSentence(run), { ...lateness(run), ...where }];
    default: {
      const late = startedAt === undefined ? '' : lateText(startedAt - run.scheduledFor);
      const why = status === 'failed' ? ` and failed: ${failureOf(run)}` : ' and succeeded.';
      return [status, `${firedText(run, where)}${late}${why}`, { ...lateness(run), ...where }];
    }
  }
}

/** The process before had claimed it: whether it was sent is looked up at the next start of an engine. */
function leftBehind({ pausedSince }: ExplainFacts): Answer {
  const sentence =
    pausedSince === null
      ? 'It waits: it had begun, or was about to, when Punctual ended. Punctual was resumed and is about to fire again.'
      : `It waits: it had begun, or was about to, when Punctual ended. Punctual is paused since ${iso(pausedSince)}, and the resume decides about it.`;
  return ['waiting', sentence];
}

function waitingSentence({ trigger }: ExplainedRun): string {
  return trigger === 'target'
    ? 'Its target has asked for this run, which waits for its time or its turn.'
    : 'It is a manual run that waits for its turn.';
}

function firedText(
  { trigger, attempts }: ExplainedRun,
  { localTime }: Partial<Explanation>,
): string {
  if (attempts.length > 0 && attempts.every(({ refused }) => refused)) return 'It was due';
  if (trigger === 'manual') return 'It was run by hand';
  if (trigger === 'target') return 'It was run because its target had asked for it';
  if (localTime === undefined) return 'It fired';
  return `It fired for ${localTime}, which did not exist that day,`;
}

function goingSentence({ status, attempts, completionUntil }: ExplainedRun): string {
  if (completionUntil !== undefined) {
    return `It is under way: the target answered 202, and it waits for completion until ${iso(completionUntil)}.`;
  }
  if (status === 'running') return 'It is under way: a request is in flight.';
  const error = attempts.at(-1)?.error;
  const why = error === undefined ? '' : ` Its last attempt failed: ${uncapitalised(error)}`;
  return `It is to be tried again.${why}`;
}

function failureOf({ attempts, reason }: ExplainedRun): string {
  const error = attempts.at(-1)?.error ?? 'no attempt was recorded.';
  return reason === undefined ? uncapitalised(error) : `${uncapitalised(error)} ${reason}`;
}

function lateness({ trigger, scheduledFor, startedAt }: ExplainedRun): { lateMs?: number } {
  if (trigger === 'manual' || startedAt === undefined) return {};
  return { lateMs: startedAt - scheduledFor };
}

function lateText(lateMs: number): string {
  if (lateMs < ON_TIME_MS) return '';
  return `, ${spanText(lateMs)} late,`;
}

function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** The time that a schedule uses instead of one that the wall clock jumped over. */
function moved(held: HeldSchedule, at: number): Partial<Explanation> {
  const localTime = movedTo(held, at);
  return localTime === null ? {} : { localTime };
}

function notDue({ at, held }: ExplainFacts): Answer {
  const note = clockNoteAt(held, at);
  const day = `${held.timezone} changed its clock`;
  if (note === null) {
    const offsetMs = held.timing?.offsetMs ?? 0;
    if (offsetMs > 0 && intervalLine(held).first(at) === at) {
      const later = `its window makes each time ${offsetMs / 1_000} s later, here ${iso(at + offsetMs)}`;
      return ['neverDue', `It is not due at this instant: ${later}.`];
    }
    // Without them the sentence would name a nominal time, which has an answer of its own.
    const millis = at % 1_000 === 0 ? '' : `.${String(at % 1_000).padStart(3, '0')}`;
    const time = localTimeAt(held.timezone, at).replace('T', ' ');
    const local = `${time}${millis} in ${held.timezone}`;
    return ['neverDue', `It was never due: "${held.interval}" has no time at ${local}.`];
  }
  const { localTime, at: movedTo } = note;
  const found = { localTime, movedTo };
  switch (note.kind) {
    case 'moved':
      return ['moved', `${day}: ${localTime} did not exist, and is due at ${iso(movedTo)}.`, found];
    case 'dropped':
      return [
        'dropped',
        `${day}: ${localTime} did not exist, and an interval that follows the clock has no such time.`,
        { localTime },
      ];
    default:
      return [
        'repeated',
        `${day}: ${localTime} came twice, and was due the first time only, at ${iso(movedTo)}.`,
        found,
      ];
  }
}

const RESUMING =
  'It is due and waits: Punctual was resumed and is about to fire again. Then catchUpSeconds decides about it.';

/** Due, passed, and the queue has not come by yet. */
function decidedWithoutRecord(facts: ExplainFacts): Answer | null {
  const { at, now, row, pausedSince, startedInPause } = facts;
  if (row === null || at < row.scheduledFor) return null;
  const isBehind = row.begun && at > row.scheduledFor;
  const isUnseen = isBehind && startedInPause;
  if (pausedSince !== null && (!row.begun || isUnseen || (isBehind && at > pausedSince))) {
    const since = iso(pausedSince);
    return [
      'waiting',
      `It is due and waits: Punctual is paused since ${since}. When it is resumed, catchUpSeconds decides about it.`,
    ];
  }
  if (isUnseen) return ['waiting', RESUMING];
  if (isBehind) return behindRun(facts, row.scheduledFor);
  const wait = now - at < ON_TIME_MS ? '' : `, ${spanText(now - at)} late`;
  return ['waiting', `It is due and has not been begun yet${wait}.`];
}

/** @param runFor the nominal time of the run that is going */
function behindRun({ at, now, held, schedule }: ExplainFacts, runFor: number): Answer {
  const run = `the run of ${iso(runFor)} is still going`;
  if (!buffersOne(schedule)) return ['skipped', `It is skipped: ${run}.`];
  const isLatest = lastTime(held, at, now) === at;
  if (isLatest) {
    return ['waiting', `It is due and waits: ${run}, and this one starts when it ends.`];
  }
  return ['skipped', `It is skipped: ${run}, and a later time waits for its end.`];
}

function unknown(at: number, historyFrom: number): Answer {
  if (at < historyFrom) {
    return ['forgotten', `It was due, and its record is older than history is kept.`];
  }
  return [
    'unrecorded',
    'It was due by what is known of the schedule, and nothing is on record: the schedule may have ' +
      'been otherwise then, before its changes were kept.',
  ];
}

/** To go on with a sentence; names and acronyms stay as they are. */
function uncapitalised(sentence: string): string {
  return /^[A-Z][a-z]/.test(sentence) ? sentence[0]!.toLowerCase() + sentence.slice(1) : sentence;
}
