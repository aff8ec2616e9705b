import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { ScheduleChange } from '../../../src/store/contract/schedules.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  aRecord,
  aSchedule,
  backendOfEachTest,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  SEEN,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const AT = NOON + 1;

export function updateAllContract(name: string, open: OpenBackend): void {
  describe(`${name}: schedules, changed many at once`, () => {
    const backend = backendOfEachTest(open);
    let store: Store;
    let caller: Caller;
    const made = async (...fields: Partial<Schedule>[]) => {
      store = backend.store;
      caller = await aClient(store);
      const schedules: Schedule[] = [];
      for (const one of fields) schedules.push(await stored(store, caller, one));
      return schedules;
    };
    const updateAll = (...changes: ScheduleChange[]) =>
      store.schedules.updateAll(caller.clientRowId, changes);
    const kept = (schedule: Schedule, fields: Partial<Schedule>, version = 1): ScheduleChange => ({
      schedule: { ...schedule, ...fields, updatedAt: AT },
      version,
      requeue: 'keep',
    });
    const moved = (schedule: Schedule, fields: Partial<Schedule>, first: number | null) => ({
      ...kept(schedule, fields),
      requeue: { changedAt: AT, start: first === null ? null : { first, second: first + MINUTE } },
    });
    const found = async ({ id }: Schedule) =>
      (await store.schedules.find(caller.clientRowId, id))!.schedule;

    test('each has its new values and its new version', async () => {
      const [a, b, c] = (await made({}, {}, {})) as [Schedule, Schedule, Schedule];
      const pausedUntil = NOON + 9 * MINUTE;
      assert.ok(
        await updateAll(
          kept(a, { label: 'a', tags: { team: 'x' } }),
          moved(b, { timing: { pausedUntil } }, pausedUntil),
          moved(c, { status: 'disabled' }, null),
        ),
      );
      const all = await store.schedules.findAll(caller.clientRowId, [a.id, b.id, c.id, anId()]);
      assert.deepEqual(
        all.map(({ version }) => version),
        [2, 2, 2],
      );
      assert.equal((await found(a)).label, 'a');
      assert.deepEqual((await found(b)).timing, { pausedUntil });
      assert.equal((await found(c)).status, 'disabled');
      assert.deepEqual(await store.schedules.idsWithTag(caller.clientRowId, 'team', 9), [a.id]);
      const { claims } = await store.queue.claim(pausedUntil, 9, SEEN);
      assert.deepEqual(
        claims.map(({ schedule, scheduledFor }) => [schedule.id, scheduledFor]),
        [
          [a.id, NOON],
          [b.id, pausedUntil],
        ],
      );
    });

    test('the state before is kept of those whose times change', async () => {
      const [a, b] = (await made({}, {})) as [Schedule, Schedule];
      await updateAll(
        kept(a, { label: 'x' }),
        moved(b, { timing: { startsAt: NOON + MINUTE } }, NOON + MINUTE),
      );
      const at = async ({ id }: Schedule) =>
        (await store.schedules.findAt(caller.clientRowId, id, AT - 1))!.held;
      assert.equal((await at(a)).until, null);
      assert.deepEqual(await at(b), {
        interval: '* * * * *',
        timezone: 'UTC',
        status: 'enabled',
        since: null,
        until: AT,
      });
    });

    test('all or nothing: a version that is no longer the stored one takes all back', async () => {
      const [a, b, c] = (await made({}, {}, {})) as [Schedule, Schedule, Schedule];
      await updateAll(kept(b, { label: 'faster' }));
      const changes = [
        moved(a, { label: 'a' }, NOON + MINUTE),
        moved(b, { label: 'b' }, null),
        kept(c, { label: 'c', tags: { team: 'x' } }),
      ];
      assert.equal(await updateAll(...changes), false);
      assert.deepEqual([await found(a), await found(c)], [a, c]);
      assert.equal((await found(b)).label, 'faster');
      assert.equal(await store.queue.depth(NOON), 3);
      assert.equal(
        (await store.schedules.findAt(caller.clientRowId, a.id, NOON))!.held.until,
        null,
      );
      assert.deepEqual(await store.schedules.idsWithTag(caller.clientRowId, 'team', 9), []);
    });

    test('all or nothing: an external id that is taken takes all back', async () => {
      const [a, b] = (await made({}, { externalId: 'b' })) as [Schedule, Schedule];
      const free = moved(a, { label: 'x' }, null);
      const taking = kept(aSchedule(), {});
      await store.schedules.insert(caller.clientRowId, [{ ...taking, start: null }]);
      await assert.rejects(updateAll(free, kept(taking.schedule, { externalId: 'b' })), {
        code: 'external_id_taken',
        message: 'externalId "b" is taken by another schedule.',
      });
      assert.deepEqual([await found(a), await found(b)], [a, b]);
      assert.equal(await store.queue.depth(NOON), 2);
    });

    test('one that is named twice, is unknown or belongs to another client takes all back', async () => {
      const [a] = (await made({})) as [Schedule];
      const theirs = await stored(store, await aClient(store));
      for (const other of [a, aSchedule(), theirs]) {
        const changes = [moved(a, { label: 'x' }, NOON), moved(other, { label: 'y' }, NOON)];
        assert.equal(await updateAll(...changes), false);
        assert.deepEqual(await found(a), a);
      }
      assert.ok(await updateAll());
    });

    test('runs that have begun are marked, times that fired do not come again, manual runs of deleted ones end', async () => {
      const [begun] = (await made({})) as [Schedule];
      const claim = await claimOne(store);
      const fired = await stored(store, caller);
      const next = await claimOne(store);
      const records = [aRecord(fired.id, NOON)];
      await settled(store, next, waiting(NOON + MINUTE, null), { records });
      const deleted = await stored(store, caller, {}, null);
      await triggered(store, caller, deleted, NOON + MINUTE);
      assert.ok(
        await updateAll(
          moved(begun, { label: 'x' }, NOON + MINUTE),
          moved(fired, { label: 'x' }, NOON),
          moved(deleted, { status: 'deleted' }, null),
        ),
      );
      const [row] = await store.queue.reread([claim.scheduleRowId]);
      assert.deepEqual([row!.changedAt, row!.nextFor], [AT, NOON + MINUTE]);
      assert.equal(await store.queue.nextDueAt(), NOON + MINUTE, 'not at noon again');
      assert.equal(await store.outbox.nextDueAt(), AT);
    });

    test('a thousand at once', async () => {
      await made();
      const batch = Array.from({ length: 1_000 }, () => aSchedule({ tags: { team: 'x' } }));
      const start = { first: NOON, second: NOON + MINUTE };
      await store.schedules.insert(
        caller.clientRowId,
        batch.map(schedule => ({ schedule, start })),
      );
      const first = NOON + 60 * MINUTE;
      const changes = batch.map((schedule, index) =>
        index % 2 === 0
          ? moved(schedule, { timing: { pausedUntil: first }, tags: { team: 'y' } }, first)
          : kept(schedule, { tags: { team: 'y' } }),
      );
      assert.ok(await updateAll(...changes));
      assert.equal(await store.queue.depth(NOON), 500);
      assert.equal(await store.queue.depth(first), 1_000);
      const ids = await store.schedules.idsWithTag(caller.clientRowId, 'team:y', 2_000);
      assert.equal(ids.length, 1_000);
    });

    test('callers who change the same ones at the same moment: one of them does, whatever the order', async () => {
      const schedules = await made(...Array.from({ length: 20 }, () => ({})));
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, caller) => {
          const changes = schedules.map(one => moved(one, { label: `${caller}` }, NOON + MINUTE));
          return updateAll(...(caller % 2 === 0 ? changes : changes.toReversed()));
        }),
      );
      assert.deepEqual(results.filter(Boolean), [true]);
      const labels = new Set<string>();
      for (const schedule of schedules) labels.add((await found(schedule)).label);
      assert.deepEqual([...labels], [`${results.indexOf(true)}`]);
    });
  });
}
