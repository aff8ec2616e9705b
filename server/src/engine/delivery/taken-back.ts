import type { Claim, QueueStore } from '../../store/contract/queue.ts';

/** Claims that a change of their schedule took back before their request was sent. */

/**
 * A change cannot tell whether the run of a claim is going: it writes that the times behind it were skipped. If the claim
 * comes back unsent, there was no such run, and these records are taken back.
 *
 * To be called before the claims are settled: if the process dies in between, the next look at their rows does it again.
 *
 * @param unsent claims that go back without an attempt
 * @param now epoch ms
 */
export async function forgetSkipped(
  queue: Pick<QueueStore, 'forgetSkipped'>,
  unsent: Claim[],
  now: number,
): Promise<void> {
  // Before its time no time can have come behind it. Of two changes only the first may be dated before that.
  const runs = unsent.filter(
    ({ was, changedAt, scheduledFor }) =>
      was === 'waiting' && changedAt !== null && scheduledFor < now,
  );
  if (runs.length > 0) await queue.forgetSkipped(runs);
}
