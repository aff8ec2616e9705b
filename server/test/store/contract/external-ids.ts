import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import {
  aClient,
  anId,
  aSchedule,
  backendOfEachTest,
  changed,
  claimOne,
  NOON,
  type OpenBackend,
  settled,
  stored,
} from '../../support/store/backend.ts';

const TAKEN = {
  code: 'external_id_taken',
  message: 'externalId "order-7" is taken by another schedule.',
};
const ORDER = { externalId: 'order-7' };

export function externalIdsContract(name: string, open: OpenBackend): void {
  describe(`${name}: external ids`, () => {
    const backend = backendOfEachTest(open);
    const found = async ({ clientRowId }: Caller, externalId = 'order-7') =>
      (await backend.store.schedules.findByExternalId(clientRowId, externalId))?.schedule ?? null;
    const insert = ({ clientRowId }: Caller, ...fields: Partial<Schedule>[]) =>
      backend.store.schedules.insert(
        clientRowId,
        fields.map(one => ({ schedule: aSchedule(one), start: null })),
      );

    test('a schedule is found by it, with its version, and only by its own client', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const schedule = await stored(store, mine, ORDER);
      const { clientRowId } = mine;
      const byId = await store.schedules.find(clientRowId, schedule.id);
      assert.deepEqual(byId!.schedule, schedule);
      assert.deepEqual(await store.schedules.findByExternalId(clientRowId, 'order-7'), byId);
      assert.equal(await found(mine, 'order-8'), null);
      assert.equal(await found(theirs), null);
      const other = await stored(store, theirs, ORDER);
      assert.deepEqual(await found(theirs), other);
    });

    test('one that is taken is refused, and nothing of the batch is written', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, ORDER);
      await assert.rejects(insert(caller, {}, { externalId: 'order-6' }, ORDER, {}), TAKEN);
      const { schedules } = await store.schedules.list(caller.clientRowId, {}, 9);
      assert.deepEqual(schedules, [schedule]);
      assert.equal(await found(caller, 'order-6'), null);
    });

    test('twice in one batch is refused too', async () => {
      const caller = await aClient(backend.store);
      await assert.rejects(insert(caller, ORDER, ORDER), TAKEN);
      assert.equal(await found(caller), null);
    });

    test('a change to one that is taken is refused, whether it moves times or not', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await stored(store, caller, ORDER);
      const other = await stored(store, caller, { externalId: 'order-8', label: 'before' });
      const next = { ...other, ...ORDER, label: 'after' };
      for (const requeue of ['keep', { changedAt: NOON, start: null }] as const) {
        await assert.rejects(store.schedules.update(caller.clientRowId, next, 1, requeue), TAKEN);
        assert.deepEqual(await found(caller, 'order-8'), other);
        assert.equal(await store.queue.depth(NOON), 2);
      }
    });

    test('it is kept by a change that keeps it, and freed by one that removes it', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, ORDER);
      await changed(store, caller, schedule, { label: 'x' }, NOON, null);
      assert.equal((await found(caller))!.label, 'x');
      const { externalId: _, ...without } = schedule;
      assert.ok(await store.schedules.update(caller.clientRowId, without, 2, 'keep'));
      assert.equal(await found(caller), null);
      await stored(store, caller, ORDER);
    });

    test('it is freed where its schedule is deleted, by a caller or by its completion', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const first = await stored(store, caller, ORDER, null);
      await changed(store, caller, first, { status: 'deleted' }, NOON, null);
      assert.equal(await found(caller), null);
      const second = await stored(store, caller, ORDER);
      assert.deepEqual(await found(caller), second);
      const change = { at: NOON, status: 'deleted', statusReason: 'completed' } as const;
      await settled(store, await claimOne(store), null, { change });
      assert.equal(await found(caller), null);
      const third = await stored(store, caller, ORDER, null);
      assert.deepEqual(await found(caller), third);
      const back = { ...first, status: 'enabled' as const };
      const update = store.schedules.update(caller.clientRowId, back, 2, 'keep');
      await assert.rejects(update, TAKEN, 'a deleted one does not come back beside it');
    });

    test('of fifty that are made at the same moment, one is', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, () => insert(caller, { id: anId(), ...ORDER })),
      );
      const failed = results.flatMap(one => (one.status === 'rejected' ? [one.reason.code] : []));
      assert.deepEqual(failed, Array(49).fill('external_id_taken'));
      assert.equal((await store.schedules.list(caller.clientRowId, {}, 99)).schedules.length, 1);
    });
  });
}
