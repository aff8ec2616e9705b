import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { calendarMark, marksOf } from '../../../src/domain/schedule/marks.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { ScheduleFilter } from '../../../src/store/contract/schedules.ts';
import { LOOKED_AT } from '../../../src/store/search-index.ts';
import {
  aClient,
  aSchedule,
  backendOfEachTest,
  changed,
  claimOne,
  NOON,
  type OpenBackend,
  settled,
  stored,
} from '../../support/store/backend.ts';

const BILLING = { team: 'billing' };

export function tagsContract(name: string, open: OpenBackend): void {
  describe(`${name}: schedules by their tags`, () => {
    const backend = backendOfEachTest(open);
    const filled = async (...fields: Partial<Schedule>[]) => {
      const caller = await aClient(backend.store);
      for (const [index, one] of fields.entries()) {
        await stored(backend.store, caller, { label: `${index}`, ...one }, null);
      }
      return caller;
    };
    const listed = async ({ clientRowId }: Caller, filter: ScheduleFilter, limit = 100) => {
      const { schedules, next } = await backend.store.schedules.list(clientRowId, filter, limit);
      assert.equal(next, null);
      return schedules.map(({ label }) => label);
    };

    test('by key and value, or by the key alone, newest first', async () => {
      const caller = await filled(
        { tags: BILLING },
        { tags: { team: 'search' } },
        {},
        { tags: { team: 'billing', env: '' } },
        { tags: { teams: 'billing' } },
      );
      assert.deepEqual(await listed(caller, { tags: ['team:billing'] }), ['3', '0']);
      assert.deepEqual(await listed(caller, { tags: ['team'] }), ['3', '1', '0']);
      assert.deepEqual(await listed(caller, { tags: ['env:'] }), ['3']);
      assert.deepEqual(await listed(caller, { tags: ['team:bill'] }), []);
      assert.deepEqual(await listed(caller, { tags: ['team:billing'] }, 1), ['3']);
    });

    test('of several tags all must hold, each as often as it is asked for', async () => {
      const caller = await filled(
        { tags: { team: 'billing', env: 'prod' } },
        { tags: BILLING },
        { tags: { env: 'prod' } },
      );
      const tags = ['team:billing', 'env', 'team:billing'];
      assert.deepEqual(await listed(caller, { tags }), ['0']);
      assert.deepEqual(await listed(caller, { tags: ['team:billing', 'env:test'] }), []);
      assert.deepEqual(await listed(caller, { tags: [] }), ['2', '1', '0']);
    });

    test('together with status, label and url', async () => {
      const caller = await filled(
        { tags: BILLING, label: 'Nightly', status: 'disabled' },
        { tags: BILLING, label: 'nightly', url: 'https://A.example/' },
        { tags: BILLING, label: 'hourly' },
        { label: 'nightly' },
      );
      const tags = ['team:billing'];
      assert.deepEqual(await listed(caller, { tags, label: 'NIGHT' }), ['nightly', 'Nightly']);
      assert.deepEqual(await listed(caller, { tags, url: 'a.EXAMPLE' }), ['nightly']);
      assert.deepEqual(await listed(caller, { tags, status: 'disabled' }), ['Nightly']);
      assert.deepEqual(await listed(caller, { tags, status: 'enabled', label: 'ly' }), [
        'hourly',
        'nightly',
      ]);
    });

    test("another client's are never listed", async () => {
      const mine = await filled({ tags: BILLING });
      await filled({ tags: BILLING });
      assert.deepEqual(await listed(mine, { tags: ['team:billing'] }), ['0']);
      const ids = await backend.store.schedules.idsWithTag(mine.clientRowId, 'team:billing', 9);
      assert.equal(ids.length, 1);
    });

    test('a change takes tags away and adds others, also one that moves no time', async () => {
      const caller = await filled({ tags: { team: 'billing', env: 'prod' } });
      const { schedules } = backend.store;
      const [made] = (await schedules.list(caller.clientRowId, {}, 1)).schedules;
      const { version } = (await schedules.find(caller.clientRowId, made!.id))!;
      const next = { ...made!, tags: { team: 'search', env: 'prod' }, updatedAt: NOON };
      assert.ok(await schedules.update(caller.clientRowId, next, version, 'keep'));
      assert.deepEqual(await listed(caller, { tags: ['team:billing'] }), []);
      assert.deepEqual(await listed(caller, { tags: ['team:search', 'env:prod'] }), ['0']);
      await changed(backend.store, caller, next, { status: 'disabled' }, NOON, null);
      assert.deepEqual(await listed(caller, { tags: ['team:search'] }), ['0']);
      const { tags: _, ...untagged } = next;
      assert.ok(await schedules.update(caller.clientRowId, untagged, version + 2, 'keep'));
      assert.deepEqual(await listed(caller, { tags: ['team'] }), []);
      assert.deepEqual(await listed(caller, { tags: ['env'] }), []);
    });

    test('a change that lost its race leaves them as they are', async () => {
      const caller = await filled({ tags: BILLING });
      const { schedules } = backend.store;
      const [made] = (await schedules.list(caller.clientRowId, {}, 1)).schedules;
      const other = { ...made!, tags: { team: 'search' } };
      assert.equal(await schedules.update(caller.clientRowId, other, 7, 'keep'), false);
      const requeue = { changedAt: NOON, start: null };
      assert.equal(await schedules.update(caller.clientRowId, other, 7, requeue), false);
      assert.deepEqual(await listed(caller, { tags: ['team:billing'] }), ['0']);
    });

    test('one that is deleted is found by its tags where deleted ones are asked for, and refers to no calendar', async () => {
      const timing = { exclude: ['de'], calendars: ['x'] };
      const caller = await filled({ tags: BILLING, timing }, { tags: BILLING });
      const { calendars, schedules } = backend.store;
      const used = async () => (await calendars.usedBy(caller.clientRowId, ['de'])).get('de') ?? 0;
      assert.equal(await used(), 1);
      const [, made] = (await schedules.list(caller.clientRowId, {}, 2)).schedules;
      await changed(backend.store, caller, made!, { status: 'deleted' }, NOON, null);
      assert.equal(await used(), 0);
      const tags = ['team:billing'];
      assert.deepEqual(await listed(caller, { tags }), ['1']);
      assert.deepEqual(await listed(caller, { tags, status: 'deleted' }), ['0']);
      assert.deepEqual(marksOf({ ...made!, status: 'enabled' }), [
        'tag:team',
        'tag:team:billing',
        calendarMark('de'),
      ]);
    });

    test('one that completes and is deleted by that is found as any deleted one', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const timing = { exclude: ['de'], calendars: ['x'] };
      await stored(store, caller, { tags: BILLING, timing, label: 'once' });
      const change = { at: NOON, status: 'deleted', statusReason: 'completed' } as const;
      await settled(store, await claimOne(store), null, { change });
      assert.deepEqual(await listed(caller, { tags: ['team'] }), []);
      assert.deepEqual(await listed(caller, { tags: ['team'], status: 'deleted' }), ['once']);
      const used = await store.calendars.usedBy(caller.clientRowId, ['de']);
      assert.equal(used.get('de') ?? 0, 0);
    });

    test('ids with a tag: the newest, newest first, without those that are deleted', async () => {
      const caller = await filled({ tags: BILLING }, {}, { tags: BILLING }, { tags: BILLING });
      const { schedules } = backend.store;
      const made = (await schedules.list(caller.clientRowId, {}, 9)).schedules;
      await changed(backend.store, caller, made[1]!, { status: 'deleted' }, NOON, null);
      const ids = (limit: number) => schedules.idsWithTag(caller.clientRowId, 'team', limit);
      assert.deepEqual(await ids(9), [made[0]!.id, made[3]!.id]);
      assert.deepEqual(await ids(1), [made[0]!.id]);
    });

    test('a tag that many have: looks are bounded, and together they miss nothing', async () => {
      const caller = await aClient(backend.store);
      const { clientRowId } = caller;
      const { schedules } = backend.store;
      const rare = await stored(backend.store, caller, { tags: BILLING, label: 'oldest' }, null);
      const many = 2 * LOOKED_AT;
      for (let made = 0; made < many; made += 1_000) {
        const batch = Array.from({ length: 1_000 }, (_, index) => ({
          schedule: aSchedule({
            status: 'disabled',
            label: `${made + index}`,
            tags: index % 2 === 0 ? { team: 'billing', n: `${made + index}` } : {},
          }),
          start: null,
        }));
        await schedules.insert(clientRowId, batch);
      }
      const all = await schedules.idsWithTag(clientRowId, 'team:billing', many);
      assert.equal(all.length, many / 2 + 1);
      assert.deepEqual(all, all.toSorted().toReversed());
      const tags = ['team:billing'];
      const first = await schedules.list(clientRowId, { tags, label: 'oldest' }, 10);
      assert.deepEqual(first.schedules, []);
      assert.ok(first.next! > rare.id);
      const found: string[] = [];
      for (let before: string | null | undefined; before !== null; ) {
        const page = await schedules.list(clientRowId, { tags, label: 'oldest' }, 10, before);
        found.push(...page.schedules.map(({ id }) => id));
        before = page.next;
      }
      assert.deepEqual(found, [rare.id]);
      const status = 'enabled' as const;
      assert.deepEqual((await schedules.list(clientRowId, { tags, status }, 10)).schedules, [rare]);
      // Another tag that few have leads to it at once.
      const both = { tags: ['team', 'n:42'] };
      const { schedules: one, next } = await schedules.list(clientRowId, both, 10);
      assert.deepEqual([one.map(({ label }) => label), next], [['42'], null]);
    });
  });
}
