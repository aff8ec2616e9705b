import type { CompletionTicket } from '../../domain/access/completion-ticket.ts';
import { instantOf, tailOf } from '../../domain/id.ts';
import type { Completion, SpokenOf } from '../../domain/run/completion.ts';
import type { QueueState } from '../../domain/run/queue-row.ts';
import type { Row } from '../columns.ts';
import { attemptsFrom } from './row.ts';

/** Rows of completions, and the rows that they concern, as both backends read them. */

/** The columns of the row that a completion concerns, in the queue or in the outbox; its owner stands beside them. */
export const CONCERNED = 'state, attempt, attempts, scheduled_for, claimed_at, due_at';

/** Rows that one call of `recount` changes. */
export const RECOUNTED_AT_ONCE = 1_000;

/** Rows that one call of `prune` takes away. */
export const PRUNED_AT_ONCE = 1_000;

/** A scheduled run has the id of its schedule with another instant. */
export function isManualTicket({ runId, scheduleId }: CompletionTicket): boolean {
  return tailOf(runId) !== tailOf(scheduleId);
}

/**
 * @param row of the queue or of the outbox; undefined: there is none
 * @returns null also where a manual run is just being decided about: its deadline has come. Words about a row of the queue
 * would refuse the decision. Here nothing would.
 */
export function spokenOf(row: Row | undefined, ticket: CompletionTicket): SpokenOf | null {
  if (row === undefined || row.scheduled_for !== instantOf(ticket.runId)) return null;
  const attempts = attemptsFrom(row.attempts);
  const isDecided = row.state === 'inFlight' && attempts.length === row.attempt;
  if (isDecided && isManualTicket(ticket)) return null;
  return {
    state: row.state as QueueState,
    attempt: row.attempt as number,
    attempts,
    startedAt: Math.max((row.claimed_at as number | null) ?? 0, row.due_at as number),
  };
}

/** When the row is due that a completion concerns. */
export function dueAfter({ status, deadlineAt, saidAt }: Completion): number {
  return status === undefined ? deadlineAt! : saidAt;
}
