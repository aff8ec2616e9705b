import type { CompletionTicket } from '../../domain/access/completion-ticket.ts';
import type { OldSecret } from '../../domain/access/rotation.ts';
import { runId } from '../../domain/id.ts';
import { POLICY_DEFAULTS } from '../../domain/schedule/schedule.ts';
import { templateFactsOf } from '../../domain/schedule/template/names.ts';
import { rendered } from '../../domain/schedule/template/render.ts';
import type { LeaseDeadline } from '../../outbound/lease-deadline.ts';
import { buildCallbackRequest, runRequest } from '../../outbound/request.ts';
import type { OutboundRequest } from '../../outbound/send.ts';
import { StartPermit } from '../../outbound/start-permit.ts';
import type {
  CallbackClaim,
  Claim,
  FireableSchedule,
  ManualClaim,
  OutboxClaim,
} from '../../store/contract/queue.ts';
import { type HostState, originOf } from '../fairness/concurrency.ts';
import type { LinkedItem } from '../fairness/linked-list.ts';
import type { Throttle } from '../fairness/throttle.ts';
import type { JobKind } from '../observer.ts';
import { attemptOf } from './awaited.ts';
import type { InFlightEntry } from './in-flight.ts';

/** A job: one claim of the queue or the outbox, from the claim to the end of its request. */
interface AnyJob<Kind extends JobKind, OfKind> extends InFlightEntry<OfKind>, LinkedItem<Job> {
  kind: Kind;
  /** When it may start, epoch ms. A job of the outbox may start at once. */
  dueAt: number;
  clientRowId: number;
  origin: string;
  lane: string;
  /** Of its destination, with limits or without; null where it has none. */
  throttle: Throttle | null;
  /** The host whose slot it holds while its request is sent. */
  host: HostState | null;
  /** Built before its instant, so that only sending is left then. */
  request: OutboundRequest;
  /** The instant that the request carries as its timestamp, epoch ms. */
  stampedAt: number;
}

/** A firing of a schedule; its id is the schedule's. */
export type FiringJob = AnyJob<'schedule', Claim>;
/** A manual run or a callback; its id is the one of its outbox row. */
export type OutboxJob = AnyJob<'manual', ManualClaim> | AnyJob<'callback', CallbackClaim>;
export type Job = FiringJob | OutboxJob;

/** The url of a completion, made of the attempt that it names. */
export type CompletionUrlOf = (ticket: CompletionTicket) => string;

/** A request that had to wait longer is built again: receivers check the age of its signature. */
const STALE_MS = 1_000;

/** A claim of a run, with the url at which its target says later how the attempt ended. */
type CompletedClaim<OfRun> = OfRun & { completionUrl?: string };

/** Gives the claim of a schedule with `policy.completion` its url. @param urlOf undefined: nobody could call it */
export function withCompletionUrl<One extends Claim | OutboxClaim>(
  claim: One,
  urlOf: CompletionUrlOf | undefined,
): One {
  if (!('schedule' in claim) || claim.schedule.policy?.completion === undefined) return claim;
  if (urlOf === undefined) return claim;
  const { id: scheduleId, clientId } = claim.schedule;
  const completed: CompletedClaim<Claim | ManualClaim> = claim;
  completed.completionUrl = urlOf({ ...attemptOf(claim), scheduleId, clientId });
  return claim;
}

export function firingJob(claim: Claim, leaseDeadline: LeaseDeadline | undefined): FiringJob {
  const { schedule, dueAt, claimedAt } = claim;
  return jobOf('schedule', schedule.id, claim, dueAt, Math.max(claimedAt, dueAt), leaseDeadline);
}

export function outboxJob(claim: OutboxClaim, leaseDeadline: LeaseDeadline | undefined): OutboxJob {
  const { kind, id, claimedAt } = claim;
  return jobOf(kind, id, claim, claimedAt, claimedAt, leaseDeadline) as OutboxJob;
}

/** Its time is yet to come: the clock was set back since it was claimed. A late firing is due before its nominal time. */
export function isAhead({ kind, claim, dueAt }: Job, now: number): boolean {
  return dueAt > now || (kind === 'schedule' && claim.scheduledFor > now);
}

/** One function for all kinds, so that all jobs have one shape: V8 reads them faster. */
function jobOf<Kind extends JobKind, OfKind extends Claim | OutboxClaim>(
  kind: Kind,
  id: string,
  claim: OfKind,
  dueAt: number,
  stampedAt: number,
  leaseDeadline: LeaseDeadline | undefined,
): AnyJob<Kind, OfKind> {
  const permit = new StartPermit(leaseDeadline);
  const request = requestOf(claim, permit, stampedAt);
  const origin = originOf(request.url);
  return {
    kind,
    id,
    claim,
    dueAt,
    clientRowId: claim.clientRowId,
    origin,
    lane: origin,
    throttle: null,
    host: null,
    request,
    permit,
    stampedAt,
    signedAt: null,
    list: null,
    previous: null,
    next: null,
  };
}

/** The id that observers are told: of the schedule, or for a callback of the run that it reports. */
export function reportedId(claim: Claim | OutboxClaim): string {
  return 'schedule' in claim ? claim.schedule.id : claim.runId;
}

/** The name of the destination through which it is sent. A callback has none. */
export function destinationOf({ kind, claim }: Job): string | undefined {
  return kind === 'callback' ? undefined : claim.schedule.delivery?.destination;
}

/** The request as it is sent now. */
export function requestAt(job: Job, now: number): OutboundRequest {
  const { claim, permit, request, stampedAt } = job;
  const { oldSecret } = 'schedule' in claim ? claim.schedule : claim;
  const isStale = now - stampedAt > STALE_MS || hasEnded(oldSecret, stampedAt, now);
  return isStale ? requestOf(claim, permit, now) : request;
}

/** Whether the old secret signed the request and has ended since. */
function hasEnded(old: OldSecret | undefined, stampedAt: number, now: number): boolean {
  return old !== undefined && stampedAt < old.until && old.until <= now;
}

function requestOf(
  claim: Claim | OutboxClaim,
  permit: StartPermit,
  nowMs: number,
): OutboundRequest {
  const request =
    'schedule' in claim ? requestOfRun(claim, nowMs) : requestOfCallback(claim, nowMs);
  request.clientRowId = claim.clientRowId;
  request.permit = permit;
  return request;
}

function requestOfRun(claim: CompletedClaim<Claim | ManualClaim>, nowMs: number): OutboundRequest {
  const { schedule, scheduledFor, attempt, fence, completionUrl } = claim;
  const id = 'kind' in claim ? claim.id : runId(schedule.id, scheduledFor);
  const facts = { runId: id, scheduledFor, attempt, nowMs, fence, completionUrl };
  return runRequest(schedule.policy?.template === true ? renderedOf(claim, id) : schedule, facts);
}

/** The schedule with its templates filled in. Every attempt renders anew: the run before is still the same. */
function renderedOf(claim: Claim | ManualClaim, id: string): FireableSchedule {
  const { schedule, scheduledFor, attempt, previous } = claim;
  const trigger = 'kind' in claim ? claim.trigger : 'schedule';
  const run = { runId: id, scheduledFor, attempt, trigger, previous };
  return rendered(schedule, templateFactsOf(schedule, run));
}

function requestOfCallback(claim: CallbackClaim, nowMs: number): OutboundRequest {
  const { id, attempt, url, body } = claim;
  const timeoutMs = POLICY_DEFAULTS.timeoutSeconds * 1_000;
  return buildCallbackRequest({ id, url, body, attempt, nowMs, secrets: claim, timeoutMs });
}
