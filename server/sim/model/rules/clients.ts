import type { ClientSeen } from '../evidence-of-clients.ts';
import { AHEAD_MS } from './cuts.ts';
import { isPutOff } from './full-hosts.ts';
import { type Halt, haltIn, isKnown, startsIn } from './halts.ts';
import type { Tell } from './rule.ts';
import { isGoing, nameOf, withGrace } from './times.ts';
import { iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/** Clients that are suspended, resumed and deleted: what starts, what is recorded of the times meanwhile, and who may call. */
export function checkClients(clients: ClientSeen[], view: View, tell: Tell): void {
  for (const schedule of view.schedules) {
    const halts = view.haltsOf(schedule.seen.id);
    if (halts.length === 0) continue;
    for (const run of [...schedule.runs, ...schedule.manual]) checkQuiet(run, halts, tell);
    for (const run of schedule.runs) checkTold(run, schedule, halts, view, tell);
  }
  for (const client of clients) {
    checkCalls(client, tell);
    for (const what of client.left)
      tell('clientLeft', `Client ${client.id} was deleted, and has left ${what}.`);
  }
}

function checkQuiet(run: RunSeen, halts: Halt[], tell: Tell): void {
  for (const { startedAt, halt } of startsIn(run, halts)) {
    const when = `started at ${iso(startedAt)}, and its client was stopped at ${iso(halt.from)}`;
    tell('firedSuspended', `A request of ${nameOf(run.scheduleId, run.at)} ${when}.`);
  }
}

/** A time says that its client was suspended if it passed meanwhile, or waited then; and else not. Behind a run it is skipped. */
function checkTold(
  run: RunSeen,
  schedule: ScheduleView,
  halts: Halt[],
  view: View,
  tell: Tell,
): void {
  const { scheduleId, at, missed, status, reason } = run;
  const [from, to] = missed === null ? [at, at] : [missed.from, missed.to];
  const said = status === 'missed' ? haltIn(reason) : null;
  const wasClaimed = isCutOff(run, view);
  const isHeld = (time: number, halt: Halt) => isHeldThrough(time, halt, scheduleId, view);
  const resumed = halts.find(
    halt => comesBack(run, halt) && !isHeld(run.at, halt) && !isBehindRun(halt, schedule, view),
  );
  if (!wasClaimed && resumed !== undefined) {
    const when = `${iso(run.startedAt)}, and its client was suspended at ${iso(resumed.from)}`;
    tell('suspendedUntold', `${nameOf(scheduleId, at)} fired at ${when}.`);
  }
  for (const time of schedule.due) {
    if (time < from || time > to || time > view.until) continue;
    const isRight =
      said === 'while'
        ? halts.some(halt => halt.from <= time && time <= halt.to)
        : said === 'before'
          ? halts.some(halt => time <= halt.by && waits(time, halt, schedule, view))
          : wasClaimed ||
            isGoing(time, schedule, view) ||
            !halts.some(halt => isKnown(halt, time) && !isHeld(time, halt));
    if (isRight) continue;
    tell('suspendedUntold', `${nameOf(scheduleId, time)} is ${status}: ${reason ?? 'no reason'}.`);
  }
}

/** Whether its claim was cut off before its engine put it off: nobody knows that it was not sent, and it is sent again. */
function isCutOff({ scheduleId, at, attempts }: RunSeen, view: View): boolean {
  const [first, second] = attempts;
  if (first?.outcome !== 'lost') return false;
  return view.killedWithin(at - AHEAD_MS, second?.startedAt ?? Infinity, scheduleId);
}

/** Whether nodes held the schedule from then until the end, and did nothing: what is claimed is not put off by others. */
function isHeldThrough(
  time: number,
  { knownFrom, knownUntil }: Halt,
  scheduleId: string,
  view: View,
): boolean {
  const from = Math.max(time, knownFrom);
  return view.isShared && heldInTurnUntil(from, scheduleId, view) >= knownUntil;
}

/**
 * Until when nodes held the schedule, one after the other, and did nothing. A row that waits is claimed at once, or when the store
 * answers again.
 */
function heldInTurnUntil(instant: number, scheduleId: string, view: View): number {
  const starts = (view.holds.get(scheduleId) ?? []).map(({ from }) => from);
  let until = view.heldUntil(instant, scheduleId);
  for (;;) {
    const by = withGrace(until, view, view.lateMs);
    const next = starts.filter(from => from >= until && from <= by);
    const idle = next.filter(from => view.heldUntil(from, scheduleId) > from);
    const to = Math.max(until, ...idle.map(from => view.heldUntil(from, scheduleId)));
    if (to === until) return until;
    until = to;
  }
}

/** Whether it may have waited for a run that went on at the resume: the end of that run lets it begin. */
function isBehindRun({ knownUntil }: Halt, schedule: ScheduleView, view: View): boolean {
  return schedule.seen.policy?.overlap === 'bufferOne' && isGoing(knownUntil, schedule, view);
}

/** Whether it began for a time that passed meanwhile. */
function comesBack({ at, startedAt }: RunSeen, { from, knownFrom, knownUntil }: Halt): boolean {
  return knownFrom < knownUntil && at >= from && at <= knownUntil && startedAt >= knownUntil;
}

/** Whether a time may not have begun when the halt did. */
function waits(time: number, { from }: Halt, schedule: ScheduleView, view: View): boolean {
  if (from - time <= view.lateMs || isGoing(time, schedule, view)) return true;
  if (isPutOff(from, schedule, view)) return true;
  return !view.isUndisturbed(time, from, schedule.seen.id);
}

function checkCalls({ id, suspensions, deletion, calls }: ClientSeen, tell: Tell): void {
  const spans = deletion === null ? suspensions : [...suspensions, forGood(deletion)];
  for (const { askedAt, endedAt, status } of calls) {
    const isRefused = status === 401;
    const isOut = spans.some(({ by, until }) => askedAt > by + KNOWN_MS && endedAt < until);
    const mayBeOut = spans.some(
      ({ from, backBy }) => endedAt >= from && askedAt <= backBy + KNOWN_MS,
    );
    if (isRefused ? mayBeOut : status >= 500 || !isOut) continue;
    tell('letIn', `Client ${id} asked at ${iso(askedAt)}, and was answered ${status}.`);
  }
}

/** For so long an API may take a key as it was. */
const KNOWN_MS = 5_000;

function forGood({ from, by }: { from: number; by: number }): ClientSeen['suspensions'][number] {
  return { from, by, until: Infinity, backBy: Infinity };
}
