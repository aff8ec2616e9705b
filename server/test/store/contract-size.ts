import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aClient, aSchedule, keeperOfEachTest, type OpenKeeper } from './keeper.ts';

export function sizeContract(name: string, open: OpenKeeper): void {
  describe(`${name}: how large it is`, () => {
    const keeper = keeperOfEachTest(open);

    test('schedules of all clients are counted by status, without those that were deleted', async () => {
      const { figures, schedules } = keeper.store;
      assert.deepEqual(await figures.allCounts(), { enabled: 0, disabled: 0 });
      for (const statuses of [['enabled', 'disabled', 'deleted'], ['enabled']] as const) {
        const { clientKey } = await aClient(keeper.store);
        const added = statuses.map(status => ({ schedule: aSchedule({ status }), start: null }));
        await schedules.insert(clientKey, added);
      }
      assert.deepEqual(await figures.allCounts(), { enabled: 2, disabled: 1 });
    });

    test('it grows by what is written, and knows what is empty and what is free', async () => {
      const before = await keeper.store.size();
      assert.ok(before.bytes > 10_000);
      const { clientKey } = await aClient(keeper.store);
      const data = { text: 'x'.repeat(100_000) };
      const added = Array.from({ length: 10 }, () => ({
        schedule: aSchedule({ data }),
        start: null,
      }));
      await keeper.store.schedules.insert(clientKey, added);
      const { bytes, freeBytes, disk } = await keeper.store.size();
      assert.ok(bytes > before.bytes);
      assert.ok(freeBytes === null || freeBytes < bytes);
      assert.ok(disk === null || (disk.freeBytes > 0 && disk.freeBytes < disk.bytes));
    });

    test('its connections are told where it has a server', async () => {
      await keeper.store.check();
      const use = keeper.store.pool();
      assert.equal(use === null, keeper.store.shared === null);
      if (use === null) return;
      const asked = Array.from({ length: use.most + 5 }, () => keeper.store.check());
      const { busy, waiting } = keeper.store.pool()!;
      assert.ok(waiting >= 5 && busy <= use.most, `${waiting} wait, ${busy} are busy`);
      await Promise.all(asked);
      const { most, ...rest } = keeper.store.pool()!;
      assert.deepEqual([rest.busy, rest.waiting], [0, 0]);
      assert.ok(rest.idle > 0 && rest.idle <= most);
    });
  });
}
