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

    test('with the timing that it had between its changes', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const timing = { endsAt: NOON + DAY };
      const schedule = await stored(store, caller, { timing });
      const later = { endsAt: NOON + 2 * DAY };
      await changed(store, caller, schedule, { timing: later }, NOON + 10, start);
      const plain = { ...schedule, updatedAt: NOON + 20 };
      delete plain.timing;
      const requeue = { changedAt: NOON + 20, start };
      assert.ok(await store.schedules.update(caller.clientRowId, plain, 2, requeue));
      const at = async (instant: number) =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, instant))!.held.timing;
      assert.deepEqual([await at(NOON), await at(NOON + 10)], [timing, later]);
      assert.equal(await at(NOON + 20), undefined);
    });

    test('its states from one instant to another, in order, the latest of too many', async () => {
      const { store } = backend;
      const [caller, stranger] = [await aClient(store), await aClient(store)];
      const schedule = await stored(store, caller, { interval: '1 * * * *' });
      for (const minute of [2, 3, 4, 5]) {
        const interval = `${minute} * * * *`;
        await changed(store, caller, schedule, { interval }, NOON + minute * 10, start);
      }
      const between = async (from: number, to: number, limit = 9, of = caller) => {
        const { clientRowId } = of;
        const { id } = schedule;
        const states = await store.schedules.statesBetween(clientRowId, id, from, to, limit);
        return states.map(({ interval, since, until }) => [
          Number(interval[0]),
          since && since - NOON,
          until && until - NOON,
        ]);
      };
      const all = [
        [1, null, 20],
        [2, 20, 30],
        [3, 30, 40],
        [4, 40, 50],
        [5, 50, null],
      ];
      assert.deepEqual(await between(NOON, NOON + DAY), all);
      assert.deepEqual(await between(NOON + 20, NOON + 39), [all[1], all[2]]);
      assert.deepEqual(await between(NOON + 30, NOON + 40), [all[2], all[3]]);
      assert.deepEqual(await between(NOON + 60, NOON + DAY), [all[4]]);
      assert.deepEqual(await between(NOON - DAY, NOON), [all[0]]);
      assert.deepEqual(await between(NOON, NOON + DAY, 2), [all[3], all[4]]);
      assert.deepEqual(await between(NOON, NOON + DAY, 9, stranger), []);
      for (let instant = NOON; instant < NOON + 60; instant += 5) {
        const { clientRowId } = caller;
        const found = await store.schedules.findAt(clientRowId, schedule.id, instant);
        const [one, ...more] = await store.schedules.statesBetween(
          clientRowId,
          schedule.id,
          instant,
          instant,
          9,
        );
        assert.deepEqual([one, more], [found!.held, []]);
      }
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
