import type { Run } from '@punctual/client';
import { dueTimes } from '../calendar/due-times.ts';
import type { ScheduleSeen } from '../evidence.ts';
import type { Window } from '../rules/cuts.ts';
import { couldCount, type Held, owedOf } from './changes.ts';
import { nameOf, type Span, type Step, type StepSlack, type Tell } from './rules.ts';

/** The nominal times of a schedule against what history has of them. */

interface Judged extends StepSlack {
  steps: Step[];
  stalls: Window[];
  /** Runs that retention took away, and when, epoch ms of the machine. */
  taken: Map<Run, number>;
  since: number;
  until: number;
}

/** Of a schedule that is more than a cron interval only that nothing is recorded twice: a clock that is wrong may end it. */
export function checkRecords(
  schedule: ScheduleSeen,
  held: Held[],
  spans: Span[],
  runs: Run[],
  judged: Judged,
  tell: Tell,
): void {
  const { id } = schedule;
  const due = dueOf(schedule, held, spans, judged);
  const records = new Map<number, number>();
  const mayBeAgain = new Set<number>();
  for (const run of runs) {
    if (run.trigger !== 'schedule') continue;
    const againFrom = againAfter(run, spans, judged);
    for (const time of timesOf(run, due)) {
      if (time <= againFrom.may) records.set(time, (records.get(time) ?? 0) + 1);
      else if (time <= againFrom.must) mayBeAgain.add(time);
    }
  }
  for (const time of due) {
    if (!records.has(time) && !mayBeAgain.has(time))
      tell('unrecorded', `${nameOf(id, time)} has no record.`);
  }
  for (const [time, count] of records) {
    if (count > 1) tell('recordedTwice', `${nameOf(id, time)} has ${count} records.`);
  }
}

function dueOf(
  { interval, timezone, createdAt, planned }: ScheduleSeen,
  held: Held[],
  spans: Span[],
  judged: Judged,
): number[] {
  const { since, until } = judged;
  if (held.length > 0) return owedOf(createdAt, held, spans, judged);
  return planned ? [] : dueTimes(interval, timezone, Math.max(createdAt, since), until);
}

function timesOf({ scheduledFor, missedCount, from, to }: Run, due: number[]): number[] {
  if (missedCount === undefined) return [Date.parse(scheduledFor)];
  return due.filter(time => time >= Date.parse(from!) && time <= Date.parse(to!));
}

/**
 * The instants after which the times of a record may, and must, be recorded again. Nobody knows of a record that retention took away.
 * If the clock is set back after that, its times come again. What was never sent is owed a record then, once a process has seen it.
 */
function againAfter(run: Run, spans: Span[], judged: Judged): { may: number; must: number } {
  const at = judged.taken.get(run) ?? Number.POSITIVE_INFINITY;
  const shown = judged.steps.filter(step => step.at >= at).map(step => step.at + step.offsetMs);
  const wasSent = run.attempts.length > 0;
  const seen = wasSent ? [] : spans.filter(span => span.to > at && couldCount(span, judged));
  const seenAs = seen.map(span => Math.max(span.from, at) + span.offsetMs);
  return { may: Math.min(...shown), must: Math.min(...seenAs) };
}
