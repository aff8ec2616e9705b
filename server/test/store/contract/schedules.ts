import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  aSchedule,
  backendOfEachTest,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  stored,
} from '../../support/store/backend.ts';
import { TEXTS } from '../../support/store/search-texts.ts';

const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const START = { first: NOON, second: NOON + MINUTE };

const complete = (): Schedule =>
  aSchedule({
    status: 'disabled',
    verb: 'PATCH',
    interval: '0 0 1 1 *',
    timezone: 'America/Argentina/ComodRivadavia',
    createdAt: LAST - 1,
    updatedAt: LAST,
    headers: { 'X-B': '2', 'x-a': '1' },
    data: { z: '', a: 'b' },
    integrations: [
      {
        id: anId(),
        type: 'WEBHOOK',
        name: 'pager',
        url: 'https://hooks.example/',
        includeScheduleUrlInCallback: true,
        callOnSuccess: false,
      },
    ],
    label: 'nightly',
    policy: { timeoutSeconds: 1_800, maxRetries: 0, catchUpSeconds: 31_536_000 },
    timing: { startsAt: NOON, exclude: ['de'], calendars: ['x'], windowSeconds: 60, offsetMs: 0 },
    delivery: { body: '{"a":1}', externalId: 'order:7', tags: { b: '', a: 'x' } },
    externalId: 'order:7',
    tags: { b: '', a: 'x' },
    statusReason: 'tooManyFailures',
  });

export function schedulesContract(name: string, open: OpenBackend): void {
  describe(`${name}: schedules, made and found`, () => {
    const backend = backendOfEachTest(open);
    const roundTrip = async (schedule: Schedule) => {
      const { clientRowId } = await aClient(backend.store);
      await backend.store.schedules.insert(clientRowId, [{ schedule, start: null }]);
      return (await backend.store.schedules.find(clientRowId, schedule.id))!.schedule;
    };

    test('a schedule is found exactly as it was made, to the order of its keys', async () => {
      const schedule = complete();
      const found = await roundTrip(schedule);
      assert.deepEqual(found, schedule);
      for (const field of [
        'headers',
        'data',
        'integrations',
        'policy',
        'timing',
        'tags',
      ] as const) {
        assert.equal(JSON.stringify(found[field]), JSON.stringify(schedule[field]));
      }
    });

    test('what is unset is left out, never null or undefined', async () => {
      const schedule = aSchedule();
      const found = await roundTrip(schedule);
      assert.deepEqual(Object.keys(found).sort(), Object.keys(schedule).sort());
    });

    test('what is empty is kept as empty', async () => {
      const empty = { headers: {}, data: {}, integrations: [], policy: {}, label: '' };
      const schedule = aSchedule(empty);
      assert.deepEqual(await roundTrip(schedule), schedule);
    });

    for (const [what, text] of Object.entries(TEXTS)) {
      test(`text comes back as it was sent: ${what}`, async () => {
        const url = `https://target.example/?q=${encodeURIComponent(text.slice(0, 300))}`;
        const data = JSON.parse(
          `{${JSON.stringify(text)}:${JSON.stringify(text)},"__proto__":"x"}`,
        );
        const schedule = aSchedule({ label: text, url, data, headers: { 'x-text': text } });
        const found = await roundTrip(schedule);
        assert.deepEqual(found, schedule);
        assert.equal(JSON.stringify(found.data), JSON.stringify(data));
      });
    }

    test('an unknown schedule is null, and so is one of another client', async () => {
      const [a, b] = [await aClient(backend.store), await aClient(backend.store)];
      const { id } = await stored(backend.store, a);
      assert.equal(await backend.store.schedules.find(a.clientRowId, anId()), null);
      assert.equal(await backend.store.schedules.find(b.clientRowId, id), null);
    });

    test('an enabled schedule is due at its first time, and knows its second', async () => {
      const caller = await aClient(backend.store);
      await stored(backend.store, caller, {}, { first: LAST - 1, second: LAST });
      assert.equal(await backend.store.queue.nextDueAt(), LAST - 1);
      const { scheduledFor, nextFor } = await claimOne(backend.store, LAST - 1);
      assert.deepEqual([scheduledFor, nextFor], [LAST - 1, LAST]);
    });

    test('a schedule that is not to fire is never due', async () => {
      await stored(backend.store, await aClient(backend.store), { status: 'disabled' }, null);
      assert.equal(await backend.store.queue.nextDueAt(), null);
    });

    test('a batch keeps its order', async () => {
      const { clientRowId } = await aClient(backend.store);
      const batch = Array.from({ length: 1_000 }, () => aSchedule());
      await backend.store.schedules.insert(
        clientRowId,
        batch.map(schedule => ({ schedule, start: START })),
      );
      const { schedules } = await backend.store.schedules.list(clientRowId, {}, 1_001);
      assert.deepEqual(schedules, batch.reverse());
      assert.equal(await backend.store.queue.depth(NOON), 1_000);
    });

    test('all or nothing: a batch with an id twice writes nothing', async () => {
      const { clientRowId } = await aClient(backend.store);
      const [one, other] = [aSchedule(), aSchedule()];
      const batch = [one, other, one].map(schedule => ({ schedule, start: START }));
      await assert.rejects(backend.store.schedules.insert(clientRowId, batch));
      assert.deepEqual((await backend.store.schedules.list(clientRowId, {}, 10)).schedules, []);
      assert.equal(await backend.store.queue.nextDueAt(), null);
    });

    test('all or nothing: an id that exists already takes back the batch, and stays as it is', async () => {
      const caller = await aClient(backend.store);
      const old = await stored(backend.store, caller, { label: 'old' }, null);
      const batch = [aSchedule(), { ...old, label: 'new' }];
      const insert = batch.map(schedule => ({ schedule, start: START }));
      await assert.rejects(backend.store.schedules.insert(caller.clientRowId, insert));
      const { schedules } = await backend.store.schedules.list(caller.clientRowId, {}, 10);
      assert.deepEqual(schedules, [old]);
      assert.equal(await backend.store.queue.nextDueAt(), null);
    });

    test('a batch that fails does not take back what others write at the same moment', async () => {
      const { clientRowId } = await aClient(backend.store);
      const { schedules } = backend.store;
      const [one, bad, two] = [aSchedule(), aSchedule(), aSchedule()];
      const insert = (...batch: Schedule[]) =>
        schedules.insert(
          clientRowId,
          batch.map(schedule => ({ schedule, start: null })),
        );
      const results = await Promise.allSettled([insert(one), insert(bad, bad), insert(two)]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual((await schedules.list(clientRowId, {}, 10)).schedules, [two, one]);
    });

    test('schedules and what is due outlive a restart', async () => {
      const { clientRowId } = await aClient(backend.store);
      const schedule = complete();
      await backend.store.schedules.insert(clientRowId, [{ schedule, start: START }]);
      const store = await backend.reopen();
      const found = await store.schedules.find(clientRowId, schedule.id);
      assert.deepEqual(found!.schedule, schedule);
      assert.equal(await store.queue.nextDueAt(), NOON);
    });
  });

  describe(`${name}: schedules, changed by compare and set`, () => {
    const backend = backendOfEachTest(open);
    let store: Store;
    let caller: Caller;
    const made = async () => {
      store = backend.store;
      caller = await aClient(store);
      const { id } = await stored(store, caller, complete());
      return (await store.schedules.find(caller.clientRowId, id))!;
    };
    const found = async (id: string) => (await store.schedules.find(caller.clientRowId, id))!;

    test('the version that was read is the one to name: the change is taken, and the next one has another', async () => {
      const { schedule, version } = await made();
      const { id, createdAt } = schedule;
      const next = { ...aSchedule({ id, createdAt, label: 'next' }), updatedAt: NOON };
      assert.equal(await store.schedules.update(caller.clientRowId, next, version, 'keep'), true);
      const after = await found(id);
      assert.deepEqual(after.schedule, next, 'what the change leaves out is gone');
      assert.notEqual(after.version, version);
    });

    test('a version that is no longer the stored one changes nothing, neither schedule nor queue', async () => {
      const { schedule, version } = await made();
      const { clientRowId } = caller;
      await store.schedules.update(clientRowId, { ...schedule, label: 'first' }, version, 'keep');
      const requeue = { changedAt: NOON, start: null };
      const late = { ...schedule, label: 'late' };
      assert.equal(await store.schedules.update(clientRowId, late, version, requeue), false);
      assert.equal((await found(schedule.id)).schedule.label, 'first');
      assert.equal(await store.queue.nextDueAt(), NOON);
    });

    test('of two who change the same version at the same moment, one is told to read again', async () => {
      const { schedule, version } = await made();
      const results = await Promise.all(
        ['a', 'b'].map(label =>
          store.schedules.update(caller.clientRowId, { ...schedule, label }, version, 'keep'),
        ),
      );
      assert.deepEqual(results.toSorted(), [false, true]);
      const winner = results[0] ? 'a' : 'b';
      assert.equal((await found(schedule.id)).schedule.label, winner);
    });

    test("another client's schedule is never changed, and an unknown one neither", async () => {
      const { schedule, version } = await made();
      const { clientRowId } = await aClient(store);
      const requeue = { changedAt: NOON, start: null };
      const theirs = { ...schedule, label: 'taken' };
      assert.equal(await store.schedules.update(clientRowId, theirs, version, requeue), false);
      assert.equal(await store.schedules.update(clientRowId, aSchedule(), 1, requeue), false);
      assert.deepEqual(await found(schedule.id), { schedule, version });
      assert.equal(await store.queue.nextDueAt(), NOON);
    });
  });
}
