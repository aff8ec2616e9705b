import type { Evidence } from '../evidence.ts';
import type { PauseSeen } from '../evidence-of-pauses.ts';
import type { Window } from './cuts.ts';
import { haltIn, looksBy } from './halts.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import { iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/** A node hears of a pause, and of a resume, within this time. */
const HEARD_MS = 5_000;

const SAID = 'It passed while Punctual was paused';

/** A pause of the installation: what starts in it, and what is said of the times that pass. */
export function checkPauses({ pauses = [], lives }: Evidence, view: View, tell: Tell): void {
  if (pauses.length === 0) return;
  const rests = lives.flatMap(({ frozen = [] }) => frozen);
  const known = pauses.map(pause => knownIn(pause, [...view.stalls, ...rests]));
  for (const schedule of view.schedules) {
    for (const run of [...schedule.runs, ...schedule.manual]) checkQuiet(run, known, tell);
    for (const run of schedule.runs)
      if (run.status === 'missed' && haltIn(run.reason) === null)
        checkSaid(run, schedule, pauses, known, tell);
  }
}

/** When every node knew of it. @param away when one may not have looked */
function knownIn({ by, until }: PauseSeen, away: Window[]): Window {
  return { from: looksBy(by + HEARD_MS, by, away), to: until };
}

function isIn({ from, to }: Window, at: number): boolean {
  return at > from && at < to;
}

function checkQuiet(run: RunSeen, known: Window[], tell: Tell): void {
  const attempts = [...run.attempts, ...run.callbacks.flatMap(callback => callback.attempts)];
  for (const { startedAt, outcome } of attempts) {
    const pause = known.find(each => isIn(each, startedAt));
    if (pause === undefined || outcome === 'lost') continue;
    const when = `started at ${iso(startedAt)}, in a pause that was known at ${iso(pause.from)}`;
    tell('firedPaused', `A request of ${nameOf(run.scheduleId, run.at)} ${when}.`);
  }
}

function checkSaid(
  { scheduleId, at, missed, reason }: RunSeen,
  { due }: ScheduleView,
  pauses: PauseSeen[],
  known: Window[],
  tell: Tell,
): void {
  const [from, to] = missed === null ? [at, at] : [missed.from, missed.to];
  const isSaid = reason?.startsWith(SAID) === true;
  for (const time of due.filter(each => each >= from && each <= to)) {
    const isRight = isSaid
      ? pauses.some(pause => pause.from <= time && time <= pause.backBy + HEARD_MS)
      : !known.some(pause => isIn(pause, time));
    if (!isRight) tell('causeWrong', `${nameOf(scheduleId, time)} says: ${reason ?? 'Nothing.'}`);
  }
}
