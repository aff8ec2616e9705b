import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  aClient,
  aSchedule,
  backendOfEachTest,
  type OpenBackend,
} from '../../support/store/backend.ts';

export function sizeContract(name: string, open: OpenBackend): void {
  describe(`${name}: how large it is`, () => {
    const backend = backendOfEachTest(open);

    test('schedules of all clients are counted by status, without those that were deleted', async () => {
      const { stats, schedules } = backend.store;
      assert.deepEqual(await stats.allCounts(), { enabled: 0, disabled: 0 });
      for (const statuses of [['enabled', 'disabled', 'deleted'], ['enabled']] as const) {
        const { clientRowId } = await aClient(backend.store);
        const added = statuses.map(status => ({ schedule: aSchedule({ status }), start: null }));
        await schedules.insert(clientRowId, added);
      }
      assert.deepEqual(await stats.allCounts(), { enabled: 2, disabled: 1 });
    });

    test('it grows by what is written, and knows what is empty and what is free', async () => {
      const before = await backend.store.size();
      assert.ok(before.bytes > 10_000);
      const { clientRowId } = await aClient(backend.store);
      // Random, because PostgreSQL packs a text that repeats itself into pages that it has.
      const data = { text: randomBytes(50_000).toString('hex') };
      const added = Array.from({ length: 10 }, () => ({
        schedule: aSchedule({ data }),
        start: null,
      }));
      await backend.store.schedules.insert(clientRowId, added);
      const { bytes, freeBytes, disk } = await backend.store.size();
      assert.ok(bytes > before.bytes);
      assert.ok(freeBytes === null || freeBytes < bytes);
      assert.ok(disk === null || (disk.freeBytes > 0 && disk.freeBytes < disk.bytes));
    });

    test('its connections are told where it has a server', async () => {
      await backend.store.check();
      const use = backend.store.pool();
      assert.equal(use === null, backend.store.cluster === null);
      if (use === null) return;
      const asked = Array.from({ length: use.most + 5 }, () => backend.store.check());
      const { busy, waiting } = backend.store.pool()!;
      assert.ok(waiting >= 5 && busy <= use.most, `${waiting} wait, ${busy} are busy`);
      await Promise.all(asked);
      const { most, ...rest } = backend.store.pool()!;
      assert.deepEqual([rest.busy, rest.waiting], [0, 0]);
      assert.ok(rest.idle > 0 && rest.idle <= most);
    });
  });
}
