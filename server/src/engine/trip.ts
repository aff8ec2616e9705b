import { runId } from '../domain/id.ts';
import type { OldSecret } from '../domain/rotation.ts';
import type { OutboundRequest } from '../outbound/send.ts';
import { type Term, Ticket } from '../outbound/ticket.ts';
import type { Claim } from '../store/work.ts';
import { firingRequest } from './firing-request.ts';
import type { Flight } from './flights.ts';
import { type Linked, loose } from './line.ts';
import { type Host, originOf } from './places.ts';

/** A firing from its claim to the end of its attempt: first held for its time, then sent. */
export interface Trip extends Flight<Claim>, Linked<Trip> {
  dueAt: number;
  clientKey: number;
  origin: string;
  /** Where it has its place, once it departs. */
  host: Host | null;
  /** Made before its time, so that it need only be sent then. */
  request: OutboundRequest;
  /** What the request says of when it was sent, epoch ms. */
  stampedAt: number;
}

/** Signatures are checked against the receiver's clock: a request that had to wait is made anew. */
const STALE_MS = 1_000;

export function tripOf(claim: Claim, term: Term | undefined): Trip {
  const stampedAt = Math.max(claim.claimedAt, claim.dueAt);
  const request = requestOf(claim, stampedAt);
  const { dueAt, clientKey, firing } = claim;
  const origin = originOf(firing.url);
  const ticket = new Ticket(term);
  return {
    id: firing.id,
    claim,
    dueAt,
    clientKey,
    origin,
    host: null,
    request,
    ticket,
    stampedAt,
    signedAt: null,
    ...loose<Trip>(),
  };
}

/** The request as it is to leave now. */
export function requestAt({ claim, request, stampedAt }: Trip, now: number): OutboundRequest {
  const isStale = now - stampedAt > STALE_MS || hasEnded(claim.firing.oldSecret, stampedAt, now);
  return isStale ? requestOf(claim, now) : request;
}

/** Whether the old secret signed what has waited, and signs no more. */
function hasEnded(old: OldSecret | undefined, stampedAt: number, now: number): boolean {
  return old !== undefined && stampedAt < old.until && old.until <= now;
}

/** Whether it was claimed ahead of its time: then much may have changed since. */
export function isAhead({ claimedAt, dueAt }: Claim): boolean {
  return claimedAt < dueAt;
}

function requestOf({ firing, scheduledFor, attempt }: Claim, nowMs: number): OutboundRequest {
  return firingRequest(firing, {
    runId: runId(firing.id, scheduledFor),
    scheduledFor,
    attempt,
    nowMs,
  });
}
