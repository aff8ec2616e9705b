import { WHOLE_MS } from './cuts.ts';
import type { View } from './view.ts';

/** Schedules that a node holds, or puts off, while others do not know it. */

/**
 * Whether a node that is gone, or that does nothing, may have held a schedule at an instant. Where nodes share a store, another one
 * may have taken that claim back just before, and who claims the schedule next hears of it late.
 */
export function isHeldAt(at: number, scheduleId: string, view: View): boolean {
  if (view.isHeldUp(at, at + 1, scheduleId)) return true;
  return view.isShared && view.killedWithin(at - view.heardMs, at, scheduleId);
}

/**
 * By how much later a node that held a schedule read what came at an instant: one that was frozen then, or could not reach the store,
 * does it as it goes on.
 */
export function readLateMs(at: number, scheduleId: string, view: View): number {
  return Math.max(at, ...goesOnAt(at, scheduleId, view)) - at;
}

/** When nodes that held a schedule then, and did nothing, go on: in that ms, or in the one before. */
export function goesOnAt(at: number, scheduleId: string, { holds }: View): number[] {
  const rests = (holds.get(scheduleId) ?? []).flatMap(({ idle }) =>
    idle.filter(({ from, to, isGone }) => !isGone && from <= at + WHOLE_MS && at <= to),
  );
  return rests.map(({ to }) => to);
}

/** Whether a node that has not heard of a resume may have put off what another one has brought back. */
export function isPutOffAgain(time: number, next: number, id: string, view: View): boolean {
  return view.isShared && view.haltsOf(id).some(halt => halt.from <= next && time <= halt.to);
}
