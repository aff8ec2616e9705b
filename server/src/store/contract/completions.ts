/** The store contract: completions of runs (domain/run/completion.ts). `store.ts` says the rules of the whole contract. */

import type { CompletionTicket } from '../../domain/access/completion-ticket.ts';
import type { Completion, Said } from '../../domain/run/completion.ts';

/** An attempt, by which its completion is found. */
export type CompletedAttempt = Pick<Completion, 'runId' | 'attempt'>;

/** The row that a completion concerns. */
export interface CompletedRow {
  /** When it is due, epoch ms. */
  dueAt: number;
  isManual: boolean;
}

export interface CompletionStore {
  /**
   * Keeps what a target says about an attempt, and makes its row due: at once where the attempt has ended, else at its new
   * deadline. A row in flight is marked as changed, so that its settlement is refused once and decided about anew.
   *
   * @returns null where the attempt has ended, was overtaken, or is past its deadline; nothing is written
   */
  say(ticket: CompletionTicket, said: Said, now: number): Promise<CompletedRow | null>;
  /** The calls of targets about these attempts. */
  of(attempts: CompletedAttempt[]): Promise<Completion[]>;
  /** The client (`clientRowId`) of the schedule that a ticket names; null where it is not there. */
  clientOf(ticket: CompletionTicket): Promise<number | null>;
  /** How many runs await their completion. */
  awaiting(): Promise<number>;
  /**
   * After the clock was set back: a deadline that the clock ahead has moved is as long from now on as it was then. Its run
   * is due no later. One call is bounded work.
   *
   * @returns how many
   */
  recount(now: number): Promise<number>;
  /** Takes away those said before an instant. One call is bounded work. @returns how many */
  prune(before: number): Promise<number>;
}
