import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runId } from '../../../src/domain/id.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { RunFilter, RunView } from '../../../src/store/contract/runs.ts';
import {
  aClient,
  anId,
  aRecord,
  backendOfEachTest,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  retrying,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const idsOf = (runs: { id: string }[]) => runs.map(({ id }) => id);
const LAST = Date.UTC(9999, 11, 31, 23, 59);

export function runListContract(name: string, open: OpenBackend): void {
  describe(`${name}: history is listed`, () => {
    const kept = backendOfEachTest(open);
    let caller: Caller;
    let a: Schedule;
    let b: Schedule;
    const statuses = ['succeeded', 'failed', 'skipped', 'missed'] as const;

    /** Runs of two schedules, of each status there is, at every minute from noon to 12:09. */
    const filled = async () => {
      const { store } = kept;
      caller = await aClient(store);
      const past = async (minutes: number[]) => {
        const schedule = await stored(store, caller);
        const records = minutes.map((minute, index) =>
          aRecord(schedule.id, NOON + minute * MINUTE, { status: statuses[index % 4]! }),
        );
        const claim = await claimOne(store);
        await settled(store, claim, waiting(NOON + 8 * MINUTE, NOON + 9 * MINUTE), { records });
        return schedule;
      };
      a = await past([0, 1, 2, 3, 5, 6]);
      const claim = await claimOne(store, NOON + 8 * MINUTE);
      await settled(store, claim, retrying(claim, LAST));
      b = await past([0, 1, 2, 3, 4]);
      await claimOne(store, NOON + 8 * MINUTE);
      await triggered(store, caller, a, NOON + 4 * MINUTE + 1);
      await triggered(store, caller, b, NOON + 9 * MINUTE);
      await triggered(store, caller, a, NOON + 6 * MINUTE);
      const other = await aClient(store);
      const theirs = await stored(store, other);
      const records = statuses.map((status, index) =>
        aRecord(theirs.id, NOON + 7 * MINUTE + index, { status }),
      );
      await settled(store, await claimOne(store), null, { records });
    };
    const listed = (filter: RunFilter, limit = 100, before?: string) =>
      kept.store.runs.list(caller.clientRowId, filter, limit, before);
    const minutes = (runs: RunView[]) =>
      runs.map(({ scheduledFor }) => Math.floor((scheduledFor - NOON) / MINUTE));

    test('newest nominal time first, what goes on and what has ended in one order', async () => {
      await filled();
      const runs = await listed({});
      assert.deepEqual(minutes(runs), [9, 8, 8, 6, 6, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0]);
      assert.equal(new Set(runs.map(({ id }) => id)).size, 16);
      assert.deepEqual(await listed({}), runs, 'those of one time in an order that stays');
    });

    test('page by page, of any size, each run once', async () => {
      await filled();
      for (const filter of [{}, { scheduleId: b.id }, { status: 'queued' }] as RunFilter[]) {
        const all = await listed(filter);
        for (let limit = 1; limit <= all.length; limit += 1) {
          const pages: RunView[] = [];
          let page: RunView[];
          do {
            page = await listed(filter, limit, pages.at(-1)?.id);
            assert.ok(page.length <= limit);
            pages.push(...page);
          } while (page.length > 0 && pages.length <= all.length);
          assert.deepEqual(pages, all);
        }
      }
    });

    test('manual runs at the very instant of a time are runs of their own', async () => {
      const { store } = kept;
      caller = await aClient(store);
      const schedule = await stored(store, caller);
      const ids: string[] = [];
      for (let count = 0; count < 2; count += 1) {
        const id = await triggered(store, caller, schedule);
        const record = aRecord(schedule.id, NOON, { id, trigger: 'manual' });
        const end = outboxSettlementOf(await claimManual(store), 'succeeded', { record });
        await store.outbox.settle([end]);
        ids.push(id);
      }
      const id = runId(schedule.id, NOON);
      assert.equal(await store.runs.find(caller.clientRowId, id), null);
      await settled(store, await claimOne(store), null, { records: [aRecord(schedule.id, NOON)] });
      ids.push(id);
      for (const one of ids) {
        const found = await store.runs.find(caller.clientRowId, one);
        assert.deepEqual([found!.id, found!.trigger], [one, one === id ? 'schedule' : 'manual']);
      }
      const pages: RunView[] = [];
      for (const _ of ids) pages.push(...(await listed({}, 1, pages.at(-1)?.id)));
      assert.deepEqual(idsOf(pages).toSorted(), ids.toSorted());
    });

    test('a run that ends between two pages is neither repeated nor left out', async () => {
      const { store } = kept;
      caller = await aClient(store);
      const schedule = await stored(store, caller);
      const records = [1, 2].map(minutes => aRecord(schedule.id, NOON - minutes * MINUTE));
      await settled(store, await claimOne(store), waiting(NOON, null), { records });
      const manualId = await triggered(store, caller, schedule, NOON + MINUTE);
      const claim = await claimOne(store);
      const scheduledId = runId(schedule.id, NOON);
      assert.deepEqual(idsOf(await listed({}, 2)), [manualId, scheduledId]);
      await settled(store, claim, null, { records: [aRecord(schedule.id, NOON)] });
      assert.deepEqual(idsOf(await listed({}, 9, scheduledId)), idsOf(records));
      const record = aRecord(schedule.id, NOON + MINUTE, { id: manualId, trigger: 'manual' });
      const end = outboxSettlementOf(await claimManual(store, NOON + MINUTE), 'failed', { record });
      await store.outbox.settle([end]);
      assert.deepEqual(idsOf(await listed({}, 9, manualId)), [scheduledId, ...idsOf(records)]);
    });

    test('by status, of those that have ended and of those that have not', async () => {
      await filled();
      const expected = {
        succeeded: [5, 4, 0, 0],
        failed: [6, 1, 1],
        skipped: [2, 2],
        missed: [3, 3],
        running: [8],
        retrying: [8],
        queued: [9, 6, 4],
      } as const;
      for (const [status, times] of Object.entries(expected)) {
        const runs = await listed({ status: status as RunView['status'] });
        assert.deepEqual(minutes(runs), times, status);
        assert.ok(runs.every(run => run.status === status));
      }
    });

    test('by schedule, and by schedule and status', async () => {
      await filled();
      const runs = await listed({ scheduleId: a.id });
      assert.deepEqual(minutes(runs), [8, 6, 6, 5, 4, 3, 2, 1, 0]);
      assert.ok(runs.every(({ scheduleId }) => scheduleId === a.id));
      assert.deepEqual(minutes(await listed({ scheduleId: b.id, status: 'succeeded' })), [4, 0]);
      assert.deepEqual(minutes(await listed({ scheduleId: b.id, status: 'running' })), [8]);
      assert.deepEqual(await listed({ scheduleId: anId() }), []);
    });

    test('by nominal time: from is inclusive, to is exclusive', async () => {
      await filled();
      const between = async (from: number, to: number, filter: RunFilter = {}) =>
        minutes(await listed({ ...filter, from: NOON + from * MINUTE, to: NOON + to * MINUTE }));
      assert.deepEqual(await between(1, 4), [3, 3, 2, 2, 1, 1]);
      assert.deepEqual(await between(4, 8), [6, 6, 5, 4, 4]);
      assert.deepEqual(await between(8, 9), [8, 8]);
      assert.deepEqual(await between(9, 9), []);
      assert.deepEqual(await between(4, 10, { scheduleId: a.id }), [8, 6, 6, 5, 4]);
      assert.deepEqual(await between(2, 4, { status: 'missed' }), [3, 3]);
      assert.deepEqual(minutes(await listed({ from: NOON + 8 * MINUTE + 1 })), [9]);
      assert.deepEqual(minutes(await listed({ to: NOON + 1 })), [0, 0]);
      assert.deepEqual(minutes(await listed({ from: 0, to: LAST }, 1)), [9]);
    });

    test('history outlives a restart', async () => {
      await filled();
      const before = await listed({});
      await kept.reopen();
      assert.deepEqual(await listed({}), before);
    });
  });
}
