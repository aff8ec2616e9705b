import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { HistoryLimits } from '../../../src/store/contract/runs.ts';
import {
  aCallback,
  aClient,
  aRecord,
  backendOfEachTest,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  settled,
  stored,
  triggered,
} from '../../support/store/backend.ts';

const DAY = 24 * 60 * MINUTE;
const STATUSES = ['succeeded', 'failed', 'skipped', 'missed'] as const;

export function pruneContract(name: string, open: OpenBackend): void {
  describe(`${name}: history ends at its limits`, () => {
    const kept = backendOfEachTest(open);
    let caller: Caller;
    let schedule: Schedule;

    /** A run of each status at noon of each of these days, counted from today, with a callback. */
    const filled = async (...days: number[]) => {
      const { store } = kept;
      caller = await aClient(store);
      schedule = await stored(store, caller);
      const records = days.flatMap(day =>
        STATUSES.map((status, index) =>
          aRecord(schedule.id, NOON + day * DAY + index * MINUTE, { status }),
        ),
      );
      const callbacks = records.map(({ id }) => aCallback(id));
      await settled(store, await claimOne(store), null, { records, callbacks });
      return records;
    };
    const called = async () => {
      const claims = await kept.store.outbox.claim(NOON, 1_000);
      await kept.store.outbox.settle(claims.map(claim => outboxSettlementOf(claim, 'succeeded')));
    };
    const pruned = async (limits: Partial<HistoryLimits>) => {
      let count = 0;
      for (let calls = 0; calls < 9; calls += 1) {
        const went = await kept.store.runs.prune({
          succeededBefore: 0,
          failedBefore: 0,
          ...limits,
        });
        if (went === 0) return count;
        count += went;
      }
      return assert.fail('it never answers 0');
    };
    const listed = async () =>
      (await kept.store.runs.list(caller.clientRowId, {}, 1_000)).map(
        ({ scheduledFor, status }) => `${Math.floor((scheduledFor - NOON) / DAY)} ${status}`,
      );

    test('runs that failed have one limit, all others have the other', async () => {
      await filled(-400, -2, -1);
      await pruned({ succeededBefore: NOON, failedBefore: NOON - DAY });
      assert.deepEqual(await listed(), ['-1 failed']);
      await pruned({ failedBefore: NOON });
      assert.deepEqual(await listed(), []);
    });

    test('days go as a whole: not before the last moment of a day is past', async () => {
      await filled(-1, 0);
      const midnight = NOON + DAY / 2;
      const limits = (at: number) => ({ succeededBefore: at, failedBefore: at });
      await pruned(limits(midnight - 1));
      assert.deepEqual((await listed()).length, 4);
      await pruned(limits(midnight));
      assert.deepEqual(await listed(), []);
    });

    test('ended callbacks go with their run, and no other', async () => {
      const records = await filled(-3, 0);
      await called();
      await pruned({ succeededBefore: NOON - DAY });
      const left = [];
      for (const { id } of records) {
        left.push((await kept.store.runs.callbacks(caller.clientRowId, id)).length);
      }
      assert.deepEqual(left, [0, 1, 0, 0, 1, 1, 1, 1]);
    });

    test('a callback that has not ended stays until it has', async () => {
      const [run] = await filled(-3);
      const callbacks = () => kept.store.runs.callbacks(caller.clientRowId, run!.id);
      await pruned({ succeededBefore: NOON, failedBefore: NOON });
      assert.equal((await callbacks()).length, 1);
      await called();
      await pruned({ succeededBefore: NOON, failedBefore: NOON });
      assert.deepEqual(await callbacks(), []);
    });

    test('manual runs and their callbacks too', async () => {
      const { store } = kept;
      caller = await aClient(store);
      schedule = await stored(store, caller, {}, null);
      const at = NOON - 2 * DAY;
      const id = await triggered(store, caller, schedule, at);
      const record = aRecord(schedule.id, at, { id, trigger: 'manual' });
      const end = { record, callbacks: [aCallback(id)] };
      const claim = await claimManual(store);
      await store.outbox.settle([outboxSettlementOf(claim, 'succeeded', end)]);
      await called();
      assert.equal(await pruned({ succeededBefore: NOON }), 2);
      assert.equal(await store.runs.find(caller.clientRowId, id), null);
      assert.deepEqual(await store.runs.callbacks(caller.clientRowId, id), []);
    });

    test('what has not ended stays, however old it is', async () => {
      const { store } = kept;
      caller = await aClient(store);
      schedule = await stored(store, caller, {}, { first: NOON - 400 * DAY, second: null });
      await claimOne(store);
      await triggered(store, caller, schedule, NOON - 300 * DAY);
      assert.equal(await pruned({ succeededBefore: NOON, failedBefore: NOON }), 0);
      assert.equal((await listed()).length, 2);
    });

    test('more than one call takes away are counted and all gone in the end', async () => {
      const { store } = kept;
      caller = await aClient(store);
      schedule = await stored(store, caller);
      const records = Array.from({ length: 7_000 }, (_, index) =>
        aRecord(schedule.id, NOON - 3 * DAY + index),
      );
      await settled(store, await claimOne(store), null, { records });
      assert.equal(await pruned({ succeededBefore: NOON }), 7_000);
      assert.deepEqual(await listed(), []);
    });

    test('those of each client, past what is kept for longer, and what was written meanwhile', async () => {
      const { store } = kept;
      const filledFor = async (count: number, since: number) => {
        const records = Array.from({ length: count }, (_, index) =>
          aRecord(schedule.id, since + index, { status: index % 3 === 0 ? 'failed' : 'succeeded' }),
        );
        await settled(store, await claimOne(store), null, { records });
      };
      const callers: Caller[] = [];
      for (const count of [1_500, 3, 900]) {
        caller = await aClient(store);
        callers.push(caller);
        schedule = await stored(store, caller);
        await filledFor(count, NOON - 3 * DAY);
      }
      assert.equal(await pruned({ succeededBefore: NOON }), 1_000 + 2 + 600);
      [caller] = callers as [Caller];
      schedule = await stored(store, caller);
      await filledFor(3, NOON - 9 * DAY);
      assert.equal(await pruned({ succeededBefore: NOON }), 2);
      assert.equal(await pruned({ succeededBefore: NOON, failedBefore: NOON }), 500 + 1 + 300 + 1);
    });
  });
}
