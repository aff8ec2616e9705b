import { instantOf } from '../../../src/domain/id.ts';
import {
  type Completion,
  completionOf,
  isAwaiting,
  type Said,
} from '../../../src/domain/run/completion.ts';
import type { Move } from '../../../src/domain/run/queue.ts';
import {
  mayBegin,
  neverEarly,
  type QueueRow,
  type TakenRow,
} from '../../../src/domain/run/queue-row.ts';
import { skippedBehind } from '../../../src/domain/run/row-times.ts';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import { decidedFrom, startBeyond, startOf } from '../../../src/domain/run/start.ts';
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

/** An attempt of the schedule, by which its target speaks of it. */
export interface OfAttempt {
  scheduledFor: number;
  attempt: number;
}

/** What was asked of the backend, and what it answered: every real backend gives the same answers. */
export type Call =
  | { call: 'claim'; now: number; unseenUntil: number; aheadMs: number; taken: Taken | null }
  | { call: 'settle'; fence: Omit<Settlement['fence'], 'number'>; move: Move; applied: boolean }
  | { call: 'reread'; standing: Standing; schedule: Schedule }
  | { call: 'update'; schedule: Schedule; requeue: Exclude<Requeue, 'keep'> }
  | { call: 'recover'; now: number; sentUntil: number | undefined }
  | { call: 'say'; attempt: OfAttempt; said: Said; now: number; dueAt: number | null }
  | { call: 'beginManual'; now: number }
  | { call: 'endManual' };

/**
 * The backend of one schedule's row, in memory: what the store contract promises of the queue, in
 * as few lines as it takes. `dueAt` after each call is in `dues`.
 */
export class OneRow {
  schedule: Schedule;
  row: KeptRow | null = null;
  readonly #said = new Map<string, Completion>();
  readonly calls: Call[] = [];
  readonly dues: (number | null)[] = [];
  /** Since when a manual run's request is in flight. */
  manualSince: number | null = null;
  /** From its beginning to its end, crashes included. */
  hasManual = false;

  /** The latest instant on record: what the clock has shown. */
  #shownUntil: number;
  /** How old a claim may be that was sent without a look at what others have changed since, ms. */
  readonly #sureMs: number;
  /** When changes are written, by the clock of the backend, epoch ms; left out: at once. */
  readonly #writtenAt: number | undefined;

  constructor(schedule: Schedule, sureMs: number, writtenAt?: number) {
    this.schedule = schedule;
    this.#shownUntil = instantOf(schedule.id);
    this.#sureMs = sureMs;
    this.#writtenAt = writtenAt;
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
    // Within one ms it is kept which came first: the manual run that blocks the row, or its claim.
    const claimedAt = Math.max(now, (row.blockedSince ?? -1) + 1);
    this.row = { ...row, state: 'inFlight', attempt, claimedAt };
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
      this.row = move.row && {
        ...withoutKnown(move.row),
        blockedSince,
        claimedAt,
        changedAt: null,
      };
      this.#show(move.ended?.finishedAt);
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

  /** What its target has said about an attempt. */
  saidOf(of: OfAttempt): Completion | null {
    return this.#said.get(keyOf(of)) ?? null;
  }

  /** A run that awaits is due when its target says so. With its end, as any other is, it is marked: no earlier decision counts. */
  say(attempt: OfAttempt, said: Said, now: number): void {
    const dueAt = this.#say(attempt, said, now);
    this.#note({ call: 'say', attempt, said, now, dueAt });
  }

  /** @returns when the row is due by that; null where it comes too late */
  #say(of: OfAttempt, said: Said, now: number): number | null {
    const { row } = this;
    if (row === null || row.scheduledFor !== of.scheduledFor) return null;
    const spokenOf = { ...row, startedAt: Math.max(row.claimedAt ?? 0, row.dueAt) };
    const ticket = { runId: '', attempt: of.attempt };
    const kept = completionOf(spokenOf, ticket, said, this.saidOf(of), now);
    if (kept === null) return null;
    this.#said.set(keyOf(of), kept);
    const dueAt = kept.status === undefined ? kept.deadlineAt! : now;
    const awaits = row.state === 'awaiting';
    const isMarked = kept.status !== undefined || (!awaits && row.changedAt === null);
    const changedAt = Math.max(now, row.dueAt, (row.changedAt ?? -1) + 1);
    this.row = { ...row, ...(awaits && { dueAt }), ...(isMarked && { changedAt }) };
    return dueAt;
  }

  /** The records that a change of now makes: of the times that came while a run was going. */
  skippedBefore(now: number): RunRecord[] {
    const { row, schedule } = this;
    if (row === null || row.state === 'waiting' || row.attempt === 0) return [];
    return skippedBehind(row, schedule, now);
  }

  /** A waiting row moves or goes; one that has begun is marked, and brought forward unless it awaits. */
  update(schedule: Schedule, changedAt: number): void {
    const { row } = this;
    if (this.skippedBefore(changedAt).length > 0) this.#show(changedAt);
    const start = startOf(schedule, changedAt);
    const isOpen = row === null || start === null;
    const writtenAt = this.#writtenAt ?? changedAt;
    const decided = isOpen ? null : decidedFrom(start.first, row, this.schedule, writtenAt);
    const { first, second } = startBeyond(start, decided, schedule) ?? {
      first: null,
      second: null,
    };
    this.schedule = schedule;
    if (row && row.state !== 'waiting') {
      const marked = Math.max(changedAt, (row.changedAt ?? -1) + 1);
      const isLeft = row.state === 'inFlight' || row.state === 'awaiting';
      const dueAt = isLeft ? row.dueAt : Math.min(row.dueAt, first ?? changedAt);
      this.row = { ...row, changedAt: marked, nextFor: first, dueAt };
    } else if (first === null) this.row = null;
    else {
      const blockedSince = row ? row.blockedSince : this.manualSince;
      const fresh = { attempt: 0, attempts: [], changedAt: null, blockedSince, claimedAt: null };
      const times = { dueAt: first, scheduledFor: first, nextFor: second };
      this.row = { state: 'waiting', ...times, ...fresh };
    }
    this.#note({ call: 'update', schedule, requeue: { changedAt, start } });
  }

  /** What was in flight is lost; what was taken and did not leave is again what it was. */
  recover(now: number, sentUntil?: number): void {
    const { row } = this;
    this.manualSince = null;
    if (row?.state === 'inFlight') {
      const { attempt, attempts, claimedAt, changedAt, nextFor } = row;
      const broughtTo = changedAt === null ? row.dueAt : Math.min(row.dueAt, nextFor ?? changedAt);
      const last = attempts.at(-1);
      const shown = Math.max(now, this.#shownUntil);
      const lookedAt = sentUntil ?? Math.min(shown, changedAt ?? shown);
      // Where it is unknown what was sent, a clock that was set back since may have come to its time before.
      const isSetBack = claimedAt! > now || (changedAt !== null && changedAt < claimedAt! - 1_000);
      const isKnown = sentUntil !== undefined || !isSetBack;
      const isSure = row.dueAt <= shown && row.dueAt - claimedAt! <= this.#sureMs;
      const isFree = isKnown && (sentUntil !== undefined || !isSure);
      const isAhead = isFree && claimedAt! < row.dueAt && lookedAt < row.dueAt;
      if (attempt > attempts.length && !isAhead) {
        const startedAt = Math.max(claimedAt!, row.dueAt);
        const lost = { number: attempt, startedAt, outcome: 'lost' as const };
        const dueAt = neverEarly(row, row.dueAt);
        this.row = { ...row, state: 'lost', dueAt, attempts: [...attempts, lost] };
      } else if (attempts.length === 0) {
        this.row = { ...row, state: 'waiting', attempt: 0, dueAt: broughtTo };
      } else {
        const cutOff = last?.outcome === 'lost' ? 'lost' : 'retrying';
        const state = isAwaiting(last!) ? 'awaiting' : cutOff;
        this.row = { ...row, state, attempt: attempts.length, dueAt: broughtTo };
      }
    }
    this.#note({ call: 'recover', now, sentUntil });
  }

  beginManual(now: number): void {
    this.manualSince = now;
    this.hasManual = true;
    if (this.row) {
      const { claimedAt } = this.row;
      this.row.blockedSince = now;
      if (claimedAt !== null) this.row.claimedAt = Math.min(claimedAt, now);
    }
    this.#note({ call: 'beginManual', now });
  }

  endManual(): void {
    this.manualSince = null;
    this.hasManual = false;
    if (this.row) this.row = { ...this.row, dueAt: dueUnblocked(this.row), blockedSince: null };
    this.#note({ call: 'endManual' });
  }

  /** Whether its run ever awaited its completion. */
  get hasAwaited(): boolean {
    return this.calls.some(
      call => call.call === 'settle' && call.applied && call.move.row?.state === 'awaiting',
    );
  }

  #show(instant = 0): void {
    this.#shownUntil = Math.max(this.#shownUntil, instant);
  }

  #note(call: Call): void {
    this.calls.push(call);
    this.dues.push(this.row && this.row.state !== 'inFlight' ? this.row.dueAt : null);
  }
}

const keyOf = ({ scheduledFor, attempt }: OfAttempt) => `${scheduledFor} ${attempt}`;

/** What was looked at while it was blocked is due as it was. */
function dueUnblocked({ state, dueAt, scheduledFor, claimedAt, blockedSince }: KeptRow): number {
  if (state === 'waiting') return Math.min(dueAt, scheduledFor);
  const wasLookedAt = claimedAt !== null && blockedSince !== null && claimedAt > blockedSince;
  const isPutBack = (state === 'retrying' || state === 'lost') && wasLookedAt;
  return isPutBack ? Math.min(dueAt, Math.max(claimedAt, scheduledFor)) : dueAt;
}

/** What the engine has looked up of a row is not kept. */
function withoutKnown({ known: _, ...row }: QueueRow & Pick<TakenRow, 'known'>): QueueRow {
  return row;
}
