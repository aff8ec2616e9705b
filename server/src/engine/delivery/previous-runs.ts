import type { Claim, ManualClaim, OutboxClaim } from '../../store/contract/queue.ts';
import type { PreviousRunQuery, RunStore } from '../../store/contract/runs.ts';

/** Templates may name facts of the run before: they are read with the claim, for those schedules only. */

type RunClaim = Claim | ManualClaim;

/**
 * The claims whose templates name the run before. It costs a plain schedule one look.
 *
 * @returns null where there are none
 */
export function namingPrevious(claims: readonly (Claim | OutboxClaim)[]): RunClaim[] | null {
  let naming: RunClaim[] | null = null;
  for (const claim of claims) {
    if (!('schedule' in claim) || claim.schedule.delivery?.previous === undefined) continue;
    naming ??= [];
    naming.push(claim);
  }
  return naming;
}

/** Reads the run before each of these, one look at the store for all, and notes it on the claim. */
export async function readPrevious(
  runs: Pick<RunStore, 'previous'>,
  naming: readonly RunClaim[],
): Promise<void> {
  const found = await runs.previous(naming.map(queryOf));
  naming.forEach((claim, index) => {
    claim.previous = found[index]!;
  });
}

/** Of all attempts of a run the run before is the same: it has an earlier nominal time. */
function queryOf({
  clientRowId,
  scheduleRowId,
  scheduledFor,
  schedule,
}: RunClaim): PreviousRunQuery {
  const isSuccessAsked = schedule.delivery!.previous!.includes('succeededFor');
  return { clientRowId, scheduleRowId, before: scheduledFor, isSuccessAsked };
}
