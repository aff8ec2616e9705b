/**
 * The fence of an attempt as SQL, for both backends: the number in `Punctual-Fence`. It is the instant of the claim, and at
 * least one more than the fence of the attempt before. The row of the queue keeps the last one in `claimed_at`, or in
 * `fence` where it is more than that.
 */

import { takenAt } from './rows/queue.ts';

/**
 * @param largest the dialect's function for the largest of its arguments
 * @param now the instant of the claim, as a parameter of the statement
 */
export function nextFence(largest: 'max' | 'greatest', now: string): string {
  return `${largest}(${now}, coalesce(queue.claimed_at + 1, 0), coalesce(queue.fence + 1, 0))`;
}

/**
 * Of a manual run whose schedule has no row in the queue. The row that it had was removed as the schedule changed. A claim that
 * was held up on its way may bring an instant from before that.
 */
export function fenceWithoutRow(largest: 'max' | 'greatest', now: string): string {
  return `${largest}(${now}, coalesce(schedules.updated_at + 1, 0))`;
}

/** The cell `fence` of a row that is taken at `now`: mostly NULL, and then it takes no room. */
export function fenceCell(largest: 'max' | 'greatest', now: string): string {
  return `nullif(${nextFence(largest, now)}, ${takenAt(largest, now)})`;
}

/** Of a row in flight: no two claims of it have the same, and nothing but a claim changes it. */
export const FENCE_OF_CLAIM = 'coalesce(queue.fence, queue.claimed_at)';
