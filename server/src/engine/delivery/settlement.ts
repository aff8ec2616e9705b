import { newId } from '../../domain/id.ts';
import { callbacksOf } from '../../domain/run/callback.ts';
import type { Move } from '../../domain/run/queue.ts';
import type { RunRecord } from '../../domain/run/run.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { Claim, NewCallback, Settlement } from '../../store/contract/queue.ts';

/** A move of a claimed row as the store writes it: history, callbacks and the row, or nothing. */
export function settlementOf(claim: Claim, move: Move, now: number): Settlement {
  const { scheduleRowId, clientRowId, scheduledFor, attempt, changedAt, schedule } = claim;
  return {
    scheduleRowId,
    clientRowId,
    fence: { scheduledFor, attempt, changedAt },
    records: recordsOf(move, now),
    callbacks: move.ended ? newCallbacks(schedule, move.ended, now) : [],
    row: move.row,
  };
}

function recordsOf({ passed, ended }: Move, now: number): RunRecord[] {
  if (passed.length === 0) return ended ? [ended] : passed;
  const records = passed.map(record => ({ ...record, decidedAt: now }));
  return ended ? [...records, ended] : records;
}

export function newCallbacks(schedule: Schedule, run: RunRecord, now: number): NewCallback[] {
  return callbacksOf(schedule, run).map(draft => ({
    ...draft,
    id: newId(now),
    runId: run.id,
    dueAt: now,
  }));
}
