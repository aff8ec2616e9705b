import type { Arrival, Evidence, Life } from '../evidence.ts';
import { type HoldSeen, isUpFrom } from './cuts.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import { iso, type View } from './view.ts';

/** A node renews its leases five times in a lease, and looks as often for those of others that have ended. */
const LOOKS_PER_LEASE = 5;
/** A look is a few calls of the store. */
const LOOK_MS = 1_000;

/** Where nodes share a store: whose claims are sent, and what becomes of those that nobody does anything with. */
export function checkHolds(evidence: Evidence, view: View, tell: Tell): void {
  const { shared } = evidence;
  if (shared === undefined) return;
  for (const arrival of view.arrivals) checkHeld(arrival, view, tell);
  for (const hold of [...view.holds.values()].flat()) {
    if (!hold.isTakenBack) continue;
    checkKept(hold, tell);
    checkEnded(hold, evidence, shared.leaseMs, tell);
  }
}

function checkHeld({ scheduleId, scheduledFor, node, at }: Arrival, view: View, tell: Tell): void {
  const holds = view.holds.get(scheduleId) ?? [];
  if (holds.some(hold => hold.node === node && hold.from <= at && at <= hold.to)) return;
  const name = nameOf(scheduleId, scheduledFor);
  tell('unheld', `${name} came from ${node} at ${iso(at)}, which did not hold it.`);
}

function checkKept({ scheduleId, node, renewedAt, to, idle }: HoldSeen, tell: Tell): void {
  if (idle.some(window => window.to >= renewedAt)) return;
  tell(
    'notRenewed',
    `Node ${node} was well, and lost its claim of schedule ${scheduleId} at ${iso(to)}.`,
  );
}

/** A node that could not renew its own leases gives each other node one lease of time. */
function checkEnded(
  { scheduleId, node, renewedAt, to }: HoldSeen,
  { lives, stalls, shared }: Evidence,
  leaseMs: number,
  tell: Tell,
): void {
  const boundMs = leaseMs + leaseMs / LOOKS_PER_LEASE + LOOK_MS;
  if (to - renewedAt <= boundMs) return;
  const wasLost = shared!.lostAnswers.some(({ at }) => at >= to - boundMs && at <= to);
  const isWell = (life: Life) => isUpFrom(life, stalls, to - boundMs, to);
  if (wasLost || stalls.some(stall => !stall.node && stall.to >= to - boundMs && stall.from <= to))
    return;
  const other = lives.find(life => life.node !== node && isWell(life));
  if (other === undefined) return;
  const since = iso(renewedAt);
  tell(
    'heldOn',
    `The claim of schedule ${scheduleId} of ${node} since ${since} was taken back at ${iso(to)}.`,
  );
}
