import { iso } from '../../../src/domain/iso.ts';
import type { Attempt } from '../../../src/domain/run/run.ts';
import type { OfAttempt, Taken } from './one-row.ts';

/** A row that the engine of `OneSchedule` holds, from its claim to the end of its request. */
export interface Flight extends Omit<Taken, 'begun'> {
  phase: 'held' | 'undecided' | 'ready' | 'sent';
  /** When the engine last looked at the clock for it. */
  lookedAt: number;
  startedAt?: number;
}

export const sendingOf = ({ scheduledFor, attempt }: OfAttempt) =>
  `${iso(scheduledFor)}, attempt ${attempt}`;

/** Whether its target may have said something about a row that was taken. @param attempt that has just ended */
export function maySay({ row, schedule }: Flight, attempt: Attempt | null): boolean {
  if (row.was === 'awaiting') return true;
  const isMarked = row.changedAt !== null && schedule.policy?.completion !== undefined;
  return isMarked && (attempt !== null || row.was === 'lost');
}
