import type { Move } from '../../domain/run/queue.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';
import type { CheckedClaim } from './known-times.ts';

/** Rows that wait behind a manual run: they wait for its end, and not for the next look. */

/** Claims that a manual run blocks, with the instant at which that is due, where it awaits its completion. */
export async function withAwaited(
  queue: Pick<QueueStore, 'awaitedManuals'>,
  claims: Claim[],
): Promise<CheckedClaim[]> {
  const blocked = claims.filter(({ blockedSince }) => blockedSince !== null);
  if (blocked.length === 0) return claims;
  const awaited = await queue.awaitedManuals(blocked.map(({ scheduleRowId }) => scheduleRowId));
  const dueAts = new Map(awaited.map(({ scheduleRowId, dueAt }) => [scheduleRowId, dueAt]));
  return claims.map(claim => {
    const blockedUntil = dueAts.get(claim.scheduleRowId);
    return blockedUntil === undefined ? claim : { ...claim, blockedUntil };
  });
}

/**
 * The manual run may have ended while its row was decided about, and its end makes only such rows due as are not in flight.
 *
 * @returns whether a row is due again
 */
export async function unblockEnded(
  queue: Pick<QueueStore, 'unblock'>,
  decided: { claim: CheckedClaim; move: Move }[],
): Promise<boolean> {
  const behind = decided.filter(
    ({ claim, move }) => claim.blockedSince !== null && move.row !== null,
  );
  if (behind.length === 0) return false;
  return (await queue.unblock(behind.map(({ claim }) => claim.scheduleRowId))) > 0;
}
