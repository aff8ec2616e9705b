import { SURE_MS } from '../../domain/run/queue-row.ts';
import type { LeaseDeadline } from '../../outbound/lease-deadline.ts';
import type { QueueStore } from '../../store/contract/queue.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import type { FiringJob, Job } from './job.ts';

interface Sources {
  queue: Pick<QueueStore, 'confirm'>;
  downtime: Pick<DowntimeDetector, 'agreed'>;
  /** Undefined where the store is of one node. */
  leaseDeadline: LeaseDeadline | undefined;
}

/**
 * Asks what another node may know of these firings: whether it looked while this one did not, and whether it changed a schedule.
 *
 * @returns whether the claim of a job still holds
 */
export async function confirmClaims(
  firings: FiringJob[],
  now: number,
  { queue, downtime, leaseDeadline }: Sources,
): Promise<(job: Job) => boolean> {
  if (leaseDeadline === undefined) return () => true;
  await downtime.agreed();
  const old = firings.map(({ claim }) => claim).filter(claim => now - claim.claimedAt > SURE_MS);
  if (old.length === 0) return () => true;
  const confirmed = new Set(await queue.confirm(old));
  const dropped = new Set(old.filter(({ scheduleRowId }) => !confirmed.has(scheduleRowId)));
  return ({ kind, claim }) => kind !== 'schedule' || !dropped.has(claim);
}
