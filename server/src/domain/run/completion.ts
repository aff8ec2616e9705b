import { iso } from '../iso.ts';
import type { Policy } from '../schedule/schedule.ts';
import { keepsBodies } from './kept-response.ts';
import type { QueueState } from './queue-row.ts';
import type { Attempt } from './run.ts';
import { withoutControls } from './sentence.ts';

/**
 * Completions: a target that answers 202 says later, at a url of the attempt, how its run has ended. Until then the
 * run awaits, and no request of its schedule is sent.
 */

/** The call of a target about one attempt: how it ended, or only that it needs longer. */
export interface Said {
  status?: 'succeeded' | 'failed' | undefined;
  message?: string | undefined;
  /** From now on. With a status it means nothing. */
  extendSeconds?: number | undefined;
}

/** The call of a target about one attempt, as it is kept. Instants are epoch ms. */
export interface Completion {
  runId: string;
  attempt: number;
  saidAt: number;
  /** Absent: only the deadline was moved. */
  status?: 'succeeded' | 'failed' | undefined;
  message?: string | undefined;
  deadlineAt?: number | undefined;
}

const DAY_MS = 86_400_000;
/** The answer that lets a run await. */
const ACCEPTED = 202;
/** An attempt awaits for this long at most, counted from its start. */
export const MOST_AWAITED_MS = 7 * DAY_MS;
/** Calls of targets are kept for longer than that. */
export const COMPLETIONS_KEPT_MS = 9 * DAY_MS;

/** Whether the attempt was answered, and its completion is still to come. */
export function isAwaiting({ outcome, completion }: Attempt): boolean {
  return completion !== undefined && completion.endedAt === undefined && outcome !== 'timeout';
}

/** The decision about an attempt that was answered, or that awaits. */
export type AwaitedAttempt =
  /** Its completion is to come by `until`. */
  | { kind: 'awaiting'; attempt: Attempt; until: number }
  /** The target said how it ended. */
  | { kind: 'succeeded' | 'failed'; attempt: Attempt; endedAt: number }
  /** Nothing came by its deadline. */
  | { kind: 'timeout'; attempt: Attempt; endedAt: number };

/** Whether its request may have reached the target, and no answer came. Its target may have said how it ended. */
export function isUnanswered({ outcome, completion, refused }: Attempt): boolean {
  const hasFailed = outcome === 'connectionError' || outcome === 'timeout';
  return hasFailed && completion === undefined && refused === undefined;
}

/**
 * Decides about the last attempt of a run.
 *
 * An attempt that was cut off (`lost`) awaits where the target has said something about it: it has the request. One whose
 * answer never came has ended as the target has said, if it has: the target was told that this counts.
 *
 * @param said about this attempt; null: nothing so far
 * @param now when the attempt was answered, or when its row is looked at
 * @returns null where the attempt awaits nothing
 */
export function awaitedOf(
  attempt: Attempt,
  policy: Policy | undefined,
  said: Completion | null,
  now: number,
): AwaitedAttempt | null {
  const awaited = isAwaiting(attempt)
    ? withDeadlineAnew(attempt, now)
    : accepted(attempt, policy, said, now);
  if (awaited === null) return null;
  if (said?.status !== undefined) return ended(awaited, heard(said, policy), said.status, now);
  const moved = said?.deadlineAt && Math.min(said.deadlineAt, now + said.deadlineAt - said.saidAt);
  const until = moved ?? awaited.completion!.until;
  if (until > now) return { kind: 'awaiting', attempt: awaited, until };
  return timedOut(awaited, until);
}

/** If the clock was set back since, the attempt awaits as long from now on as it was to await from then on. */
function withDeadlineAnew(attempt: Attempt, now: number): Attempt {
  if (!isSetAhead(attempt, now)) return attempt;
  const completion = attempt.completion!;
  const until = now + completion.until - deadlineSetAt(attempt);
  return { ...attempt, completion: { ...completion, until, acceptedAt: now } };
}

/** Whether its deadline was set by a clock that was ahead. */
export function isSetAhead(attempt: Attempt, now: number): boolean {
  return attempt.completion !== undefined && deadlineSetAt(attempt) > now;
}

function deadlineSetAt({ startedAt, completion }: Attempt): number {
  return completion!.acceptedAt ?? startedAt;
}

/** The attempt with the deadline of its completion; null where it has none. */
function accepted(
  attempt: Attempt,
  policy: Policy | undefined,
  said: Completion | null,
  now: number,
): Attempt | null {
  const { outcome, responseStatus } = attempt;
  const seconds = policy?.completion?.deadlineSeconds;
  const isAccepted = outcome === 'response' && responseStatus === ACCEPTED;
  if (seconds === undefined || !(isAccepted || isSpokenOf(attempt, said))) return null;
  const until = Math.min(now + seconds * 1_000, attempt.startedAt + MOST_AWAITED_MS);
  // The conditions of a success are not for an answer that only says that the work has begun.
  const { error: _, ...same } = attempt;
  return { ...(isAccepted ? same : attempt), completion: { until, acceptedAt: now } };
}

function isSpokenOf(attempt: Attempt, said: Completion | null): boolean {
  if (said === null) return false;
  return attempt.outcome === 'lost' || (said.status !== undefined && isUnanswered(attempt));
}

/** The call as history keeps it: its message is a body of the target. */
export function heard<One extends Pick<Said, 'message'>>(
  said: One,
  policy: Policy | undefined,
): One {
  if (said.message === undefined || keepsBodies(policy)) return said;
  const { message: _, ...rest } = said;
  return rest as One;
}

function ended(
  attempt: Attempt,
  { saidAt, message }: Completion,
  kind: 'succeeded' | 'failed',
  now: number,
): AwaitedAttempt {
  const endedAt = Math.min(saidAt, now);
  const { until } = attempt.completion!;
  const completion = { until, endedAt, ...(message !== undefined && { message }) };
  const { error: _, ...same } = attempt;
  if (kind === 'succeeded') return { kind, attempt: { ...same, completion }, endedAt };
  const error = `The target said later that it failed${message === undefined ? '.' : `: ${withoutControls(message)}`}`;
  return { kind, attempt: { ...same, error, completion }, endedAt };
}

function timedOut(attempt: Attempt, endedAt: number): AwaitedAttempt {
  const error = `The target has not completed it by ${iso(endedAt)}.`;
  const { until } = attempt.completion!;
  const completion = { until, timedOutAt: endedAt };
  const timeout: Attempt = { ...attempt, outcome: 'timeout', error, completion };
  return { kind: 'timeout', attempt: timeout, endedAt };
}

/** The row of an attempt that a target speaks about. */
export interface SpokenOf {
  state: QueueState;
  attempt: number;
  attempts: Attempt[];
  /** When it was claimed, or its request started. */
  startedAt: number;
}

/**
 * The part of a target's call that is kept.
 *
 * It may speak while its request is under way, after it was cut off, and while the run awaits.
 *
 * @param before what it has said about this attempt
 * @returns null where the attempt has ended, was overtaken, or is past its deadline
 */
export function completionOf(
  row: SpokenOf,
  ticket: Pick<Completion, 'runId' | 'attempt'>,
  said: Said,
  before: Completion | null,
  now: number,
): Completion | null {
  if (row.attempt !== ticket.attempt || before?.status !== undefined) return null;
  const last = row.attempts[ticket.attempt - 1];
  if (last !== undefined && last.outcome !== 'lost' && !isAwaiting(last)) return null;
  const deadlineAt = before?.deadlineAt ?? last?.completion?.until;
  if (deadlineAt !== undefined && deadlineAt <= now) return null;
  const { runId, attempt } = ticket;
  const kept: Completion = { runId, attempt, saidAt: now };
  if (said.status === undefined && said.extendSeconds !== undefined) {
    const latest = (last?.startedAt ?? row.startedAt) + MOST_AWAITED_MS;
    return { ...kept, deadlineAt: Math.min(now + said.extendSeconds * 1_000, latest) };
  }
  return {
    ...kept,
    status: said.status ?? 'succeeded',
    ...(said.message !== undefined && { message: said.message }),
    ...(deadlineAt !== undefined && { deadlineAt }),
  };
}
