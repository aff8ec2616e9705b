import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runId } from '../../../src/domain/id.ts';
import { SURE_MS } from '../../../src/domain/run/queue-row.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Claim, ManualClaim, QueueStore } from '../../../src/store/contract/queue.ts';
import type { Requeue } from '../../../src/store/contract/schedules.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { histories, live, START } from '../../support/domain/histories.ts';
import type { Call, Taken } from '../../support/domain/one-row.ts';
import { isLongRun } from '../../support/long.ts';
import {
  aClient,
  anId,
  type OpenBackend,
  outboxSettlementOf,
  settlementOf,
} from '../../support/store/backend.ts';

/** How many histories; a search for a rare one sets more. */
const RUNS = Number(process.env.PUNCTUAL_TEST_HISTORIES ?? (isLongRun ? 60 : 12));

/** Then a failure is told as far as it has been made smaller: a test that takes five minutes is ended without a word. */
const MOST_MS = 200_000;

/** The backends write changes by the clock of the system, which shows a later instant than all of these. */
const SYSTEM_NOW = Number.MAX_SAFE_INTEGER;

/**
 * The pure functions lose no firing on a backend of a few lines (`test/domain/queue.property.long.test.ts`);
 * here a real one is asked the same, call by call, and gives the same answers.
 */
export function historiesContract(name: string, open: OpenBackend): void {
  describe(`${name}: histories`, () => {
    test('whatever happens, the backend answers as the model does, and keeps every fate', async () => {
      await fc.assert(
        fc.asyncProperty(histories(60), async history => {
          const { store, close } = await open();
          try {
            const sureMs = store.cluster === null ? 0 : SURE_MS;
            const { backend: model, records } = live(history, anId(START), sureMs, SYSTEM_NOW);
            const replay = new Replay(store, await aClient(store));
            for (const [index, call] of model.calls.entries()) {
              await replay.play(call);
              assert.equal(await store.queue.nextDueAt(), model.dues[index], call.call);
            }
            await replay.assertKept(records);
          } finally {
            await close();
          }
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: MOST_MS },
      );
    });
  });
}

/** One history on a real store. */
class Replay {
  readonly #store: Store;
  readonly #clientRowId: number;
  readonly #clientId: string;
  #schedule: Schedule | null = null;
  #version = 0;
  #claim: Claim | null = null;
  #manualId: string | null = null;
  #manual: ManualClaim | null = null;

  constructor(store: Store, { clientRowId, clientId }: Caller) {
    this.#store = store;
    this.#clientRowId = clientRowId;
    this.#clientId = clientId;
  }

  async play(call: Call): Promise<void> {
    const { queue, outbox } = this.#store;
    switch (call.call) {
      case 'update':
        return this.#update(call.schedule, call.requeue);
      case 'claim': {
        const { now, unseenUntil, aheadMs, taken } = call;
        const { claims, nextDueAt } = await queue.claim(now, 9, unseenUntil, aheadMs);
        assert.equal(nextDueAt, await queue.nextDueAt());
        return this.#claimed(claims, taken);
      }
      case 'settle': {
        const records = call.move.ended ? [...call.move.passed, call.move.ended] : call.move.passed;
        const claim = this.#claim!;
        const settlement = settlementOf(claim, call.move.row, { records });
        settlement.fence = { ...settlement.fence, ...call.fence };
        const overtaken = await queue.settle([settlement]);
        assert.deepEqual(overtaken, call.applied ? [] : [claim.scheduleRowId]);
        return;
      }
      case 'reread':
        return this.#reread(queue, call);
      case 'recover':
        await queue.recover(call.now, call.sentUntil);
        await outbox.recover(call.now);
        return;
      case 'say':
        return this.#say(call);
      case 'beginManual':
        return this.#beginManual(call.now);
      case 'endManual':
        assert.deepEqual(await outbox.settle([outboxSettlementOf(this.#manual!, 'succeeded')]), []);
        this.#manualId = null;
    }
  }

  async #update(schedule: Schedule, requeue: Exclude<Requeue, 'keep'>): Promise<void> {
    const { schedules } = this.#store;
    if (this.#schedule === null) {
      await schedules.insert(this.#clientRowId, [{ schedule, start: requeue.start }]);
    } else {
      assert.ok(await schedules.update(this.#clientRowId, schedule, this.#version, requeue));
    }
    this.#schedule = schedule;
    this.#version = (await schedules.find(this.#clientRowId, schedule.id))!.version;
  }

  #claimed([claim]: Claim[], taken: Taken | null): void {
    this.#claim = claim ?? this.#claim;
    if (taken === null) {
      assert.equal(claim, undefined);
      return;
    }
    const {
      scheduleRowId: _,
      clientRowId: __,
      claimedAt: ___,
      fence: ____,
      begun,
      schedule: claimed,
      version,
      ...row
    } = claim!;
    assert.equal(version, this.#version);
    assert.deepEqual(unexplained(row), unexplained(taken.row));
    assert.deepEqual([begun, claimed.status], [taken.begun, taken.schedule.status]);
  }

  async #reread(queue: QueueStore, { standing, schedule }: Call & { call: 'reread' }) {
    const [found] = await queue.reread([this.#claim!.scheduleRowId]);
    const { scheduleRowId: _, fence, schedule: claimed, ...row } = found!;
    assert.equal(fence, this.#claim!.fence);
    assert.deepEqual(row, standing);
    assert.deepEqual([claimed.status, claimed.interval], [schedule.status, schedule.interval]);
  }

  async #say({ attempt: of, said, now, dueAt }: Call & { call: 'say' }): Promise<void> {
    const { id: scheduleId } = this.#schedule!;
    const id = runId(scheduleId, of.scheduledFor);
    const ticket = { runId: id, scheduleId, clientId: this.#clientId, attempt: of.attempt };
    const row = await this.#store.completions.say(ticket, said, now);
    assert.deepEqual(row, dueAt === null ? null : { dueAt, isManual: false });
  }

  /** A manual run that was cut off is taken again, before another one. */
  async #beginManual(now: number): Promise<void> {
    const { outbox } = this.#store;
    if (this.#manualId === null) {
      this.#manualId = anId(now);
      const run = { id: this.#manualId, scheduledFor: now };
      assert.equal(
        await outbox.insertManual(this.#clientRowId, this.#schedule!.id, run),
        'inserted',
      );
    }
    const [claim] = await outbox.claim(now, 9);
    assert.equal(claim!.id, this.#manualId);
    this.#manual = claim as ManualClaim;
  }

  async assertKept(records: Map<string, { status: string; scheduledFor: number }>): Promise<void> {
    const { runs } = this.#store;
    const filter = { scheduleId: this.#schedule!.id };
    const kept = await runs.list(this.#clientRowId, filter, 1e6);
    assert.deepEqual(
      kept.map(({ id, status, scheduledFor }) => [id, status, scheduledFor]),
      [...records]
        .map(([id, { status, scheduledFor }]) => [id, status, scheduledFor])
        .sort(([a], [b]) => (a! < b! ? 1 : -1)),
    );
  }
}

/** A row whose lost attempts leave out their sentence: it is the backend's own. */
function unexplained<Row extends { attempts: { error?: string }[] }>(row: Row) {
  return { ...row, attempts: row.attempts.map(({ error: _, ...attempt }) => attempt) };
}
