import type { Evidence, Life } from '../evidence.ts';
import type { HaltSeen } from '../evidence-of-halts.ts';
import type { Window } from './cuts.ts';
import { haltIn, isKnown, type KnownHalt, looksBy, startsIn } from './halts.ts';
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
  for (const life of lives) checkUncut(life, pauses, tell);
  const known = pauses.map(pause => knownIn(pause, [...view.stalls, ...rests]));
  for (const schedule of view.schedules) {
    for (const run of [...schedule.runs, ...schedule.manual]) checkQuiet(run, known, tell);
    for (const run of schedule.runs)
      if (run.status === 'missed' && haltIn(run.reason) === null)
        checkSaid(run, schedule, pauses, known, tell);
  }
}

/** When every node knew of it. @param away when one may not have looked */
function knownIn({ by, until }: HaltSeen, away: Window[]): KnownHalt {
  return { knownFrom: looksBy(by + HEARD_MS, by, away), knownUntil: until };
}

/** What is in flight has until the resume, and longer. */
function checkUncut({ end }: Life, pauses: HaltSeen[], tell: Tell): void {
  if (!end?.isAbandoned) return;
  const pause = pauses.findLast(({ from }) => from <= end.from);
  if (pause === undefined || pause.until <= end.to) return;
  tell(
    'cutInPause',
    `What was in flight was cut off at ${iso(end.to)}, in a pause since ${iso(pause.from)}.`,
  );
}

function checkQuiet(run: RunSeen, known: KnownHalt[], tell: Tell): void {
  for (const { startedAt, halt } of startsIn(run, known)) {
    const when = `started at ${iso(startedAt)}, in a pause that was known at ${iso(halt.knownFrom)}`;
    tell('firedPaused', `A request of ${nameOf(run.scheduleId, run.at)} ${when}.`);
  }
}

function checkSaid(
  { scheduleId, at, missed, reason }: RunSeen,
  { due }: ScheduleView,
  pauses: HaltSeen[],
  known: KnownHalt[],
  tell: Tell,
): void {
  const [from, to] = missed === null ? [at, at] : [missed.from, missed.to];
  const isSaid = reason?.startsWith(SAID) === true;
  for (const time of due.filter(each => each >= from && each <= to)) {
    const isRight = isSaid
      ? pauses.some(pause => pause.from <= time && time <= pause.backBy + HEARD_MS)
      : !known.some(pause => isKnown(pause, time));
    if (!isRight) tell('causeWrong', `${nameOf(scheduleId, time)} says: ${reason ?? 'Nothing.'}`);
  }
}
