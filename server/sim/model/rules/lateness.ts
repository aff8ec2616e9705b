import type { ClientSeen, SecretsSeen } from '../evidence-of-clients.ts';
import { AHEAD_MS, RECOVERY_MS, WHOLE_MS, type Window } from './cuts.ts';
import { isPutOff } from './full-hosts.ts';
import { latestRetry, retriesAt } from './retries.ts';
import type { Tell } from './rule.ts';
import { nameOf, WRITTEN_MS } from './times.ts';
import {
  attemptsOf,
  endOf,
  inTheWayUntil,
  iso,
  type RunSeen,
  type ScheduleView,
  type View,
} from './view.ts';

/** Whether requests start in time while nothing is in their way. */
export function checkLateness(clients: ClientSeen[], view: View, tell: Tell): void {
  const signedAnew = new Map(clients.map(({ id, secrets }) => [id, signedAnewBy(secrets)]));
  for (const schedule of view.schedules)
    checkOne(schedule, signedAnew.get(schedule.seen.client ?? '') ?? [], view, tell);
}

/** Changes of secrets that an engine heard of. The first secrets are no change. */
function signedAnewBy(secrets: SecretsSeen[]): Change[] {
  const told = secrets.slice(1).filter(({ isByCommand }) => !isByCommand);
  return told.map(({ from, by }) => ({ at: from, writtenBy: by }));
}

/** What takes back requests that have not started. */
type Change = View['limitChanges'][number];

/** @param signedAnew of its client */
function checkOne(schedule: ScheduleView, signedAnew: Change[], view: View, tell: Tell): void {
  const { seen } = schedule;
  const { versions = [] } = seen;
  const calendarChanges = seen.excludes === undefined ? [] : schedule.spans;
  // One request of a schedule is in flight: the next one starts when it has ended.
  let freeAt = Number.NEGATIVE_INFINITY;
  const told = toldOf(schedule, view);
  const freed = freedOf(seen.id, view);
  for (const { run, attempt, index } of attemptsOf(schedule)) {
    const couldAt = couldStartAt(run, index, seen.policy, view);
    // A change takes back what has not started, and it is decided about anew.
    const all = [...versions, ...calendarChanges, ...view.limitChanges, ...signedAnew];
    const changes = all.filter(({ at }) => at <= attempt.startedAt);
    const changedAt = Math.max(...changes.map(change => takenBackBy(change, couldAt, view)));
    const heldUntil = index === 0 && run.trigger === 'manual' ? claimedAheadUntil(run, view) : 0;
    const freedAt = Math.max(...freed.filter(at => at <= attempt.startedAt));
    const from = Math.max(couldAt, freeAt, changedAt, heldUntil, freedAt);
    // The end of what was in its way is written first.
    const writtenMs = freeAt === from ? WRITTEN_MS : 0;
    const lateMs = attempt.startedAt - from;
    const toldAt = told.get(`${run.id}/${attempt.number}`) ?? 0;
    freeAt = Math.max(freeAt, inTheWayUntil({ run, attempt, index }), toldAt);
    // A loop that sleeps goes by the clock as it was.
    const behindMs = view.behindMs(from - RECOVERY_MS, attempt.startedAt);
    const allowedMs = view.lateMs + view.heardMs + behindMs + writtenMs;
    // What comes later is in nobody's way.
    const lateFrom = from + allowedMs;
    if (!(lateMs > allowedMs) || !view.isUndisturbed(from, lateFrom, seen.id)) continue;
    if (view.isHeldBack(from, attempt.startedAt, seen)) continue;
    // The node that was asked for it writes it first, whoever sends it. It does so with a new schedule as well.
    const askedAt = run.trigger === 'manual' ? run.at : seen.createdAt;
    const isNew = run.trigger === 'manual' || run === schedule.runs[0];
    if (isNew && index === 0 && view.isAnySlow(askedAt, attempt.startedAt)) continue;
    if (isPutOff(from, schedule, view)) continue;
    const name = `${nameOf(run.scheduleId, run.at)}, attempt ${attempt.number},`;
    tell('late', `${name} started at ${iso(attempt.startedAt)}, ${lateMs} ms after it could.`);
  }
}

/** By when a change has taken back what could start at `couldAt`. What was leaving by then waits for its connection first. */
function takenBackBy(
  { writtenBy }: Pick<Change, 'writtenBy'>,
  couldAt: number,
  view: View,
): number {
  return writtenBy < couldAt ? writtenBy : writtenBy + view.connectMs;
}

/** When claims of nodes that stopped, or were dead, were free for others. */
function freedOf(id: string, { holds }: View): number[] {
  const windows = (holds.get(id) ?? []).flatMap(({ idle }) => idle);
  return windows.filter(({ isGone }) => isGone).map(({ to }) => to);
}

/** By attempt: when its target was answered that it has ended. By then that was written. */
function toldOf({ seen }: ScheduleView, { said }: View): Map<string, number> {
  if (seen.policy?.completion === undefined) return NOTHING_TOLD;
  const ends = said.filter(({ status }) => status !== null);
  return new Map(ends.map(({ runId, attempt, endedAt }) => [`${runId}/${attempt}`, endedAt]));
}

const NOTHING_TOLD = new Map<string, number>();

/** A node that was not told of a manual run gives back what it has claimed ahead when its time comes. */
function claimedAheadUntil({ scheduleId, at }: RunSeen, { holds }: View): number {
  const before = (holds.get(scheduleId) ?? []).filter(({ from, to }) => from <= at && at <= to);
  return Math.min(at + AHEAD_MS, Math.max(0, ...before.map(({ to }) => to)));
}

/** As far as its own run goes, at the latest; NaN where nobody knows. */
function couldStartAt(
  { id, scheduleId, at, attempts }: RunSeen,
  index: number,
  policy: ScheduleView['seen']['policy'],
  view: View,
): number {
  const before = attempts[index - 1];
  if (before === undefined) return at;
  if (before.outcome === 'lost') return Number.NaN;
  // A process that was suspended reads the answer, and what it asks for, when it goes on.
  const isLate = ({ from }: Window) => before.startedAt <= from && from <= endOf(before);
  if (view.suspensions.some(isLate)) return Number.NaN;
  // So does a node that was frozen by the very millisecond in which it ended, whose sender is not.
  const endedAt = endOf(before);
  const frozenBy = endedAt + WHOLE_MS;
  if (view.isShared && view.isHeldUp(endedAt, frozenBy + 1, scheduleId)) return Number.NaN;
  return latestRetry(id, before, retriesAt(attempts, index), policy, view);
}
