import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Start } from '../../../src/domain/run/start.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  aRecord,
  backendOfEachTest,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  retrying,
  SECOND,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

export function lateChangeContract(name: string, open: OpenBackend): void {
  describe(`${name}: a change that is written after the first of its times`, () => {
    const backend = backendOfEachTest(open);
    let store: Store;
    let caller: Caller;
    let schedule: Schedule;
    const made = async (start?: Start) => {
      store = backend.store;
      caller = await aClient(store);
      schedule = await stored(store, caller, {}, start);
    };
    /** Its clock was read just before noon. */
    const change = (fields: Partial<Schedule> = {}) =>
      changed(store, caller, schedule, { interval: '*/15 * * * *', ...fields }, NOON - 1, {
        first: NOON,
        second: NOON + 15 * MINUTE,
      });

    test('starts after it where it has fired', async () => {
      await made();
      const claim = await claimOne(store);
      const records = [aRecord(schedule.id, NOON)];
      await settled(store, claim, waiting(NOON + MINUTE, null), { records });
      await change();
      assert.equal(await store.queue.nextDueAt(), NOON + 15 * MINUTE);
      const { scheduledFor, nextFor } = await claimOne(store, NOON + 15 * MINUTE);
      assert.deepEqual([scheduledFor, nextFor], [NOON + 15 * MINUTE, NOON + 30 * MINUTE]);
    });

    test('starts with it where only another one has fired, or a manual run', async () => {
      await made();
      const other = await stored(store, caller, {}, { first: NOON - 1, second: null });
      const claim = await claimOne(store, NOON - 1);
      await settled(store, claim, null, { records: [aRecord(other.id, NOON)] });
      const id = await triggered(store, caller, schedule, NOON);
      const record = aRecord(schedule.id, NOON, { id, trigger: 'manual' });
      const manual = await claimManual(store);
      await store.outbox.settle([outboxSettlementOf(manual, 'succeeded', { record })]);
      await change();
      assert.equal(await store.queue.nextDueAt(), NOON);
    });

    test('starts with it where a later one fired: the clock was set back', async () => {
      await made({ first: NOON + MINUTE, second: null });
      const claim = await claimOne(store, NOON + MINUTE);
      const records = [aRecord(schedule.id, NOON + MINUTE)];
      await settled(store, claim, waiting(NOON, NOON + MINUTE), { records });
      await change();
      assert.equal(await store.queue.nextDueAt(), NOON);
    });

    test('starts with it where it was disabled, and a run of a clock that was ahead goes on', async () => {
      await made({ first: NOON + 20 * MINUTE, second: null });
      const { scheduleRowId } = await claimOne(store, NOON + 20 * MINUTE);
      await changed(store, caller, schedule, { status: 'disabled' }, NOON - 2, null);
      await change({ status: 'enabled' });
      const [standing] = await store.queue.reread([scheduleRowId]);
      assert.equal(standing!.nextFor, NOON);
    });

    test('lets a run that has it wait for its retry, up to the time after it', async () => {
      await made();
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + 5 * SECOND));
      await change();
      assert.equal(await store.queue.nextDueAt(), NOON + 5 * SECOND);
      assert.equal((await claimOne(store, NOON + 5 * SECOND)).nextFor, NOON + 15 * MINUTE);
    });
  });

  describe(`${name}: a change that is written after the clock was set back`, () => {
    const backend = backendOfEachTest(open);
    const AHEAD_MS = 3_600_000;
    const made = async (fields: Partial<Schedule>, start: Start | null) => {
      const { store } = backend;
      const caller = await aClient(store);
      return { store, caller, schedule: await stored(store, caller, fields, start) };
    };
    /** By the clock that was ahead, all times of the next hour have passed. */
    const minutely = async (
      store: Store,
      caller: Caller,
      schedule: Schedule,
      aheadMs = AHEAD_MS,
    ) => {
      const changedAt = Date.now() + aheadMs;
      const first = changedAt + MINUTE;
      const fields = { status: 'enabled', interval: '* * * * *' } as const;
      await changed(store, caller, schedule, fields, changedAt, { first, second: first + MINUTE });
      return first;
    };

    test('counts the times from then on, with or without a row', async () => {
      for (const start of [null, { first: NOON, second: null }]) {
        const { store, caller, schedule } = await made({ status: 'disabled' }, start);
        await minutely(store, caller, schedule);
        const { scheduledFor, nextFor } = await claimOne(store, Date.now() + MINUTE);
        assert.ok(scheduledFor <= Date.now() + MINUTE);
        assert.equal(nextFor, scheduledFor + MINUTE);
      }
    });

    test('stays as it was counted where clocks differ by no more than a second', async () => {
      const { store, caller, schedule } = await made({ status: 'disabled' }, null);
      const first = await minutely(store, caller, schedule, 900);
      assert.equal(await store.queue.nextDueAt(), first);
    });
  });
}
