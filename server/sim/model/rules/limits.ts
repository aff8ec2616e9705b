import type { Limited } from '../limited.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import { hasBegun, iso, type ScheduleView, type View } from './view.ts';

/** What the limits of destinations let through: how many requests at the same moment, and how many in a second. */
export function checkLimits(view: View, tell: Tell): void {
  for (const limited of view.limited.values()) {
    checkConcurrent(limited, tell);
    checkRate(limited, view, tell);
  }
  for (const schedule of view.schedules) checkCauses(schedule, view, tell);
}

/** A time that limits held back until the next one came says so. */
function checkCauses({ seen, runs }: ScheduleView, view: View, tell: Tell): void {
  const { destination, policy } = seen;
  // With bufferOne it may have waited behind a run.
  if (destination === undefined || policy?.overlap === 'bufferOne') return;
  for (const [index, { at, status, reason = '' }] of runs.entries()) {
    // It was decided about by then.
    const { startedAt = Infinity } = runs.slice(index + 1).find(hasBegun) ?? {};
    if (status !== 'missed' || !view.isUndisturbed(at, startedAt, seen.id)) continue;
    if (reason.includes(`the limits of the destination "${destination}"`)) continue;
    tell('causeWrong', `${nameOf(seen.id, at)} waited for ${destination}, and says: ${reason}`);
  }
}

/** Of each that starts: how many are going then, by the limits that may be in force. */
function checkConcurrent({ name, arrivals, within }: Limited, tell: Tell): void {
  for (const [index, { at }] of arrivals.entries()) {
    const most = Math.max(...within(at, at).map(limits => limits?.maxConcurrent ?? Infinity));
    const going = arrivals.slice(0, index).filter(({ endedAt }) => endedAt > at).length + 1;
    if (going <= most) continue;
    const sentence = `Destination ${name} got a request at ${iso(at)}: ${going} at the same moment`;
    tell('overConcurrent', `${sentence}, and ${most} may be.`);
  }
}

/** Of all that start between two instants: what comes by the second, and before that what one second brings. */
function checkRate({ name, arrivals, within, starts }: Limited, view: View, tell: Tell): void {
  for (const [index, first] of arrivals.entries()) {
    const end = starts.find(start => start > first.at) ?? Infinity;
    for (let last = index; last < arrivals.length && arrivals[last]!.at < end; last += 1) {
      const { at } = arrivals[last]!;
      // Each waits for its connection meanwhile.
      const limits = within(first.at - view.connectMs, at);
      const perSecond = Math.max(...limits.map(each => each?.perSecond ?? Infinity));
      if (perSecond === Infinity) break;
      const spanMs = at - first.at + view.connectMs + 1;
      const most = Math.max(1, perSecond) + (perSecond * spanMs) / 1_000;
      const count = last - index + 1;
      if (count <= most) continue;
      const span = `from ${iso(first.at)} to ${iso(at)}`;
      tell(
        'overRate',
        `Destination ${name} got ${count} requests ${span}: ${perSecond} a second may be.`,
      );
      return;
    }
  }
}
