import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunStatus } from '../../../src/domain/run/run.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { RunFilter } from '../../../src/store/contract/runs.ts';
import {
  aClient,
  aRecord,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  retrying,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const LAST = Date.UTC(9999, 11, 31, 23, 59);
const BILLING = { team: 'billing' };

export function taggedRunsContract(name: string, open: OpenBackend): void {
  describe(`${name}: runs by the tags of their schedules`, () => {
    const backend = backendOfEachTest(open);
    let caller: Caller;
    /** A schedule with runs at these minutes, the third of four of which failed. */
    const past = async (fields: Partial<Schedule>, ...minutes: number[]): Promise<Schedule> => {
      const { store } = backend;
      const schedule = await stored(store, caller, fields);
      const statuses: RunStatus[] = ['succeeded', 'skipped', 'failed', 'succeeded'];
      const records = minutes.map((minute, index) =>
        aRecord(schedule.id, NOON + minute * MINUTE, { status: statuses[index % 4] as 'failed' }),
      );
      await settled(store, await claimOne(store), waiting(LAST, null), { records });
      return schedule;
    };
    /** All pages, each with at most `limit` runs. */
    const listed = async (
      tags: string[],
      filter: RunFilter = {},
      limit = 100,
    ): Promise<{ minutes: number[]; looks: number }> => {
      const minutes: number[] = [];
      let [before, looks]: [string | undefined, number] = [undefined, 0];
      for (;;) {
        const asked = { ...filter, tags };
        const { runs, next } = await backend.store.runs.listTagged(
          caller.clientRowId,
          asked,
          limit,
          before,
        );
        looks += 1;
        assert.ok(runs.length <= limit);
        minutes.push(...runs.map(({ scheduledFor }) => (scheduledFor - NOON) / MINUTE));
        if (next === null && runs.length < limit) return { minutes, looks };
        before = next ?? runs.at(-1)!.id;
      }
    };
    const minutes = async (...asked: Parameters<typeof listed>) => (await listed(...asked)).minutes;

    test('newest nominal time first, with those that go on and manual ones', async () => {
      const { store } = backend;
      caller = await aClient(store);
      const billing = await past({ tags: BILLING }, 0, 1, 2, 3);
      await past({ tags: { team: 'search' } }, 0, 1, 2);
      await past({}, 5);
      await past({ tags: { team: 'billing', env: 'prod' } }, 2, 4);
      await triggered(store, caller, billing, NOON + 6 * MINUTE);
      const start = { first: NOON + 7 * MINUTE, second: null };
      await stored(store, caller, { tags: BILLING }, start);
      const claim = await claimOne(store, NOON + 7 * MINUTE);
      await settled(store, claim, retrying(claim, LAST));
      assert.deepEqual(await minutes(['team:billing']), [7, 6, 4, 3, 2, 2, 1, 0]);
      assert.deepEqual(await minutes(['team:billing'], {}, 2), [7, 6, 4, 3, 2, 2, 1, 0]);
      assert.deepEqual(await minutes(['team']), [7, 6, 4, 3, 2, 2, 2, 1, 1, 0, 0]);
      assert.deepEqual(await minutes(['team:billing', 'env']), [4, 2]);
      assert.deepEqual(await minutes(['team:nobody']), []);
    });

    test('together with status, schedule and times', async () => {
      const { store } = backend;
      caller = await aClient(store);
      const one = await past({ tags: BILLING }, 0, 1, 2, 3);
      const other = await past({}, 0, 1, 2, 3);
      await triggered(store, caller, one, NOON + 6 * MINUTE);
      const tags = ['team:billing'];
      assert.deepEqual(await minutes(tags, { status: 'failed' }), [2]);
      assert.deepEqual(await minutes(tags, { status: 'succeeded' }), [3, 0]);
      assert.deepEqual(await minutes(tags, { status: 'queued' }), [6]);
      assert.deepEqual(await minutes(tags, { scheduleId: one.id }, 1), [6, 3, 2, 1, 0]);
      assert.deepEqual(await minutes(tags, { scheduleId: other.id }, 1), []);
      const range = { from: NOON + MINUTE, to: NOON + 3 * MINUTE };
      assert.deepEqual(await minutes(tags, range), [2, 1]);
    });

    test("another client's are never listed", async () => {
      caller = await aClient(backend.store);
      await past({ tags: BILLING }, 0);
      caller = await aClient(backend.store);
      await past({ tags: BILLING }, 1);
      assert.deepEqual(await minutes(['team']), [1]);
    });

    test('of schedules that were deleted since too, with the tags that they had', async () => {
      const { store } = backend;
      caller = await aClient(store);
      const schedule = await past({ tags: BILLING }, 0, 1, 2);
      await past({ tags: BILLING }, 4);
      await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
      assert.deepEqual(await minutes(['team:billing']), [4, 2, 1, 0]);
      assert.deepEqual(await minutes(['team'], { status: 'failed' }), [2]);
    });

    test('a tag that many have: looks are bounded, and together they miss nothing', async () => {
      caller = await aClient(backend.store);
      for (let made = 0; made < 21; made += 1)
        await past({ tags: { ...BILLING, other: 'x' } }, made);
      const many = Array.from({ length: 2_500 }, (_, index) => 100 + index);
      await past({}, ...many);
      const { minutes: found, looks } = await listed(['team', 'other:x']);
      assert.deepEqual(
        found,
        Array.from({ length: 21 }, (_, index) => 20 - index),
      );
      assert.equal(looks, 2);
    });
  });
}
