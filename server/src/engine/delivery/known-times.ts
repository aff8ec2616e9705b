import type { Move } from '../../domain/run/queue.ts';
import type { TakenRow } from '../../domain/run/queue-row.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';

/** After the clock was set back, times come again that are already on record. */

/** A claim with the records of its times, if they were looked up. */
export type CheckedClaim = Claim & Pick<TakenRow, 'known' | 'blockedUntil'>;

/**
 * Looks up which of the times that the claims stand for, up to `now`, are on record.
 *
 * A row that was held back while its next time came is always looked up: `checksFrom` may have gone on beyond that time.
 */
export async function withKnown(
  queue: QueueStore,
  claims: Claim[],
  now: number,
  { unseenUntil, mayBeSent }: { unseenUntil: number; mayBeSent: boolean },
): Promise<CheckedClaim[]> {
  const wasHeld = ({ nextFor }: Claim) =>
    nextFor !== null && nextFor >= unseenUntil && nextFor <= now;
  const spans = claims
    .filter(claim => claim.was === 'waiting' && (mayBeSent || wasHeld(claim)))
    .map(({ scheduleRowId, scheduledFor: from }) => ({ scheduleRowId, from, until: now }));
  if (spans.length === 0) return claims;
  const byKey = Map.groupBy(await queue.known(spans), ({ scheduleRowId }) => scheduleRowId);
  return claims.map(claim => ({ ...claim, known: byKey.get(claim.scheduleRowId) ?? [] }));
}

/** Runs that were cut off before the clock was set back begin again, and their old records are removed. */
export async function resend(
  queue: QueueStore,
  decided: { claim: CheckedClaim; move: Move }[],
): Promise<void> {
  const runs = decided.flatMap(({ claim: { scheduleRowId, known = [] }, move: { row } }) =>
    row?.state === 'inFlight'
      ? known
          .filter(({ scheduledFor, sent }) => !sent && scheduledFor === row.scheduledFor)
          .map(({ scheduledFor }) => ({ scheduleRowId, scheduledFor }))
      : [],
  );
  if (runs.length > 0) await queue.resend(runs);
}

/**
 * Of executions that have ended: the times that passed meanwhile, where the clock was set ahead again. They passed
 * unseen, or before anybody has looked at the clock, while the request was still going.
 */
export async function withKnownOfGap<Ended extends { claim: Claim }>(
  queue: QueueStore,
  executions: Ended[],
  now: number,
  { unseenUntil, checksFrom }: { unseenUntil: number; checksFrom: number },
): Promise<Ended[]> {
  const mayBeSent = (nextFor: number) => nextFor < unseenUntil || checksFrom <= now;
  const spans = executions.flatMap(({ claim: { scheduleRowId, nextFor } }) =>
    nextFor !== null && nextFor <= now && mayBeSent(nextFor)
      ? [{ scheduleRowId, from: nextFor, until: now }]
      : [],
  );
  if (spans.length === 0) return executions;
  const byKey = Map.groupBy(await queue.known(spans), ({ scheduleRowId }) => scheduleRowId);
  return executions.map(execution => {
    const known = byKey.get(execution.claim.scheduleRowId);
    return known ? { ...execution, claim: { ...execution.claim, known } } : execution;
  });
}
