import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  aClient,
  anAttempt,
  backendOfEachTest,
  changed,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  outboxSettlementOf,
  retrying,
  SECOND,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const HOUR = 60 * MINUTE;

export function fenceContract(name: string, open: OpenBackend): void {
  describe(`${name}: the fence of an attempt`, () => {
    const backend = backendOfEachTest(open);
    const made = async () => {
      const caller = await aClient(backend.store);
      return { caller, schedule: await stored(backend.store, caller) };
    };
    const rest = waiting(NOON, NOON + MINUTE);

    test('is the instant of the claim', async () => {
      await made();
      const claim = await claimOne(backend.store, NOON + 7);
      assert.equal(claim.fence, NOON + 7);
      await settled(backend.store, claim, retrying(claim, NOON + 5 * SECOND));
      assert.equal((await claimOne(backend.store, NOON + 6 * SECOND)).fence, NOON + 6 * SECOND);
    });

    test('grows by one with each claim of one instant', async () => {
      await made();
      for (const more of [0, 1, 2]) {
        const claim = await claimOne(backend.store, NOON);
        assert.deepEqual([claim.fence, claim.claimedAt], [NOON + more, NOON]);
        await settled(backend.store, claim, rest);
      }
      assert.equal((await claimOne(backend.store, NOON + 9)).fence, NOON + 9);
    });

    test('grows after the clock was set back, and follows it again when it has caught up', async () => {
      await made();
      const dues = [
        NOON + HOUR,
        NOON,
        NOON + SECOND,
        NOON + HOUR,
        NOON + HOUR + 3,
        NOON + 2 * HOUR,
      ];
      const fences: number[] = [];
      for (const now of dues) {
        const claim = await claimOne(backend.store, now);
        fences.push(claim.fence);
        await settled(backend.store, claim, rest);
      }
      assert.deepEqual(
        fences,
        [0, 1, 2, 3, 4, HOUR].map(more => NOON + HOUR + more),
      );
    });

    test('grows through a stop and a takeover', async () => {
      await made();
      const first = await claimOne(backend.store, NOON + 30 * SECOND);
      const store = await backend.reopen();
      // The clock was set back meanwhile.
      assert.equal(await store.queue.recover(NOON + 10 * SECOND), 1);
      const again = await claimOne(store, NOON + 10 * SECOND);
      assert.deepEqual([again.was, again.attempt], ['lost', 2]);
      assert.equal(again.fence, first.fence + 1);
    });

    test('a clock that was set back does not make a claim ahead of its time look late', async () => {
      const { caller } = await made();
      const late = await claimOne(backend.store, NOON + HOUR);
      const next = NOON + 10 * MINUTE;
      await settled(backend.store, late, waiting(next, next + MINUTE));
      const [ahead] = (await backend.store.queue.claim(next - 500, 9, 0, SECOND)).claims;
      assert.equal(ahead!.fence, NOON + HOUR + 1);
      const store = await backend.reopen();
      assert.equal(await store.queue.recover(next - 400), 1);
      const again = await claimOne(store, next);
      assert.deepEqual([again.was, again.attempt, again.attempts], ['waiting', 1, []]);
      assert.equal(again.clientRowId, caller.clientRowId);
    });

    test('survives a change of the schedule, waiting or begun', async () => {
      const { caller, schedule } = await made();
      const first = await claimOne(backend.store, NOON + HOUR);
      await settled(backend.store, first, waiting(NOON + MINUTE, NOON + 2 * MINUTE));
      const start = { first: NOON + SECOND, second: NOON + MINUTE };
      await changed(backend.store, caller, schedule, { interval: '1 * * * * *' }, NOON, start);
      const second = await claimOne(backend.store, NOON + SECOND);
      assert.equal(second.fence, first.fence + 1);
      await changed(backend.store, caller, schedule, { interval: '* * * * *' }, NOON, start);
      const [standing] = await backend.store.queue.reread([second.scheduleRowId]);
      const back = { ...second, changedAt: standing!.changedAt };
      await settled(backend.store, back, waiting(NOON + SECOND, NOON + MINUTE));
      assert.equal((await claimOne(backend.store, NOON + SECOND)).fence, first.fence + 2);
    });

    test('of a manual run lies between those of the firings around it, whatever the clock says', async () => {
      const { caller, schedule } = await made();
      const before = await claimOne(backend.store, NOON + HOUR);
      await settled(backend.store, before, rest);
      await triggered(backend.store, caller, schedule, NOON);
      const manual = await claimManual(backend.store, NOON);
      assert.deepEqual([manual.fence, manual.claimedAt], [before.fence + 1, NOON]);
      const dueAt = NOON + 5 * SECOND;
      await backend.store.outbox.settle([outboxSettlementOf(manual, { dueAt })]);
      const retried = await claimManual(backend.store, dueAt);
      assert.equal(retried.fence, before.fence + 2);
      const attempts = [anAttempt(1), anAttempt(2)];
      await backend.store.outbox.settle([outboxSettlementOf(retried, 'succeeded', { attempts })]);
      const after = await claimOne(backend.store, NOON + 6 * SECOND);
      assert.equal(after.fence, before.fence + 3);
    });

    test('of a manual run is the instant of its claim where no firing is to come', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller, { status: 'disabled' }, null);
      await triggered(backend.store, caller, schedule, NOON);
      assert.equal((await claimManual(backend.store, NOON + 7)).fence, NOON + 7);
    });

    test('of a manual run is greater than all before its schedule was disabled, also where its claim is late', async () => {
      const { caller, schedule } = await made();
      const last = await claimOne(backend.store, NOON + 2 * SECOND);
      await settled(backend.store, last, rest);
      const changedAt = NOON + 3 * SECOND;
      await changed(backend.store, caller, schedule, { status: 'disabled' }, changedAt, null);
      await triggered(backend.store, caller, schedule, NOON);
      assert.equal((await claimManual(backend.store, NOON + SECOND)).fence, last.fence + 1);
    });

    const disabled = async () => {
      const { caller, schedule } = await made();
      const ran = async (now: number) => {
        await triggered(backend.store, caller, schedule, now);
        const claim = await claimManual(backend.store, now);
        await backend.store.outbox.settle([outboxSettlementOf(claim, 'succeeded')]);
        return claim.fence;
      };
      const enabled = (at: number) => {
        const start = { first: at, second: at + MINUTE };
        return changed(backend.store, caller, schedule, { status: 'enabled' }, at, start);
      };
      const disable = (at: number) =>
        changed(backend.store, caller, schedule, { status: 'disabled' }, at, null);
      return { caller, schedule, ran, enabled, disable };
    };

    test('of manual runs grows where no firing is to come, also within one millisecond and after the clock was set back', async () => {
      const { ran, disable } = await disabled();
      const last = await claimOne(backend.store, NOON + HOUR);
      await settled(backend.store, last, rest);
      await disable(NOON + HOUR);
      const fences = [await ran(NOON + HOUR), await ran(NOON + HOUR), await ran(NOON)];
      await backend.reopen();
      fences.push(await ran(NOON), await ran(NOON + 2 * HOUR));
      assert.deepEqual(
        fences,
        [1, 2, 3, 4, HOUR].map(more => NOON + HOUR + more),
      );
    });

    test('grows where a schedule is enabled again after the clock was set back', async () => {
      const { ran, enabled, disable } = await disabled();
      const last = await claimOne(backend.store, NOON + HOUR);
      await settled(backend.store, last, rest);
      await disable(NOON);
      await enabled(NOON);
      const again = await claimOne(backend.store, NOON);
      assert.equal(again.fence, last.fence + 1);
      await settled(backend.store, again, rest);
      await disable(NOON);
      assert.equal(await ran(NOON), last.fence + 2);
      await enabled(NOON);
      assert.equal((await claimOne(backend.store, NOON)).fence, last.fence + 3);
    });

    test('grows where a row goes with the end of its run, as of a schedule that was disabled meanwhile', async () => {
      const { ran, enabled, disable } = await disabled();
      const last = await claimOne(backend.store, NOON + HOUR);
      await disable(NOON);
      const [standing] = await backend.store.queue.reread([last.scheduleRowId]);
      await settled(backend.store, { ...last, changedAt: standing!.changedAt }, null);
      assert.equal(await ran(NOON), last.fence + 1);
      await enabled(NOON);
      assert.equal((await claimOne(backend.store, NOON)).fence, last.fence + 2);
    });
  });
}
