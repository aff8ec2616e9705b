import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IDEMPOTENCY_KEPT_MS } from '../../../src/domain/idempotency.ts';
import type { IdempotentCall } from '../../../src/store/contract/idempotency.ts';
import { MOST_MANUAL_RUNS } from '../../../src/store/manual-runs.ts';
import {
  aClient,
  anId,
  aSchedule,
  backendOfEachTest,
  NOON,
  type OpenBackend,
  sideBySide,
  stored,
  triggered,
} from '../../support/store/backend.ts';

const aCall = (fields: Partial<IdempotentCall> = {}): IdempotentCall => ({
  key: 'key',
  fingerprint: 'first',
  at: NOON,
  ...fields,
});

export function idempotencyContract(name: string, open: OpenBackend): void {
  describe(`${name}: calls that may be sent again`, () => {
    const backend = backendOfEachTest(open);
    const insert = (clientRowId: number, call?: IdempotentCall, count = 1) => {
      const batch = Array.from({ length: count }, () => ({ schedule: aSchedule(), start: null }));
      return backend.store.schedules.insert(clientRowId, batch, call);
    };
    const idsOf = async (clientRowId: number) =>
      (await backend.store.schedules.list(clientRowId, {}, 99)).schedules.map(({ id }) => id);
    const trigger = (clientRowId: number, scheduleId: string, call?: IdempotentCall, id = anId()) =>
      backend.store.outbox.insertManual(clientRowId, scheduleId, { id, scheduledFor: NOON }, call);

    test('what the first has made is kept with it, and the second makes nothing', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      assert.equal(await insert(clientRowId, aCall(), 3), true);
      const ids = (await idsOf(clientRowId)).toReversed();
      const again = aCall({ fingerprint: 'second', at: NOON + 1 });
      assert.equal(await insert(clientRowId, again), false);
      assert.equal((await idsOf(clientRowId)).length, 3);
      const found = await store.idempotency.find(clientRowId, 'key', NOON);
      assert.deepEqual(found, { fingerprint: 'first', ids });
      assert.deepEqual(
        await (await backend.reopen()).idempotency.find(clientRowId, 'key', 0),
        found,
      );
    });

    test('each client has its own keys, and other keys are other calls', async () => {
      const [mine, theirs] = [await aClient(backend.store), await aClient(backend.store)];
      assert.ok(await insert(mine.clientRowId, aCall()));
      assert.ok(await insert(theirs.clientRowId, aCall()));
      assert.ok(await insert(mine.clientRowId, aCall({ key: 'KEY' })));
      assert.ok(await insert(mine.clientRowId));
      assert.equal(await backend.store.idempotency.find(mine.clientRowId, 'other', 0), null);
    });

    test('one that fails is not kept', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { clientRowId } = caller;
      await stored(store, caller, { externalId: 'x' });
      const taken = [{ schedule: aSchedule({ externalId: 'x' }), start: null }];
      await assert.rejects(store.schedules.insert(clientRowId, taken, aCall()));
      assert.equal(await store.idempotency.find(clientRowId, 'key', 0), null);
      assert.ok(await insert(clientRowId, aCall()));
    });

    test('after a day it is forgotten, and its key makes something new', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      await insert(clientRowId, aCall());
      const late = NOON + IDEMPOTENCY_KEPT_MS;
      const madeSince = (at: number) => at - IDEMPOTENCY_KEPT_MS;
      assert.equal(await insert(clientRowId, aCall({ at: late })), false);
      assert.notEqual(await store.idempotency.find(clientRowId, 'key', madeSince(late)), null);
      assert.equal(await store.idempotency.find(clientRowId, 'key', madeSince(late + 1)), null);
      const again = aCall({ at: late + 1, fingerprint: 'again' });
      assert.equal(await insert(clientRowId, again), true);
      const [newest] = await idsOf(clientRowId);
      const found = await store.idempotency.find(clientRowId, 'key', 0);
      assert.deepEqual(found, { fingerprint: 'again', ids: [newest] });
    });

    test('of fifty callers at the same moment one makes what it asks for', async () => {
      const { clientRowId } = await aClient(backend.store);
      const calls = Array.from({ length: 50 }, () => insert(clientRowId, aCall(), 2));
      assert.deepEqual((await Promise.all(calls)).filter(Boolean), [true]);
      const ids = (await idsOf(clientRowId)).toReversed();
      assert.equal(ids.length, 2);
      assert.deepEqual((await backend.store.idempotency.find(clientRowId, 'key', 0))!.ids, ids);
    });

    test('a manual run is queued once for a key', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { clientRowId } = caller;
      const { id } = await stored(store, caller);
      const [first, second] = [anId(), anId()];
      assert.equal(await trigger(clientRowId, id, aCall(), first), 'inserted');
      assert.equal(await trigger(clientRowId, id, aCall(), second), 'replayed');
      assert.equal(await trigger(clientRowId, id), 'inserted');
      assert.equal(await store.outbox.depth(), 2);
      assert.deepEqual((await store.idempotency.find(clientRowId, 'key', 0))!.ids, [first]);
      const late = aCall({ at: NOON + IDEMPOTENCY_KEPT_MS + 1 });
      assert.equal(await trigger(clientRowId, id, late), 'inserted');
    });

    test('a manual run that is not queued is not kept; one that was is known although its schedule is gone', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { clientRowId } = caller;
      const deleted = await stored(store, caller, { status: 'deleted' }, null);
      for (const id of [anId(), deleted.id]) {
        assert.equal(await trigger(clientRowId, id, aCall()), 'unknown');
        assert.equal(await store.idempotency.find(clientRowId, 'key', 0), null);
      }
      const schedule = await stored(store, caller, {}, null);
      assert.equal(await trigger(clientRowId, schedule.id, aCall()), 'inserted');
      const gone = { ...schedule, status: 'deleted' as const };
      await store.schedules.update(clientRowId, gone, 1, { changedAt: NOON, start: null });
      assert.equal(await trigger(clientRowId, schedule.id, aCall()), 'replayed');
      assert.equal(await trigger(clientRowId, schedule.id, aCall({ key: 'other' })), 'unknown');
    });

    test('of fifty who trigger at the same moment one does', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { id } = await stored(store, caller);
      const calls = Array.from({ length: 50 }, () => trigger(caller.clientRowId, id, aCall()));
      const results = (await Promise.all(calls)).toSorted();
      assert.deepEqual(results, ['inserted', ...Array(49).fill('replayed')]);
      assert.equal(await store.outbox.depth(), 1);
    });

    test('a client with its most manual runs is told of those that it has triggered before', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const one = (key: string) => trigger(caller.clientRowId, schedule.id, aCall({ key }));
      await one('known');
      const others = Array.from({ length: MOST_MANUAL_RUNS - 1 }, (_, index) => index);
      await sideBySide(others, () => triggered(store, caller, schedule));
      assert.equal(await one('known'), 'replayed');
      await assert.rejects(one('new'), { code: 'too_many_waiting' });
      assert.equal(await store.idempotency.find(caller.clientRowId, 'new', 0), null);
    });

    test('old ones are deleted bite by bite, and younger ones stay', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const keys = Array.from({ length: 1_001 }, (_, index) => `${index}`);
      await sideBySide(keys, key => insert(clientRowId, aCall({ key })));
      await insert(clientRowId, aCall({ key: 'young', at: NOON + 1 }));
      const counts: number[] = [];
      do counts.push(await store.idempotency.prune(NOON + 1));
      while (counts.at(-1) !== 0);
      assert.equal(counts.length, 3);
      assert.equal(
        counts.reduce((a, b) => a + b),
        1_001,
      );
      assert.equal(await store.idempotency.find(clientRowId, '1000', 0), null);
      assert.notEqual(await store.idempotency.find(clientRowId, 'young', 0), null);
    });
  });
}
