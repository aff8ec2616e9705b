import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Completer } from '../../src/engine/delivery/completer.ts';
import { Executor } from '../../src/engine/delivery/executor.ts';
import { ConcurrencyLimits } from '../../src/engine/fairness/concurrency.ts';
import { Throttles } from '../../src/engine/fairness/throttles.ts';
import type { Identity } from '../../src/engine/identity/identity.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import type { ClockWatch } from '../../src/engine/services/clock-watch.ts';
import type { DowntimeDetector } from '../../src/engine/services/downtime.ts';
import type { SendResult } from '../../src/outbound/send.ts';
import type { Claim, OutboxClaim } from '../../src/store/contract/queue.ts';
import { ManualClock } from '../support/clock.ts';

/** The executor alone: its clock is moved, and the test is its store, its network and its completer. */

const START = Date.parse('2026-03-01T12:00:00Z');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let clock: ManualClock;
let executor: Executor;
let started: string[];
let hanging: ((result: SendResult) => void)[];
let ended: string[];
let faults: unknown[];
let watermarkFault: Error | null;
let marks: number[];
let identity: Identity | null;

/** A firing that is due `inMs` after the start and was claimed at the start. */
function firing(id: string, inMs: number): Claim {
  return {
    scheduleRowId: Number(id),
    clientRowId: 1,
    claimedAt: START,
    fence: START,
    version: 1,
    begun: true,
    was: 'waiting',
    changedAt: null,
    blockedSince: null,
    state: 'inFlight',
    dueAt: START + inMs,
    scheduledFor: START + inMs,
    nextFor: START + 3_600_000,
    attempt: 1,
    attempts: [],
    schedule: {
      id,
      clientId: 'c',
      signingSecret: SECRET,
      status: 'enabled',
      url: 'https://a.example/',
      verb: 'POST',
      interval: '* * * * *',
      timezone: 'UTC',
      createdAt: START,
      label: '',
    },
  };
}

function callback(id: string): OutboxClaim {
  return {
    kind: 'callback',
    id,
    clientRowId: 1,
    scheduleRowId: 1,
    claimedAt: clock.now(),
    attempt: 1,
    attempts: [],
    clientId: 'c',
    runId: `run of ${id}`,
    integrationId: 'i',
    url: 'https://b.example/',
    body: '{}',
    signingSecret: SECRET,
  };
}

/** @param maxInFlight slots of firings */
function executorWith(maxInFlight: number): Executor {
  const breakers = { opened() {}, closed() {}, forgotten() {} };
  const limits = new ConcurrencyLimits({ maxInFlight, maxInFlightPerHost: 10_000, breakers });
  const idOf = (claim: Claim | OutboxClaim) => ('kind' in claim ? claim.id : claim.schedule.id);
  const at = () => clock.now() - START;
  return new Executor({
    queue: { confirm: async () => [], renew: async () => [] },
    outbox: { renew: async () => [] },
    send: request => {
      if (request.permit!.start()) started.push(`${request.url} at ${at()}`);
      return new Promise(resolve => hanging.push(resolve));
    },
    clock,
    observer: {
      fired() {},
      attemptEnded() {},
      refused() {},
      storeFailed: (error: unknown) => faults.push(error),
      rowFailed: (_: string, error: unknown) => faults.push(error),
    } as unknown as EngineObserver,
    downtime: { unseenUntil: START - 1 } as DowntimeDetector,
    clockWatch: { look() {} } as unknown as ClockWatch,
    limits,
    throttles: new Throttles(),
    completer: {
      pending: () => 0,
      complete: (claim: Claim | OutboxClaim) => ended.push(`${idOf(claim)} ended`),
      giveBack: (claim: Claim | OutboxClaim) => ended.push(`${idOf(claim)} given back`),
      setAside: (claim: Claim | OutboxClaim) => ended.push(`${idOf(claim)} set aside`),
    } as unknown as Completer,
    identities: { of: () => identity, limitsFor: () => identity?.facts.config.limits ?? null },
    leaseDeadline: undefined,
    lock: {
      // As of an engine whose store is new.
      sentUntil: null,
      noteSentUntil(until) {
        if (watermarkFault) throw watermarkFault;
        marks.push(until);
      },
    },
  });
}

async function answer(outcome: SendResult['outcome'] = 'response'): Promise<void> {
  const startedAt = clock.now();
  const status = outcome === 'response' && { responseStatus: 200 };
  hanging.shift()!({ outcome, startedAt, durationMs: 1, phases: {}, ...status });
  await clock.advance(0);
}

beforeEach(() => {
  clock = new ManualClock(START);
  started = [];
  hanging = [];
  ended = [];
  faults = [];
  watermarkFault = null;
  marks = [];
  identity = null;
  executor = executorWith(10_000);
  executor.start();
});

describe('executor', () => {
  test('a request leaves at its millisecond, and never before', async () => {
    executor.executeFirings([firing('1', 5), firing('2', 2)]);
    await clock.advance(1);
    assert.deepEqual(started, []);
    await clock.advance(10);
    assert.deepEqual(started, ['https://a.example/ at 2', 'https://a.example/ at 5']);
  });

  test('all of one instant leave, however many', async () => {
    executor.executeFirings(Array.from({ length: 1_700 }, (_, n) => firing(`${n}`, 1)));
    await clock.advance(1);
    assert.equal(started.length, 1_700);
    assert.equal(executor.inFlight, 1_700);
  });

  test('without a slot a firing waits, a callback does not, and the executor is behind', async () => {
    executor = executorWith(1);
    executor.start();
    executor.executeFirings([firing('1', 10), firing('2', 10)]);
    assert.equal(executor.isBehind, false);
    await clock.advance(20);
    executor.executeOutboxJobs([callback('c')]);
    await clock.advance(0);
    assert.deepEqual(started, ['https://a.example/ at 10', 'https://b.example/ at 20']);
    assert.equal(executor.isBehind, true);
    await answer();
    assert.deepEqual([started.length, ended, executor.isBehind], [3, ['1 ended'], false]);
  });

  test('one whose destination breaks is set aside, and holds no slot', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    identity = { facts: { config: {} }, refusal: broken } as unknown as Identity;
    const claim = firing('1', 1);
    claim.schedule.delivery = { destination: 'd' };
    executor.executeFirings([claim]);
    await clock.advance(1);
    assert.deepEqual([ended, faults.length, executor.inFlight], [['1 set aside'], 1, 0]);
    assert.equal(executor.isIdle, true);
  });

  test('one whose limits cannot be read is set aside, and the others leave', async () => {
    identity = {
      get facts() {
        throw new Error('broken');
      },
    } as unknown as Identity;
    const claim = firing('1', 1);
    claim.schedule.delivery = { destination: 'd' };
    executor.executeFirings([claim, firing('2', 1)]);
    await clock.advance(1);
    assert.deepEqual([ended, faults.length, started.length], [['1 set aside'], 1, 1]);
  });

  test('where the watermark cannot be raised none leaves, and all leave a little later', async () => {
    watermarkFault = new Error('away');
    executor.executeFirings([firing('1', 1), firing('2', 1)]);
    await clock.advance(1);
    assert.deepEqual([started, faults.length, executor.inFlight], [[], 1, 0]);
    watermarkFault = null;
    await clock.advance(1_000);
    assert.deepEqual(started, ['https://a.example/ at 251', 'https://a.example/ at 251']);
  });

  test('callbacks leave the watermark as it is, also before the first firing', async () => {
    executor.executeOutboxJobs([callback('c')]);
    await clock.advance(1);
    assert.deepEqual([started.length, marks], [1, []]);
    executor.executeFirings([firing('1', 5)]);
    await clock.advance(10);
    assert.deepEqual(marks, [START + 5]);
  });

  test('a request that is cancelled before its instant is given back at once', async () => {
    executor.executeFirings([firing('1', 5), firing('2', 5)]);
    executor.cancelSchedule('1');
    assert.deepEqual(ended, ['1 given back']);
    await clock.advance(5);
    executor.cancelSchedule('2');
    assert.equal(started.length, 1);
    assert.deepEqual(ended, ['1 given back'], 'the other one has started');
  });

  test('a probe of an open breaker that is given back leaves its place to the next request', async () => {
    for (let n = 1; n <= 20; n++) {
      executor.executeFirings([firing(`${n}`, n * 600)]);
      await clock.advance(600);
      await answer('connectionError');
    }
    executor.executeFirings(['21', '22', '23'].map((id, n) => firing(id, 17_000 + n)));
    await clock.advance(5_000);
    await answer('cancelled');
    await clock.advance(2);
    assert.deepEqual(ended.slice(20), ['21 given back', '23 ended']);
    assert.deepEqual(
      started.slice(20),
      [17_000, 17_001].map(at => `https://a.example/ at ${at}`),
    );
  });

  test('after a stop none leaves: all are given back, and those in flight are waited for', async () => {
    executor.executeFirings([firing('1', 1), firing('2', 500)]);
    await clock.advance(1);
    let isOver = false;
    const stopped = executor.stopAll().then(() => {
      isOver = true;
    });
    executor.executeOutboxJobs([callback('late')]);
    await clock.advance(1_000);
    assert.deepEqual([started.length, isOver], [1, false]);
    assert.deepEqual(ended, ['2 given back', 'late given back']);
    await answer();
    await stopped;
    assert.equal(ended.at(-1), '1 ended');
  });
});
