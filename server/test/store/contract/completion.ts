import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { fenceOf } from '../../../src/engine/delivery/settlement.ts';
import type { Settlement } from '../../../src/store/contract/queue.ts';
import {
  aClient,
  aRecord,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  settled,
  settlementOf,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const AT = NOON + 30;
const DISABLED = { at: AT, status: 'disabled', statusReason: 'completed' } as const;
const DELETED = { at: AT, status: 'deleted', statusReason: 'completed' } as const;
const TIMING = { endsAt: NOON + MINUTE };

export function completionContract(name: string, open: OpenBackend): void {
  describe(`${name}: a schedule without a time to come completes`, () => {
    const backend = backendOfEachTest(open);
    const claimed = async (fields: Partial<Schedule> = {}) => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, { timing: TIMING, ...fields });
      const found = async () => (await store.schedules.find(caller.clientRowId, schedule.id))!;
      const heldAt = async (at: number) =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, at))!.held;
      return { store, caller, schedule, claim: await claimOne(store), found, heldAt };
    };

    test('its status changes with the end of its run, and says why', async () => {
      const { store, caller, schedule, claim, found } = await claimed();
      const records = [aRecord(schedule.id, NOON)];
      await settled(store, claim, null, { records, change: DISABLED });
      assert.deepEqual(await found(), {
        version: 2,
        schedule: {
          ...schedule,
          status: 'disabled',
          statusReason: 'completed',
          updatedAt: AT,
        },
      });
      assert.equal(await store.queue.nextDueAt(), null);
      const runs = await store.runs.list(caller.clientRowId, {}, 9);
      assert.deepEqual(
        runs.map(({ status }) => status),
        ['succeeded'],
      );
      assert.deepEqual(await store.stats.changedSince(caller.clientRowId, AT, 9), [
        (await found()).schedule,
      ]);
    });

    test('the state before is kept, with its timing', async () => {
      const { store, schedule, claim, heldAt } = await claimed();
      await settled(store, claim, null, { change: DELETED });
      const { interval, timezone } = schedule;
      const before = { interval, timezone, timing: TIMING, status: 'enabled', since: null };
      assert.deepEqual(await heldAt(AT - 1), { ...before, until: AT });
      assert.deepEqual(await heldAt(AT), { ...before, status: 'deleted', since: AT, until: null });
    });

    test('behind every change and instant that is on record of it', async () => {
      const { store, caller, schedule, claim, found, heldAt } = await claimed();
      await changed(store, caller, schedule, { label: 'x' }, AT + 5, null);
      const fence = { ...fenceOf(claim), changedAt: AT + 5 };
      await settled(store, claim, null, { fence, change: DISABLED });
      assert.equal((await found()).schedule.updatedAt, AT + 6);
      assert.equal((await heldAt(AT + 5)).until, AT + 6);
    });

    test('nothing changes where the fence does not hold', async () => {
      const { store, schedule, claim, found } = await claimed();
      const late: Settlement = {
        ...settlementOf(claim, null, { change: DISABLED }),
        fence: { ...fenceOf(claim), attempt: 7 },
      };
      assert.deepEqual(await store.queue.settle([late]), [claim.scheduleRowId]);
      assert.deepEqual(await found(), { version: 1, schedule });
    });

    for (const status of ['disabled', 'deleted'] as const) {
      test(`nothing changes where it was ${status} meanwhile`, async () => {
        const { store, caller, schedule, claim, found } = await claimed();
        await changed(store, caller, schedule, { status }, NOON + 10, null);
        const before = await found();
        const change = status === 'disabled' ? DELETED : DISABLED;
        const fence = { ...fenceOf(claim), changedAt: NOON + 10 };
        await settled(store, claim, null, { fence, change });
        assert.deepEqual(await found(), before);
        assert.equal(await store.queue.nextDueAt(), null);
      });
    }

    test('a manual run of one that is deleted by it is due at once, to be ended', async () => {
      const { store, caller, schedule, claim } = await claimed();
      await triggered(store, caller, schedule, NOON + MINUTE);
      await settled(store, claim, null, { change: DELETED });
      assert.equal(await store.outbox.nextDueAt(), AT);
    });

    test('a manual run of one that is disabled by it stays as it is', async () => {
      const { store, caller, schedule, claim } = await claimed();
      await triggered(store, caller, schedule, NOON + MINUTE);
      await settled(store, claim, null, { change: DISABLED });
      assert.equal(await store.outbox.nextDueAt(), NOON + MINUTE);
    });

    test('one that is deleted by it names its calendars no more, and one that is disabled does', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const timing = { ...TIMING, exclude: ['de'], calendars: ['version'] };
      const usedBy = async () =>
        (await store.calendars.usedBy(caller.clientRowId, ['de'])).get('de') ?? 0;
      for (const [change, left] of [
        [DELETED, 0],
        [DISABLED, 1],
      ] as const) {
        await stored(store, caller, { timing });
        assert.equal(await usedBy(), 1);
        await settled(store, await claimOne(store), null, { change });
        assert.equal(await usedBy(), left);
      }
    });

    test('in one batch each has its own end', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const settlements: Settlement[] = [];
      const ends = [DISABLED, undefined, DELETED, undefined];
      const schedules: Schedule[] = [];
      for (const [index, change] of ends.entries()) {
        schedules.push(await stored(store, caller));
        const row = index === 1 ? waiting(NOON + MINUTE, null) : null;
        const claim = await claimOne(store);
        settlements.push(settlementOf(claim, row, { ...(change && { change }) }));
      }
      assert.deepEqual(await store.queue.settle(settlements.toReversed()), []);
      const found = await store.schedules.findAll(
        caller.clientRowId,
        schedules.map(({ id }) => id),
      );
      const byId = new Map(found.map(({ schedule }) => [schedule.id, schedule]));
      assert.deepEqual(
        schedules.map(({ id }) => [byId.get(id)!.status, byId.get(id)!.statusReason]),
        [
          ['disabled', 'completed'],
          ['enabled', undefined],
          ['deleted', 'completed'],
          ['enabled', undefined],
        ],
      );
      assert.equal(await store.queue.depth(NOON + MINUTE), 1);
    });
  });
}
