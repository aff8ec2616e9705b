import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Start } from '../../../src/domain/run/start.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { type ServiceChange, serviceChanged } from '../../../src/domain/schedule/service-change.ts';
import { fenceOf } from '../../../src/engine/delivery/settlement.ts';
import type { ManualClaim, ManualRunChange } from '../../../src/store/contract/queue.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  settled,
  settlementOf,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const AT = NOON + 30;
const UNTIL = NOON + 5 * MINUTE;
const PAUSE: ServiceChange = { at: AT, pausedUntil: UNTIL };
const DISABLE: ServiceChange = { at: AT, status: 'disabled', statusReason: 'targetDisabled' };
const COMPLETE: ServiceChange = { at: AT, status: 'disabled', statusReason: 'completed' };
const BEHIND = waiting(UNTIL, UNTIL + MINUTE);

function changeOf(
  { version, schedule }: ManualClaim,
  change: ServiceChange,
  start: Start | null = null,
): ManualRunChange {
  return { ...change, version, schedule: serviceChanged(schedule, change), start };
}

/** As `completionContract`, of changes that are asked for by a target, and of further runs. */
export function serviceChangeContract(name: string, open: OpenBackend): void {
  const backend = () => backendOfEachTest(open);
  const worldOf = (it: { readonly store: Parameters<typeof aClient>[0] }) => {
    const claimed = async (fields: Partial<Schedule> = {}) => {
      const { store } = it;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, fields);
      const found = async () => (await store.schedules.find(caller.clientRowId, schedule.id))!;
      return { store, caller, schedule, claim: await claimOne(store), found };
    };
    return { claimed };
  };

  describe(`${name}: a change of the schedule by the service`, () => {
    const it = backend();
    const { claimed } = worldOf(it);

    test('pauses it, with a row that goes on behind the pause', async () => {
      const { store, caller, schedule, claim, found } = await claimed();
      await settled(store, claim, BEHIND, { change: PAUSE });
      assert.deepEqual(await found(), {
        version: 2,
        schedule: { ...schedule, updatedAt: AT, timing: { pausedUntil: UNTIL } },
      });
      assert.equal(await store.queue.nextDueAt(), UNTIL);
      const { schedule: of } = await claimOne(store, UNTIL);
      assert.deepEqual(of.timing, { pausedUntil: UNTIL });
      const heldAt = async (at: number) =>
        (await store.schedules.findAt(caller.clientRowId, schedule.id, at))!.held;
      assert.equal((await heldAt(AT - 1)).timing, undefined);
      assert.deepEqual((await heldAt(AT)).timing, { pausedUntil: UNTIL });
    });

    test('keeps the rest of its timing', async () => {
      const timing = { windowSeconds: 60, offsetMs: 7_000, pausedUntil: NOON - MINUTE };
      const { store, claim, found } = await claimed({ timing });
      await settled(store, claim, BEHIND, { change: PAUSE });
      const { schedule } = await found();
      assert.deepEqual(schedule.timing, { ...timing, pausedUntil: UNTIL });
    });

    test('a row of a schedule that was plain needs an engine that knows pauses', async () => {
      const { store, claim } = await claimed();
      await settled(store, claim, BEHIND, { change: PAUSE });
      const old = await it.reopen(0);
      assert.equal(await old.queue.nextDueAt(), null);
      const newer = await it.reopen(1);
      assert.equal(await newer.queue.nextDueAt(), UNTIL);
    });

    test('disables it, and says why', async () => {
      const { store, schedule, claim, found } = await claimed();
      await settled(store, claim, null, { change: DISABLE });
      const { status, statusReason } = DISABLE;
      assert.deepEqual(await found(), {
        version: 2,
        schedule: { ...schedule, status, statusReason, updatedAt: AT },
      });
      assert.equal(await store.queue.nextDueAt(), null);
    });

    test('does nothing where the fence does not hold', async () => {
      const { store, schedule, claim, found } = await claimed();
      for (const change of [PAUSE, DISABLE]) {
        const late = { ...settlementOf(claim, null, { change }) };
        late.fence = { ...late.fence, attempt: 7 };
        assert.deepEqual(await store.queue.settle([late]), [claim.scheduleRowId]);
      }
      assert.deepEqual(await found(), { version: 1, schedule });
    });

    test('does nothing where a caller disabled it meanwhile', async () => {
      const { store, caller, schedule, claim, found } = await claimed();
      await changed(store, caller, schedule, { status: 'disabled' }, NOON + 10, null);
      const before = await found();
      const fence = { ...fenceOf(claim), changedAt: NOON + 10 };
      await settled(store, claim, null, { fence, change: PAUSE });
      assert.deepEqual(await found(), before);
    });
  });

  describe(`${name}: a further run that a target asks for`, () => {
    const it = backend();
    const { claimed } = worldOf(it);
    const againAt = (dueAt: number, at = AT) => ({ id: anId(dueAt), dueAt, at });
    const idsOf = async (now: number) => {
      const claims = await it.store.outbox.claim(now, 9);
      return claims.map(claim =>
        claim.kind === 'manual' ? [claim.id, claim.trigger, claim.isDropped] : [claim.id],
      );
    };

    test('is due when it was asked for, as a run of its own trigger', async () => {
      const { store, caller, claim, schedule } = await claimed();
      const again = againAt(NOON + 20_000);
      await settled(store, claim, waiting(NOON + MINUTE, null), { again });
      assert.equal(await store.outbox.nextDueAt(), NOON + 20_000);
      const run = await store.runs.find(caller.clientRowId, again.id);
      assert.deepEqual(run, {
        id: again.id,
        scheduleId: schedule.id,
        scheduledFor: NOON + 20_000,
        trigger: 'target',
        status: 'queued',
        attempts: [],
      });
      assert.deepEqual(await idsOf(NOON + 20_000), [[again.id, 'target', false]]);
    });

    test('replaces the one before, which its claim tells of', async () => {
      const { store, claim } = await claimed();
      const [first, second] = [againAt(NOON + 20_000), againAt(NOON + 70_000, NOON + MINUTE)];
      await settled(store, claim, waiting(NOON + MINUTE, null), { again: first });
      // The first is due before the next time of the schedule.
      const next = await claimOne(store, NOON + MINUTE);
      await settled(store, next, null, { again: second });
      assert.deepEqual(await idsOf(NOON + MINUTE), [[first.id, 'target', true]]);
      assert.equal(await store.outbox.nextDueAt(), NOON + 70_000);
    });

    test('blocks no time where it was replaced', async () => {
      const { store, claim } = await claimed();
      const [first, second] = [againAt(NOON + 20_000), againAt(NOON + 70_000, NOON + MINUTE)];
      await settled(store, claim, waiting(NOON + MINUTE, null), { again: first });
      const next = await claimOne(store, NOON + MINUTE);
      await settled(store, next, waiting(NOON + MINUTE + 1, null), { again: second });
      assert.ok((await claimManual(store, NOON + MINUTE)).isDropped);
      assert.equal((await claimOne(store, NOON + MINUTE + 1)).blockedSince, null);
    });

    test('leaves no attempt where it was replaced, and its claim was cut off', async () => {
      const { store, claim } = await claimed();
      const [first, second] = [againAt(NOON + 20_000), againAt(NOON + 70_000, NOON + MINUTE)];
      await settled(store, claim, waiting(NOON + MINUTE, null), { again: first });
      const next = await claimOne(store, NOON + MINUTE);
      await settled(store, next, null, { again: second });
      await claimManual(store, NOON + MINUTE);
      const later = await it.reopen();
      assert.equal(await later.outbox.recover(NOON + 2 * MINUTE), 1);
      const dropped = await claimManual(later, NOON + 2 * MINUTE);
      assert.deepEqual([dropped.id, dropped.isDropped, dropped.attempts], [first.id, true, []]);
    });

    test('is not made of a schedule that is not enabled, or that is paused', async () => {
      for (const fields of [
        { status: 'disabled' },
        { timing: { pausedUntil: NOON + MINUTE } },
      ] as const) {
        const { store, caller, schedule, claim } = await claimed();
        await changed(store, caller, schedule, fields, NOON + 10, null);
        const fence = { ...fenceOf(claim), changedAt: NOON + 10 };
        await settled(store, claim, null, { fence, again: againAt(NOON + MINUTE) });
        assert.equal(await store.outbox.nextDueAt(), null);
      }
    });

    for (const [what, change] of [
      ['a pause', PAUSE],
      ['a target that disables', DISABLE],
    ] as const) {
      test(`is dropped by ${what}`, async () => {
        const { store, claim } = await claimed();
        const again = againAt(NOON + 3 * MINUTE);
        await settled(store, claim, waiting(NOON + MINUTE, null), { again });
        await settled(store, await claimOne(store, NOON + MINUTE), null, { change });
        assert.deepEqual(await idsOf(NOON + MINUTE), [[again.id, 'target', true]]);
      });
    }

    test('is dropped where a caller pauses, disables or deletes, and only there', async () => {
      for (const [fields, isDropped] of [
        [{ timing: { pausedUntil: NOON + 9 * MINUTE } }, true],
        [{ status: 'disabled' }, true],
        [{ status: 'deleted' }, true],
        [{ interval: '*/2 * * * *' }, false],
        [{ timing: { windowSeconds: 7, offsetMs: 0 } }, false],
      ] as const) {
        const { store, caller, schedule, claim } = await claimed();
        await settled(store, claim, null, { again: againAt(NOON + 3 * MINUTE) });
        await changed(store, caller, schedule, fields, NOON + 10_000, null);
        const claims = await store.outbox.claim(NOON + 10_000, 9);
        assert.equal(claims.length, isDropped ? 1 : 0, JSON.stringify(fields));
        const rest = await store.outbox.claim(NOON + 3 * MINUTE, 9);
        assert.equal(rest.length, isDropped ? 0 : 1, JSON.stringify(fields));
      }
    });

    test('keeps its schedule from completing, until it has ended itself', async () => {
      const { store, claim, found } = await claimed();
      const again = againAt(NOON + MINUTE);
      await settled(store, claim, null, { again, change: COMPLETE });
      assert.equal((await found()).schedule.status, 'enabled');
      const run = await claimManual(store, NOON + MINUTE);
      const change = changeOf(run, COMPLETE);
      const ended = outboxSettlementOf(run, 'succeeded', { change });
      assert.deepEqual(await store.outbox.settle([ended]), []);
      assert.equal((await found()).schedule.statusReason, 'completed');
    });

    test('is not a run that a caller asked for, and does not hold up times before it', async () => {
      const { store, caller, schedule, claim } = await claimed();
      await settled(store, claim, waiting(NOON + MINUTE, null), { again: againAt(NOON + 90_000) });
      const ahead = await store.queue.claim(NOON + MINUTE - 500, 9, 0, 1_000);
      assert.equal(ahead.claims.length, 1);
      await settled(store, ahead.claims[0]!, waiting(NOON + 2 * MINUTE, null));
      await triggered(store, caller, schedule, NOON + MINUTE);
      const late = await store.queue.claim(NOON + 2 * MINUTE - 500, 9, 0, 1_000);
      assert.equal(late.claims.length, 0, 'both runs come first');
    });
  });

  describe(`${name}: a change with the end of a manual run`, () => {
    const it = backend();
    const manual = async (fields: Partial<Schedule> = {}) => {
      const { store } = it;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, fields);
      await triggered(store, caller, schedule, NOON - 1_000);
      const claim = await claimManual(store, NOON - 1_000);
      const found = async () => (await store.schedules.find(caller.clientRowId, schedule.id))!;
      return { store, caller, schedule, claim, found };
    };

    test('pauses: the row of the queue moves behind it', async () => {
      const { store, claim, schedule, found } = await manual();
      const start = { first: UNTIL, second: UNTIL + MINUTE };
      const ended = outboxSettlementOf(claim, 'succeeded', {
        change: changeOf(claim, PAUSE, start),
      });
      assert.deepEqual(await store.outbox.settle([ended]), []);
      assert.deepEqual(await found(), {
        version: 2,
        schedule: { ...schedule, updatedAt: AT, timing: { pausedUntil: UNTIL } },
      });
      assert.equal(await store.queue.nextDueAt(), UNTIL);
      assert.equal((await claimOne(store, UNTIL)).begun, true);
    });

    test('disables: nothing is due any more', async () => {
      const { store, claim, found } = await manual();
      const ended = outboxSettlementOf(claim, 'failed', {
        change: changeOf(claim, DISABLE),
      });
      assert.deepEqual(await store.outbox.settle([ended]), []);
      assert.equal((await found()).schedule.statusReason, 'targetDisabled');
      assert.equal(await store.queue.nextDueAt(), null);
    });

    test('of another version is named, and nothing is written', async () => {
      const { store, caller, schedule, claim, found } = await manual();
      await changed(store, caller, schedule, { label: 'x' }, NOON, null);
      const before = await found();
      const ended = outboxSettlementOf(claim, 'failed', {
        change: changeOf(claim, DISABLE),
      });
      assert.deepEqual(await store.outbox.settle([ended]), [claim.id]);
      assert.deepEqual(await found(), before);
      const again = { ...ended, change: { ...ended.change!, version: before.version } };
      assert.deepEqual(await store.outbox.settle([again]), []);
      assert.equal((await found()).schedule.status, 'disabled');
    });

    test('asks for a further run in place of itself', async () => {
      const { store, claim } = await manual();
      for (const [run, dueAt] of [
        [claim, NOON + 10_000],
        [null, NOON + 20_000],
      ] as const) {
        const taken = run ?? (await claimManual(store, NOON + 10_000));
        const again = { id: anId(dueAt), dueAt, at: NOON };
        await store.outbox.settle([outboxSettlementOf(taken, 'succeeded', { again })]);
        assert.equal(await store.outbox.nextDueAt(), dueAt);
      }
    });
  });
}
