import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  aClient,
  anId,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  retrying,
  settled,
  stored,
} from '../../support/store/backend.ts';

const DAY = 86_400_000;

export function scheduleAtContract(name: string, open: OpenBackend): void {
  describe(`${name}: what a schedule was`, () => {
    const backend = backendOfEachTest(open);
    const start = { first: NOON + MINUTE, second: null };

    test('between its changes of interval, time zone and status, and not of anything else', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, { interval: '1 * * * *' });
      const at = async (instant: number) =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, instant))!.held;
      const first = { interval: '1 * * * *', timezone: 'UTC', status: 'enabled', since: null };
      assert.deepEqual(await at(NOON), { ...first, until: null });
      await changed(store, caller, schedule, { interval: '2 * * * *' }, NOON + 10, start);
      await changed(store, caller, schedule, { status: 'disabled' }, NOON + 20, null);
      const { version } = (await store.schedules.find(caller.clientRowId, schedule.id))!;
      const labelled = { ...schedule, interval: '2 * * * *', status: 'disabled' as const };
      await store.schedules.update(caller.clientRowId, labelled, version, 'keep');
      assert.deepEqual(await at(NOON + 9), { ...first, until: NOON + 10 });
      const second = { ...first, interval: '2 * * * *', since: NOON + 10 };
      assert.deepEqual(await at(NOON + 10), { ...second, until: NOON + 20 });
      const third = { ...second, status: 'disabled', since: NOON + 20, until: null };
      assert.deepEqual(await at(NOON + 20), third);
      assert.deepEqual(await at(NOON + DAY), third);
    });

    test('of two changes within one millisecond, what held before both is kept', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, { interval: '1 * * * *' });
      await changed(store, caller, schedule, { interval: '2 * * * *' }, NOON, start);
      await changed(store, caller, schedule, { interval: '3 * * * *' }, NOON, start);
      const at = async (instant: number) =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, instant))!.held.interval;
      assert.deepEqual([await at(NOON - 1), await at(NOON)], ['1 * * * *', '3 * * * *']);
    });

    test('a change that lost its race is not kept', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const requeue = { changedAt: NOON, start };
      const lost = await store.schedules.update(caller.clientRowId, schedule, 9, requeue);
      const { held } = (await store.schedules.findAt(caller.clientRowId, schedule.id, NOON - 1))!;
      assert.deepEqual([lost, held.until], [false, null]);
    });

    test('what the queue waits for, and whether it has begun', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const row = async () =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, NOON))!.row;
      assert.deepEqual(await row(), { scheduledFor: NOON, begun: false });
      const claim = await claimOne(store);
      assert.deepEqual(await row(), { scheduledFor: NOON, begun: true });
      await settled(store, claim, retrying(claim, NOON + MINUTE));
      assert.deepEqual(await row(), { scheduledFor: NOON, begun: true });
      await settled(store, await claimOne(store, NOON + MINUTE), null);
      assert.equal(await row(), null);
    });

    test("an unknown schedule is null, and so is another client's", async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const { id } = await stored(store, theirs);
      assert.equal(await store.schedules.findAt(mine.clientRowId, id, NOON), null);
      assert.equal(await store.schedules.findAt(mine.clientRowId, anId(), NOON), null);
    });

    test('changes go with failed runs of their day', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, { interval: '1 * * * *' });
      await changed(store, caller, schedule, { interval: '2 * * * *' }, NOON - 9 * DAY, start);
      await changed(store, caller, schedule, { interval: '3 * * * *' }, NOON, start);
      while ((await store.runs.prune({ succeededBefore: NOON, failedBefore: NOON - DAY })) > 0);
      const at = async (instant: number) =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, instant))!.held.interval;
      assert.deepEqual([await at(NOON - 10 * DAY), await at(NOON)], ['2 * * * *', '3 * * * *']);
    });
  });
}
