import type { InFlightSeen } from '../evidence.ts';
import { isPutOff } from './full-hosts.ts';
import type { Tell } from './rule.ts';
import { withGrace } from './times.ts';
import { type AttemptSeen, endOf, iso, type View } from './view.ts';

/** So long a claim may wait for its instant, for a connection, and to be written; a look at it tells nothing. */
const YOUNG_MS = 2_000;

/** Whether somebody worked on each row that was in flight. */
export function checkOwners(rows: InFlightSeen[], view: View, tell: Tell): void {
  const callbacks = [...view.byId.values()].flatMap(run => run.callbacks);
  const attemptsOf = new Map<string, AttemptSeen[]>();
  for (const { id, attempts } of [...view.byId.values(), ...callbacks])
    attemptsOf.set(id, attempts);
  const schedules = new Map(view.schedules.map(schedule => [schedule.seen.id, schedule]));
  for (const { at, scheduleId, id, claimedAt, dueAt } of rows) {
    const since = Math.max(claimedAt, dueAt);
    if (since > at - YOUNG_MS || view.gone.has(scheduleId)) continue;
    if (!view.isUndisturbed(at - YOUNG_MS, at, scheduleId)) continue;
    if (view.isHeldUp(at - YOUNG_MS, at, id)) continue;
    // What limits let through soon is claimed, and waits for its turn, as what may find a slot of a full host.
    const schedule = schedules.get(scheduleId);
    if (schedule !== undefined && view.isHeldBack(since, at, schedule.seen)) continue;
    if (schedule !== undefined && isPutOff(at, schedule, view)) continue;
    if ((attemptsOf.get(id) ?? []).some(attempt => isUnderWay(attempt, at, view))) continue;
    tell('ownerless', `At ${iso(at)} ${id} was in flight since ${iso(since)}, and nobody sent it.`);
  }
}

function isUnderWay(attempt: AttemptSeen, at: number, view: View): boolean {
  const endedAt = endOf(attempt);
  // Nobody knows when one ended that was cut off.
  return attempt.startedAt <= at && !(withGrace(endedAt + YOUNG_MS, view) < at);
}
