import assert from 'node:assert/strict';
import { nextTime, timesBetween } from '../../../src/domain/calendar/times.ts';
import { runId } from '../../../src/domain/id.ts';
import { iso } from '../../../src/domain/iso.ts';
import { afterAttempt } from '../../../src/domain/run/after-attempt.ts';
import { type AwaitedAttempt, awaitedOf, type Said } from '../../../src/domain/run/completion.ts';
import { decide, giveBack, type Move, notBegun } from '../../../src/domain/run/queue.ts';
import { mayBegin, type QueueRow } from '../../../src/domain/run/queue-row.ts';
import type { Attempt, RunRecord } from '../../../src/domain/run/run.ts';
import { beyondOwn } from '../../../src/domain/run/start.ts';
import { judge, responseFault, whyTooLate } from '../../../src/domain/run/verdict.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { type Flight, maySay, sendingOf } from './flight.ts';
import { OneRow } from './one-row.ts';
import { asideOf, isAside } from './put-aside.ts';
import { unseenUntil } from './queue-rows.ts';

export type End = 'ok' | 'fault' | 'refused' | 'accepted';

/**
 * One schedule with its backend and its engine, in memory: every instant at which a real one may be
 * cut off, overtaken or suspended lies between two steps, and a step that has nothing to do does
 * nothing, so that any order of steps is a history.
 *
 * It asserts on the way what holds at each instant; `assertOneFateEach` says what holds at the end.
 */
export class OneSchedule {
  readonly backend: OneRow;
  readonly records = new Map<string, RunRecord>();
  #now: number;
  /** The latest instant that the clock ever showed. */
  #latest: number;
  #unseenUntil: number;
  /** What is due later was never sent; unknown at first. */
  #sentUntil: number | undefined;
  #flight: Flight | null = null;
  #manual: 'none' | 'inFlight' | 'lost' = 'none';
  #manualDueAt = 0;
  readonly #periods: Period[] = [];
  /** Nominal times of which a request was started, in order. */
  readonly #sent: number[] = [];
  readonly #attempts = new Set<string>();
  /** Begun before a change, as far as is known, and of a time after it. */
  readonly #begunAhead = new Set<number>();

  /**
   * @param sureMs where nodes share the store: how old a claim may be that is sent without being confirmed
   * @param writtenAt when changes are written, epoch ms; left out: at once
   */
  constructor(schedule: Schedule, now: number, sureMs = 0, writtenAt?: number) {
    this.backend = new OneRow(schedule, sureMs, writtenAt);
    this.#now = now;
    this.#latest = now;
    this.#unseenUntil = now;
    this.change({});
  }

  /** How far it is to the `count`-th time of the interval from now. */
  msTo(count: number): number {
    let time = this.#now;
    for (let i = 0; i < count; i += 1)
      time = nextTime({ interval: this.backend.schedule.interval, timezone: 'UTC' }, time)!;
    return time - this.#now;
  }

  /** The clock moves, and somebody looks at it all the while. */
  pass(ms: number): void {
    this.#now += ms;
    this.#latest = Math.max(this.#latest, this.#now);
  }

  /** The machine is suspended, and the process with it. */
  sleep(ms: number): void {
    this.pass(ms);
    this.#unseenUntil = this.#now;
  }

  claim(aheadMs = 0): void {
    if (this.#flight) return;
    // As the engine does it (engine/delivery/dispatcher.ts): a time that may be on record is looked up first.
    const mayBeSent = asideOf(this.records).some(
      ({ scheduledFor }) => scheduledFor <= this.#now + aheadMs,
    );
    const unseenUntil = mayBeSent ? Number.MAX_SAFE_INTEGER : this.#unseenUntil;
    const taken = this.backend.claim(this.#now, unseenUntil, aheadMs);
    if (!taken) return;
    const isAhead = taken.row.dueAt > this.#now;
    const phase = isAhead ? 'held' : taken.begun ? 'ready' : 'undecided';
    this.#flight = { ...taken, phase, lookedAt: this.#now };
  }

  /** What was claimed ahead is sent at its time, unless that passed unseen. */
  depart(): void {
    if (this.#flight?.phase !== 'held') return;
    const { row } = this.#flight;
    if (row.dueAt > this.#now) return;
    const state = row.was;
    if (mayBegin({ ...row, state }, this.#now, this.#unseenUntil)) {
      this.#sentUntil = Math.max(this.#sentUntil ?? 0, row.dueAt);
      this.#flight = { ...this.#flight, phase: 'ready', lookedAt: this.#now };
    } else this.#land(null);
  }

  decide(): void {
    if (this.#flight?.phase !== 'undecided') return;
    if (maySay(this.#flight, null)) {
      this.#land(null);
      return;
    }
    const { row, schedule, lookedAt } = this.#flight;
    const checked = row.was === 'waiting' ? { ...row, known: asideOf(this.records) } : row;
    const move = decide(checked, schedule, this.#now, unseenUntil(this.#unseenUntil));
    if (!this.#settle(move)) {
      this.#land(null);
      return;
    }
    this.#flight = null;
    if (move.row?.state !== 'inFlight') return;
    // The record of a run that was put aside gives way to it.
    this.records.delete(runId(schedule.id, move.row.scheduledFor));
    const was = notBegun(move.row.attempts);
    const begun = { ...move.row, was, changedAt: null, blockedSince: null };
    const looked = Math.max(lookedAt, this.#now);
    this.#flight = { row: begun, schedule, phase: 'ready', lookedAt: looked };
  }

  send(): void {
    const flight = this.#flight;
    if (flight?.phase !== 'ready') return;
    if (flight.schedule !== this.backend.schedule) {
      this.#land(null);
      return;
    }
    const { scheduledFor } = flight.row;
    if (whyTooLate(flight.row, flight.schedule.policy, this.#now) !== null) {
      this.#land(null);
      return;
    }
    assert.equal(flight.schedule.status, 'enabled', 'only an enabled schedule starts a request');
    assert.ok(scheduledFor <= flight.lookedAt, 'no request starts before its time');
    assert.notEqual(this.#manual, 'inFlight', 'one request of a schedule at a time');
    assert.ok(scheduledFor >= (this.#sent.at(-1) ?? 0), 'nothing newer was sent before');
    const sending = sendingOf(flight.row);
    assert.ok(!this.#attempts.has(sending), `${sending}: an attempt is sent once`);
    this.#attempts.add(sending);
    this.#sent.push(scheduledFor);
    this.#flight = { ...flight, phase: 'sent', startedAt: this.#now };
  }

  end(outcome: End): void {
    if (this.#flight?.phase !== 'sent') return;
    const { row, startedAt } = this.#flight;
    const responseStatus = { ok: 200, fault: 503, refused: 400, accepted: 202 }[outcome];
    const attempt = { number: row.attempt, startedAt: startedAt!, durationMs: 1 };
    const error = responseFault(responseStatus, undefined);
    const fault = error !== undefined && { error };
    this.#land({ ...attempt, outcome: 'response', responseStatus, ...fault });
  }

  /** The target speaks about the request that it got last, whatever has become of it. */
  say(said: Said): void {
    const { row } = this.backend;
    if (row === null || !this.#attempts.has(sendingOf(row))) return;
    const { scheduledFor, attempt } = row;
    this.backend.say({ scheduledFor, attempt }, said, this.#now);
  }

  /** The process is gone for `ms`, and what it knew with it; the row stays as it was written. */
  crash(ms: number): void {
    this.#flight = null;
    this.sleep(ms);
    if (this.#manual === 'inFlight') {
      this.#manual = 'lost';
      this.#manualDueAt = Math.min(this.#manualDueAt, this.#now);
    }
    this.backend.recover(this.#now, this.#sentUntil);
    const { row } = this.backend;
    // Nobody knows whether it was sent before its node heard of the change.
    if (row?.state === 'lost' && row.changedAt !== null && row.changedAt < row.scheduledFor) {
      this.#begunAhead.add(row.scheduledFor);
    }
  }

  /** A graceful stop: what was sent ends, what was not is given back. */
  stop(ms: number): void {
    this.decide();
    this.end('ok');
    if (this.#flight) this.#land(null);
    this.crash(ms);
  }

  beginManual(): void {
    // What is held for a later time makes way.
    if (this.#flight?.phase === 'held') this.#land(null);
    const state = this.backend.row?.state;
    const isBusy = state === 'inFlight' || state === 'lost' || state === 'awaiting';
    if (this.#manual === 'inFlight' || isBusy) return;
    // A deleted schedule takes no new ones, and sends again what was cut off.
    if (this.#manual === 'none' && this.backend.schedule.status === 'deleted') return;
    if (this.#manual === 'none') this.#manualDueAt = this.#now;
    if (this.#manualDueAt > this.#now) return;
    this.#manual = 'inFlight';
    this.backend.beginManual(this.#now);
  }

  endManual(): void {
    if (this.#manual !== 'inFlight') return;
    this.#manual = 'none';
    this.backend.endManual();
  }

  /** @param isSeen false where the process ends before the engine hears of it */
  change(change: Partial<Schedule>, isSeen = true): void {
    // Times that were counted before the clock was set back would be counted again.
    if (this.#now < this.#latest) return;
    for (const record of this.backend.skippedBefore(this.#now)) this.#record(record);
    this.#closePeriod();
    this.backend.update({ ...this.backend.schedule, ...change }, this.#now);
    if (isSeen && this.#flight?.phase === 'held') this.#land(null);
    const { status, interval } = this.backend.schedule;
    if (status === 'enabled') this.#periods.push({ interval, since: this.#now });
  }

  /** Lets all that is due come to its end, at a target that answers. */
  finish(): void {
    this.pass(Math.max(0, this.#latest - this.#now));
    for (let round = 0; round < 20; round += 1) {
      this.depart();
      this.claim();
      this.decide();
      this.send();
      this.end('ok');
      this.beginManual();
      this.endManual();
      // A retry is waited for, also one of a time that the clock was set back behind; the next time is not.
      const { row } = this.backend;
      const hasBegun = row && (row.state !== 'waiting' || row.scheduledFor <= this.#now);
      if (hasBegun) this.pass(Math.max(0, row.dueAt - this.#now));
    }
    const { row } = this.backend;
    if (row) assert.ok(row.scheduledFor > this.#now, 'the row comes to rest');
    this.#closePeriod();
  }

  /**
   * Never loses a firing: every time of an enabled period was fired, skipped or missed, and only
   * one of them. Only what was not decided when the schedule was changed is dropped.
   */
  assertOneFateEach(): void {
    const fates = this.#fates();
    const begun = new Set(this.#sent);
    for (const { interval, since, until, openFrom, dropped } of this.#periods) {
      for (const time of timesBetween({ interval, timezone: 'UTC' }, since + 1, until!, 1e6)) {
        const [fate, ...others] = fates.get(time) ?? [];
        assert.deepEqual(others, [], `${iso(time)} was ${fate}, and has no other fate`);
        if (time < openFrom! && time !== dropped) assert.ok(fate, `${iso(time)} has a fate`);
        if (begun.has(time)) assert.match(fate!, /succeeded|failed/, `${iso(time)} has begun`);
        fates.delete(time);
      }
    }
    for (const time of this.#begunAhead) fates.delete(time);
    assert.deepEqual([...fates], [], 'nothing else has a fate');
  }

  #fates(): Map<number, string[]> {
    const fates = new Map<number, string[]>();
    for (const { status, scheduledFor, missed } of this.records.values()) {
      const times = missed ? this.#timesOf(missed) : [scheduledFor];
      for (const time of times) fates.set(time, [...(fates.get(time) ?? []), status]);
    }
    return fates;
  }

  #timesOf({ from, to, count }: NonNullable<RunRecord['missed']>): number[] {
    const { interval } = this.#periods.findLast(({ since }) => since < from)!;
    const times = timesBetween({ interval, timezone: 'UTC' }, from, to, 1e6);
    assert.equal(times.length, count, 'a summary counts the times that it stands for');
    assert.deepEqual([times[0], times.at(-1)], [from, to]);
    return times;
  }

  /** An attempt ended, or was never started (null); a schedule changed meanwhile is read again. */
  #land(attempt: Attempt | null): void {
    if (!this.#settle(this.#moveOf(this.#flight!, attempt))) {
      const { standing, schedule } = this.backend.reread();
      const row = { ...this.#flight!.row, ...standing };
      this.#flight = { ...this.#flight!, row, schedule };
      assert.ok(this.#settle(this.#moveOf(this.#flight, attempt)), 'what was reread is settled');
    }
    this.#flight = null;
  }

  #moveOf(flight: Flight, attempt: Attempt | null): Move {
    const { schedule } = flight;
    const awaited = this.#awaitedOf(flight, attempt);
    const last = awaited?.attempt ?? attempt;
    if (last === null) return giveBack(flight.row, schedule, this.#now);
    // As the engine does it (engine/delivery/completer.ts): its own time was sent.
    const row = beyondOwn(flight.row, schedule, true);
    const attempts = [...row.attempts.slice(0, row.attempt - 1), last];
    if (awaited?.kind === 'awaiting') {
      const waits: QueueRow = { ...row, state: 'awaiting', dueAt: awaited.until, attempts };
      return { row: waits, passed: [], ended: null };
    }
    const isSaid = awaited?.kind === 'succeeded' || awaited?.kind === 'failed';
    const endedAt = awaited?.endedAt ?? this.#now;
    const verdict = isSaid
      ? { kind: awaited.kind }
      : judge(attempts, schedule.policy, row, endedAt, 0.5);
    const ended = { ...row, attempts, known: asideOf(this.records) };
    return afterAttempt(ended, schedule, verdict, endedAt, unseenUntil(this.#unseenUntil));
  }

  /** As the engine does it (engine/delivery/awaited.ts). */
  #awaitedOf(flight: Flight, attempt: Attempt | null): AwaitedAttempt | null {
    const { row, schedule } = flight;
    const hasSpoken = maySay(flight, attempt);
    const last = attempt ?? (hasSpoken ? row.attempts.at(-1) : undefined);
    if (last === undefined) return null;
    const said = hasSpoken ? this.backend.saidOf(row) : null;
    return awaitedOf(last, schedule.policy, said, this.#now);
  }

  #settle(move: Move): boolean {
    const applied = this.backend.settle(this.#flight!.row, move);
    if (!applied) return false;
    this.#assertLatestWaits(move);
    for (const record of move.passed) this.#record(record);
    if (move.ended) this.#record(move.ended);
    return true;
  }

  /** With `bufferOne`, a time is skipped only for a later one that came as well. */
  #assertLatestWaits({ row, passed }: Move): void {
    if (this.#flight!.schedule.policy?.overlap !== 'bufferOne') return;
    for (const { status, scheduledFor, missed } of passed) {
      if (status !== 'skipped') continue;
      assert.equal(row?.state, 'waiting', 'the latest of those that came waits');
      const last = missed?.to ?? scheduledFor;
      assert.ok(last < row!.scheduledFor, `${iso(last)} is skipped for a later one`);
      assert.ok(row!.scheduledFor <= this.#now, 'and that has come');
    }
  }

  #record(record: RunRecord): void {
    const { id, scheduledFor, attempts, status } = record;
    const { schedule } = this.backend;
    assert.equal(id, runId(schedule.id, scheduledFor));
    const wasSent = status === 'succeeded' || status === 'failed';
    // A backend keeps the record that it has.
    if (!wasSent && isAside(this.records.get(id))) return;
    assert.ok(!this.records.has(id), `${iso(scheduledFor)} has one record`);
    if (isAside(record)) {
      assert.ok(scheduledFor > this.#now, 'a run is put aside whose time is yet to come');
      this.records.set(id, record);
      return;
    }
    assert.equal(attempts.length > 0, wasSent, 'a run has attempts where it was sent');
    const { since, until } = this.#periods.at(-1)!;
    const isOfNow = until === undefined && scheduledFor > since;
    assert.ok(wasSent || isOfNow, 'what a change has dropped is not spoken of');
    assert.ok(attempts.every(({ number }, index) => number === index + 1));
    const last = attempts.at(-1);
    const wasCutOff = last?.outcome === 'lost' && last.completion === undefined;
    if (wasCutOff) assert.notEqual(schedule.status, 'enabled', 'a lost attempt is sent again');
    this.records.set(id, record);
  }

  /** Notes from which time on nothing was decided: a change drops those times. */
  #closePeriod(): void {
    const { row } = this.backend;
    const period = this.#periods.at(-1);
    if (!period || period.until !== undefined) return;
    const wasSent = this.#flight?.phase === 'sent' || (row?.attempts.length ?? 0) > 0;
    // The times behind a run that has begun are skipped with the change.
    const hasBegun = row !== null && row.state !== 'waiting' && row.attempt > 0;
    const isOpen = row && (row.changedAt !== null ? row.nextFor : row.scheduledFor);
    if (hasBegun && !wasSent) period.dropped = row.scheduledFor;
    if (row && row.attempts.length > 0 && row.scheduledFor > this.#now) {
      this.#begunAhead.add(row.scheduledFor);
    }
    period.until = this.#now;
    period.openFrom = (hasBegun ? null : isOpen) ?? Number.POSITIVE_INFINITY;
  }
}

interface Period {
  interval: string;
  /** Exclusive. */
  since: number;
  /** Inclusive; unset while it lasts. */
  until?: number;
  openFrom?: number;
  /** A time that was about to be sent, and was given back at its end. */
  dropped?: number;
}
