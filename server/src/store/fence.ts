/**
 * The fence of an attempt as SQL, for both backends: the number in `Punctual-Fence`. It is the instant of the claim, and at
 * least one more than the fence of the attempt before. The row of the queue keeps the last one in `claimed_at`, or in
 * `fence` where it is more than that. The table `fences` keeps that of a row that goes.
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
 * Of manual runs whose schedules have no row in the queue. Two of them may be taken within one millisecond, or one after a
 * clock was set back, so each is kept.
 *
 * @param keys SQL: VALUES or a SELECT of the keys of the schedules and `now`
 */
export function fencesWithoutRow(largest: 'max' | 'greatest', now: string, keys: string): string {
  return `
    INSERT INTO fences (schedule_key, fence) ${keys}
    ON CONFLICT (schedule_key) DO UPDATE SET fence = ${largest}(${now}, fences.fence + 1)
    RETURNING schedule_key, fence`;
}

/** The cell `fence` of a new row whose schedule had none for a while: it goes on from the last fence of the schedule. */
export function fenceBefore(key: string): string {
  return `(SELECT fence FROM fences WHERE fences.schedule_key = ${key})`;
}

/** The cell `fence` of a row that is taken at `now`: mostly NULL, and then it takes no room. */
export function fenceCell(largest: 'max' | 'greatest', now: string): string {
  return `nullif(${nextFence(largest, now)}, ${takenAt(largest, now)})`;
}

/** Of a row in flight: no two claims of it have the same, and nothing but a claim changes it. */
export const FENCE_OF_CLAIM = 'coalesce(queue.fence, queue.claimed_at)';
