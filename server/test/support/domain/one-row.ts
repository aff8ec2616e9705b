import { nextTime } from '../../../src/domain/calendar/calendar.ts';
import type { Move } from '../../../src/domain/run/queue.ts';
import {
  mayBegin,
  neverEarly,
  type QueueRow,
  type TakenRow,
} from '../../../src/domain/run/queue-row.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Settlement } from '../../../src/store/contract/queue.ts';
import type { Requeue } from '../../../src/store/contract/schedules.ts';

interface KeptRow extends QueueRow {
  changedAt: number | null;
  blockedSince: number | null;
  claimedAt: number | null;
}

export interface Taken {
  row: TakenRow;
  /** As it stood when the row was taken. */
  schedule: Schedule;
  begun: boolean;
}

export type Standing = Pick<TakenRow, 'scheduledFor' | 'attempt' | 'nextFor' | 'changedAt'>;

/** What was asked of the backend, and what it answered: every real backend gives the same answers. */
export type Call =
  | { call: 'claim'; now: number; unseenUntil: number; aheadMs: number; taken: Taken | null }
  | { call: 'settle'; fence: Settlement['fence']; move: Move; applied: boolean }
  | { call: 'reread'; standing: Standing; schedule: Schedule }
  | { call: 'update'; schedule: Schedule; requeue: Exclude<Requeue, 'keep'> }
  | { call: 'recover'; now: number; sentUntil: number | undefined }
  | { call: 'beginManual'; now: number }
  | { call: 'endManual' };

/**
 * The backend of one schedule's row, in memory: what the store contract promises of the queue, in
 * as few lines as it takes. `dueAt` after each call is in `dues`.
 */
export class OneRow {
  schedule: Schedule;
  row: KeptRow | null = null;
  readonly calls: Call[] = [];
  readonly dues: (number | null)[] = [];
  /** Since when a manual run's request is in flight. */
  manualSince: number | null = null;
  /** From its beginning to its end, crashes included. */
  hasManual = false;

  constructor(schedule: Schedule) {
    this.schedule = schedule;
  }

  claim(now: number, unseenUntil: number, aheadMs: number): Taken | null {
    const taken = this.#take(now, unseenUntil, aheadMs);
    this.#note({ call: 'claim', now, unseenUntil, aheadMs, taken });
    return taken;
  }

  #take(now: number, unseenUntil: number, aheadMs: number): Taken | null {
    const { row, schedule } = this;
    if (row === null || row.state === 'inFlight' || row.dueAt > now + aheadMs) return null;
    const isFree = row.changedAt === null && row.blockedSince === null;
    const begun = isFree && mayBegin(row, Math.max(now, row.dueAt), unseenUntil);
    if (row.dueAt > now && !(begun && !this.hasManual)) return null;
    const attempt = row.attempt + (begun ? 1 : 0);
    this.row = { ...row, state: 'inFlight', attempt, claimedAt: now };
    const { claimedAt: _, ...rest } = this.row;
    return { row: { ...rest, was: row.state }, schedule, begun };
  }

  /** @returns false where the row is no longer the claimed one */
  settle({ scheduledFor, attempt, changedAt }: TakenRow, move: Move): boolean {
    const { row } = this;
    const applied =
      row?.state === 'inFlight' &&
      row.scheduledFor === scheduledFor &&
      row.attempt === attempt &&
      row.changedAt === changedAt;
    if (applied) {
      const { blockedSince, claimedAt } = row;
      this.row = move.row && { ...move.row, blockedSince, claimedAt, changedAt: null };
    }
    this.#note({ call: 'settle', fence: { scheduledFor, attempt, changedAt }, move, applied });
    return applied;
  }

  reread(): { standing: Standing; schedule: Schedule } {
    const { scheduledFor, attempt, nextFor, changedAt } = this.row!;
    const standing = { scheduledFor, attempt, nextFor, changedAt };
    const read = { standing, schedule: this.schedule };
    this.#note({ call: 'reread', ...read });
    return read;
  }

  /** A waiting row moves or goes; one that has begun is marked, and brought forward. */
  update(schedule: Schedule, changedAt: number): void {
    const { interval, timezone, status } = schedule;
    const first = status === 'enabled' ? nextTime(interval, timezone, changedAt) : null;
    const second = first === null ? null : nextTime(interval, timezone, first);
    const { row } = this;
    this.schedule = schedule;
    if (row && row.state !== 'waiting') {
      const marked = Math.max(changedAt, (row.changedAt ?? -1) + 1);
      const dueAt = row.state === 'inFlight' ? row.dueAt : Math.min(row.dueAt, first ?? changedAt);
      this.row = { ...row, changedAt: marked, nextFor: first, dueAt };
    } else if (first === null) this.row = null;
    else {
      const blockedSince = row ? row.blockedSince : this.manualSince;
      const fresh = { attempt: 0, attempts: [], changedAt: null, blockedSince, claimedAt: null };
      const times = { dueAt: first, scheduledFor: first, nextFor: second };
      this.row = { state: 'waiting', ...times, ...fresh };
    }
    const start = first === null ? null : { first, second };
    this.#note({ call: 'update', schedule, requeue: { changedAt, start } });
  }

  /** What was in flight is lost; what was taken and did not leave is again what it was. */
  recover(now: number, sentUntil?: number): void {
    const { row } = this;
    this.manualSince = null;
    if (row?.state === 'inFlight') {
      const { attempt, attempts, claimedAt, changedAt, nextFor } = row;
      const broughtTo = changedAt === null ? row.dueAt : Math.min(row.dueAt, nextFor ?? changedAt);
      const last = attempts.at(-1)?.outcome;
      const lookedAt = sentUntil ?? Math.min(now, changedAt ?? now);
      // Where it is unknown what was sent, a clock that was set back since may have come to its time before.
      const isKnown = sentUntil !== undefined || claimedAt! <= now;
      const isAhead = isKnown && claimedAt! < row.dueAt && lookedAt < row.dueAt;
      if (attempt > attempts.length && !isAhead) {
        const startedAt = Math.max(claimedAt!, row.dueAt);
        const lost = { number: attempt, startedAt, outcome: 'lost' as const };
        const dueAt = neverEarly(row, row.dueAt);
        this.row = { ...row, state: 'lost', dueAt, attempts: [...attempts, lost] };
      } else if (attempts.length === 0) {
        this.row = { ...row, state: 'waiting', attempt: 0, dueAt: broughtTo };
      } else {
        const state = last === 'lost' ? 'lost' : 'retrying';
        this.row = { ...row, state, attempt: attempts.length, dueAt: broughtTo };
      }
    }
    this.#note({ call: 'recover', now, sentUntil });
  }

  beginManual(now: number): void {
    this.manualSince = now;
    this.hasManual = true;
    if (this.row) this.row.blockedSince = now;
    this.#note({ call: 'beginManual', now });
  }

  endManual(): void {
    this.manualSince = null;
    this.hasManual = false;
    if (this.row) this.row.blockedSince = null;
    this.#note({ call: 'endManual' });
  }

  #note(call: Call): void {
    this.calls.push(call);
    this.dues.push(this.row && this.row.state !== 'inFlight' ? this.row.dueAt : null);
  }
}
