import { lastTime, nextTime } from '../calendar/calendar.ts';
import { clockNoteAt, localTimeAt, movedTo } from '../calendar/clock-change.ts';
import { iso } from '../iso.ts';
import type { Schedule, ScheduleStatus } from '../schedule/schedule.ts';
import type { RunStatus, RunTrigger } from './run.ts';

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
  | 'deleted'
  | 'notCreated'
  | 'neverDue'
  | 'forgotten'
  | 'unrecorded';

/** A schedule at an instant: its configuration between two changes of its times. */
export interface HeldSchedule {
  interval: string;
  timezone: string;
  status: ScheduleStatus;
  /** The change that made it so, epoch ms; null: since it was created, or since longer than is kept. */
  since: number | null;
  /** The change that ended it; null: it still holds. */
  until: number | null;
}

export interface ExplainedRun {
  scheduledFor: number;
  trigger: RunTrigger;
  status: RunStatus;
  startedAt?: number;
  attempts: { error?: string; refused?: true }[];
  reason?: string;
  missed?: { count: number; from: number; to: number };
}

export interface ExplainFacts {
  at: number;
  now: number;
  schedule: Pick<Schedule, 'createdAt' | 'updatedAt'>;
  held: HeldSchedule;
  /** The run of exactly this nominal time, or the record of missed times that spans it. */
  run: ExplainedRun | null;
  /** The row in the queue: the earliest time that is not decided yet. */
  row: { scheduledFor: number; begun: boolean } | null;
  /** Runs of nominal times before this may have been taken away. */
  historyFrom: number;
  /** Since when nothing fires, because somebody paused it; null: it does. */
  pausedSince: number | null;
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
  /** The time to which it was moved, or at which it fired first. */
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
  const previous = lastTime(held.interval, held.timezone, bounds.from + 1, at - 1);
  const next = nextTime(held.interval, held.timezone, Math.max(at, bounds.from));
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
  if (at <= schedule.createdAt) {
    return ['notCreated', `The schedule was created later, at ${iso(schedule.createdAt)}.`];
  }
  if (held.status === 'deleted') return deleted(held);
  if (!isDue(held, at)) return notDue(facts);
  if (held.status === 'disabled') return ['paused', pausedSentence(held, false)];
  return decidedWithoutRecord(facts) ?? unknown(at, historyFrom);
}

/**
 * Explains a time in the future even if it is on record. The engine claims a run up to a second
 * ahead, and a clock that was ahead leaves records of future times.
 */
function toCome(facts: ExplainFacts): Answer {
  const { at, held, run, pausedSince } = facts;
  if (held.status === 'deleted') return deleted(held);
  if (!isDue(held, at)) return notDue(facts);
  if (held.status === 'disabled') return ['paused', pausedSentence(held, true)];
  const wasSent = run?.status === 'succeeded' || run?.status === 'failed';
  const sentence = wasSent
    ? 'It is to come, and was sent already, while the clock was ahead: it is not sent again.'
    : pausedSince === null
      ? 'It is to come: the schedule will fire then.'
      : `It is to come, and fires only if Punctual is resumed by then: it is paused since ${iso(pausedSince)}.`;
  return ['upcoming', sentence, moved(held, at)];
}

function deleted({ since }: HeldSchedule): Answer {
  const when = since === null ? '' : ` at ${iso(since)}`;
  return ['deleted', `The schedule was deleted${when}, and fires no more.`];
}

function isDue({ interval, timezone }: HeldSchedule, at: number): boolean {
  return nextTime(interval, timezone, at - 1) === at;
}

function recorded({ at, held }: ExplainFacts, run: ExplainedRun): Answer {
  const { status, startedAt } = run;
  const where = moved(held, at);
  switch (status) {
    case 'missed':
    case 'skipped':
      return [status, `It was ${status}: ${uncapitalised(run.reason ?? 'no reason was kept.')}`];
    case 'queued':
      return ['queued', 'It is a manual run that waits for its turn.'];
    case 'running':
    case 'retrying':
      return [status, goingSentence(run), { ...lateness(run), ...where }];
    default: {
      const late = startedAt === undefined ? '' : lateText(startedAt - run.scheduledFor);
      const why = status === 'failed' ? ` and failed: ${failureOf(run)}` : ' and succeeded.';
      return [status, `${firedText(run, where)}${late}${why}`, { ...lateness(run), ...where }];
    }
  }
}

function firedText(
  { trigger, attempts }: ExplainedRun,
  { localTime }: Partial<Explanation>,
): string {
  if (attempts.length > 0 && attempts.every(({ refused }) => refused)) return 'It was due';
  if (trigger === 'manual') return 'It was run by hand';
  if (localTime === undefined) return 'It fired';
  return `It fired for ${localTime}, which did not exist that day,`;
}

function goingSentence({ status, attempts }: ExplainedRun): string {
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
function moved({ interval, timezone }: HeldSchedule, at: number): Partial<Explanation> {
  const localTime = movedTo(interval, timezone, at);
  return localTime === null ? {} : { localTime };
}

function notDue({ at, held }: ExplainFacts): Answer {
  const note = clockNoteAt(held.interval, held.timezone, at);
  const day = `${held.timezone} changed its clock`;
  if (note === null) {
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

function pausedSentence(held: HeldSchedule, isToCome: boolean): string {
  const until = held.until === null ? '' : ` until ${iso(held.until)}`;
  return isToCome
    ? `It will not fire: the schedule is disabled${sinceText(held)}.`
    : `The schedule was disabled${sinceText(held)}${until}; paused times are not caught up with.`;
}

function sinceText({ since }: HeldSchedule): string {
  return since === null ? '' : ` since ${iso(since)}`;
}

/** Due, passed, and the queue has not come by yet. */
function decidedWithoutRecord({ at, now, row, pausedSince }: ExplainFacts): Answer | null {
  if (row === null || at < row.scheduledFor) return null;
  if (pausedSince !== null && (!row.begun || at > Math.max(row.scheduledFor, pausedSince))) {
    const since = iso(pausedSince);
    return [
      'waiting',
      `It is due and waits: Punctual is paused since ${since}. When it is resumed, catchUpSeconds decides about it.`,
    ];
  }
  if (row.begun && at > row.scheduledFor) {
    return ['skipped', `It is skipped: the run of ${iso(row.scheduledFor)} is still going.`];
  }
  const wait = now - at < ON_TIME_MS ? '' : `, ${spanText(now - at)} late`;
  return ['waiting', `It is due and has not been begun yet${wait}.`];
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
