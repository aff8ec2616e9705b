import type { Move } from '../../domain/run/queue.ts';
import type { TakenRow } from '../../domain/run/queue-row.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';
import type { KnownRun } from '../../store/contract/recount.ts';

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
  const known = (await queue.known(spans)).filter(hasLeft);
  const byKey = Map.groupBy(known, ({ scheduleRowId }) => scheduleRowId);
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
  const mayBeKnown = (claim: Claim) =>
    claim.nextFor! < unseenUntil || checksFrom <= now || isCountedAnew(claim);
  const spans = executions.flatMap(({ claim }) => {
    const { scheduleRowId, nextFor } = claim;
    if (nextFor === null || nextFor > now || !mayBeKnown(claim)) return [];
    return [{ scheduleRowId, from: nextFor, until: now }];
  });
  if (spans.length === 0) return executions;
  const byKey = Map.groupBy(await queue.known(spans), ({ scheduleRowId }) => scheduleRowId);
  return executions.map(execution => {
    const { claim } = execution;
    const found = byKey.get(claim.scheduleRowId) ?? [];
    const known = isCountedAnew(claim) ? found.map(asDecided) : found.filter(hasLeft);
    return known.length > 0 ? { ...execution, claim: { ...claim, known } } : execution;
  });
}

/** Whether a clock that was set back found it in flight, and a change by the clock that was ahead beside it (`recounted`). */
function isCountedAnew({ scheduledFor, nextFor }: Claim): boolean {
  return nextFor === scheduledFor;
}

/** A time that was passed over has no attempts. */
function hasLeft({ sent, attempts }: KnownRun): boolean {
  return sent || attempts.length > 0;
}

/** The change has told what became of the times that came by then. They are on record, and do not fire. */
function asDecided(run: KnownRun): KnownRun {
  return hasLeft(run) ? run : { ...run, sent: true };
}
