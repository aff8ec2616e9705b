import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import {
  type AttemptSeen,
  attemptsOf,
  endOf,
  iso,
  type RunSeen,
  type ScheduleView,
  type View,
} from './view.ts';

/** Requests in a row without an answer, and their span, after which a breaker opens; and how often one passes it. */
const FAULTS = 20;
const FAULTY_MS = 10_000;
const PROBE_MS = 5_000;

/** The breakers of hosts that one schedule alone calls: when they open, and what they let through. */
export function checkBreakers(view: View, tell: Tell): void {
  // Nodes have a breaker each, and nobody tells which of them failed.
  // A machine that was suspended counts faults from before, and a schedule that was changed may call another host.
  if (view.suspensions.length > 0 || view.isShared) return;
  const calling = view.schedules.flatMap(schedule =>
    [...originsOf(schedule)].map(origin => ({ schedule, origin })),
  );
  for (const [one, another] of Map.groupBy(calling, ({ origin }) => origin).values()) {
    const { schedule } = one!;
    if (another === undefined && schedule.seen.versions === undefined)
      checkOne(schedule, view, tell);
  }
}

/** Those that it calls, or has called. */
function originsOf({ seen: { origin, versions = [] } }: ScheduleView): Set<string> {
  const changed = versions.map(({ is }) => new URL(is.url).origin);
  return new Set(origin === undefined ? changed : [origin, ...changed]);
}

function checkOne(schedule: ScheduleView, view: View, tell: Tell): void {
  let seen: HostSeen = { faults: [], passed: undefined };
  for (const { run, attempt } of attemptsOf(schedule)) {
    const last = seen.faults.at(-1);
    // A process begins anew. What started in the millisecond in which one died was its own.
    if (last && view.windows.some(({ from }) => from >= last.startedAt && from < attempt.startedAt))
      seen = { ...seen, faults: [] };
    // Whether one that was cut off was sent or refused, nobody knows.
    if (attempt.outcome !== 'lost')
      checkAttempt(attempt, seen, nameOfAttempt(schedule.seen.id, run, attempt), view, tell);
    if (!attempt.isRefused) seen = { faults: faultsWith(seen.faults, attempt), passed: attempt };
  }
}

/** What the requests to a host have shown. */
interface HostSeen {
  /** The requests in a row that got no answer. */
  faults: AttemptSeen[];
  /** The last that the breaker let pass. */
  passed: AttemptSeen | undefined;
}

function faultsWith(faults: AttemptSeen[], attempt: AttemptSeen): AttemptSeen[] {
  const { outcome } = attempt;
  // Its address may not be called: nothing was sent to the host, and nothing is learned about it.
  if (outcome === 'blocked') return faults;
  return outcome === 'response' || outcome === 'lost' ? [] : [...faults, attempt];
}

function checkAttempt(
  { startedAt, isRefused }: AttemptSeen,
  { faults, passed }: HostSeen,
  name: string,
  view: View,
  tell: Tell,
): void {
  const [first, last] = [faults[0], faults.at(-1)];
  const isOpen = faults.length >= FAULTS && endOf(last!) - endOf(first!) >= FAULTY_MS;
  if (!isRefused) {
    if (!isOpen || startedAt - passed!.startedAt >= PROBE_MS - view.connectMs) return;
    tell('breakerOpen', `${name} was sent, and the breaker of its host was open.`);
    return;
  }
  if (!isOpen) {
    tell('breakerShut', `${name} was refused after ${faults.length} faults.`);
    return;
  }
  const passedAt = Math.max(endOf(last!), endOf(passed!));
  if (startedAt - passedAt > PROBE_MS + view.lateMs)
    tell('breakerShut', `${name} was refused, and nothing was sent since ${iso(passedAt)}.`);
}

function nameOfAttempt(id: string, run: RunSeen, { number }: AttemptSeen): string {
  return `${nameOf(id, run.at)}, attempt ${number},`;
}
