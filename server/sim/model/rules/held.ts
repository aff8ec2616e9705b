import type { View } from './view.ts';

/** Claims of nodes that do nothing with them. */

/**
 * Whether a node that is gone, or that does nothing, may have held a schedule at an instant. Where nodes share a store, another one
 * may have taken that claim back just before, and who claims the schedule next hears of it late.
 */
export function isHeldAt(at: number, scheduleId: string, view: View): boolean {
  if (view.isHeldUp(at, at + 1, scheduleId)) return true;
  return view.isShared && view.killedWithin(at - view.heardMs, at, scheduleId);
}
