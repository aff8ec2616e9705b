import type { OldSecret } from '../../domain/access/rotation.ts';
import { runId } from '../../domain/id.ts';
import type { LeaseDeadline } from '../../outbound/lease-deadline.ts';
import type { OutboundRequest } from '../../outbound/send.ts';
import { StartPermit } from '../../outbound/start-permit.ts';
import type { Claim } from '../../store/contract/queue.ts';
import { type HostState, originOf } from '../fairness/concurrency.ts';
import { type LinkedItem, unlinked } from '../fairness/linked-list.ts';
import type { InFlightEntry } from './in-flight.ts';
import { runRequest } from './run-request.ts';

/** A claimed run from its claim to the end of its attempt: held until its instant, then sent. */
export interface Execution extends InFlightEntry<Claim>, LinkedItem<Execution> {
  dueAt: number;
  clientRowId: number;
  origin: string;
  /** The host whose slot it holds while it is sent. */
  host: HostState | null;
  /** Built before its instant, so that only sending is left then. */
  request: OutboundRequest;
  /** The instant that the request carries as its timestamp, epoch ms. */
  stampedAt: number;
}

/** A request that had to wait longer is built again: receivers check the age of its signature. */
const STALE_MS = 1_000;

export function executionOf(claim: Claim, leaseDeadline: LeaseDeadline | undefined): Execution {
  const stampedAt = Math.max(claim.claimedAt, claim.dueAt);
  const request = requestOf(claim, stampedAt);
  const { dueAt, clientRowId, schedule } = claim;
  const origin = originOf(schedule.url);
  const permit = new StartPermit(leaseDeadline);
  return {
    id: schedule.id,
    claim,
    dueAt,
    clientRowId,
    origin,
    host: null,
    request,
    permit,
    stampedAt,
    signedAt: null,
    ...unlinked<Execution>(),
  };
}

/** The request as it is sent now. */
export function requestAt({ claim, request, stampedAt }: Execution, now: number): OutboundRequest {
  const isStale = now - stampedAt > STALE_MS || hasEnded(claim.schedule.oldSecret, stampedAt, now);
  return isStale ? requestOf(claim, now) : request;
}

/** Whether the old secret signed the request and has ended since. */
function hasEnded(old: OldSecret | undefined, stampedAt: number, now: number): boolean {
  return old !== undefined && stampedAt < old.until && old.until <= now;
}

/** Whether it was claimed before its instant: the clock or the schedule may have changed since. */
export function isClaimedAhead({ claimedAt, dueAt }: Claim): boolean {
  return claimedAt < dueAt;
}

function requestOf({ schedule, scheduledFor, attempt }: Claim, nowMs: number): OutboundRequest {
  return runRequest(schedule, {
    runId: runId(schedule.id, scheduledFor),
    scheduledFor,
    attempt,
    nowMs,
  });
}
