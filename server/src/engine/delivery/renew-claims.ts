import type { Claim, OutboxClaim, OutboxStore, QueueStore } from '../../store/contract/queue.ts';
import type { Completer } from './completer.ts';

interface RenewOptions {
  queue: Pick<QueueStore, 'renew'>;
  outbox: Pick<OutboxStore, 'renew'>;
  completer: Pick<Completer, 'unsettledFirings' | 'unsettledOfOutbox'>;
}

/** Claims of jobs that have not ended. */
interface GoingClaims {
  firings: Claim[];
  ofOutbox: OutboxClaim[];
}

/**
 * Renews the leases of claims that are old, those of jobs that wait to be settled among them.
 *
 * @param isOld whether a claim's lease is to be renewed
 * @returns the claims that this node has lost
 */
export async function renewClaims(
  going: GoingClaims,
  isOld: (claim: { claimedAt: number }) => boolean,
  { queue, outbox, completer }: RenewOptions,
): Promise<Set<Claim | OutboxClaim>> {
  const firings = going.firings.filter(isOld);
  const ofOutbox = going.ofOutbox.filter(isOld);
  const [heldFirings, heldOfOutbox] = await Promise.all([
    queue.renew([...firings, ...completer.unsettledFirings.filter(isOld)]),
    outbox.renew([...ofOutbox.map(({ id }) => id), ...completer.unsettledOfOutbox]),
  ]);
  const keys = new Set<number | string>([...heldFirings, ...heldOfOutbox]);
  return new Set<Claim | OutboxClaim>([
    ...firings.filter(({ scheduleRowId }) => !keys.has(scheduleRowId)),
    ...ofOutbox.filter(({ id }) => !keys.has(id)),
  ]);
}
