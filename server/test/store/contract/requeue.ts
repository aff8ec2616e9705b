import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunRecord } from '../../../src/domain/run/run.ts';
import type { Start } from '../../../src/domain/run/start.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Claim, ClaimedRow } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anAttempt,
  aRecord,
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
  SEEN,
  settled,
  settlementOf,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const HOUR = 60 * MINUTE;
/** What the schedule is changed to fires at one o'clock, and then every hour. */
const ONE: Start = { first: NOON + HOUR, second: NOON + 2 * HOUR };

export function requeueContract(name: string, open: OpenBackend): void {
  describe(`${name}: a change of interval, time zone or status, where the row waits`, () => {
    const backend = backendOfEachTest(open);
    const made = async (fields: Partial<Schedule> = {}, start?: Start | null) => {
      const { store } = backend;
      const caller = await aClient(store);
      return { store, caller, schedule: await stored(store, caller, fields, start) };
    };

    test('it moves to the first of the new times', async () => {
      const { store, caller, schedule } = await made();
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON - 1, ONE);
      assert.equal(await store.queue.nextDueAt(), NOON + HOUR);
      const {
        scheduledFor,
        nextFor,
        schedule: claimed,
        ...claim
      } = await claimOne(store, NOON + HOUR);
      assert.deepEqual([scheduledFor, nextFor], [NOON + HOUR, NOON + 2 * HOUR]);
      assert.deepEqual([claim.was, claim.begun, claim.changedAt], ['waiting', true, null]);
      assert.equal(claimed.interval, '0 * * * *');
    });

    test('it goes where there is no next time', async () => {
      const { store, caller, schedule } = await made();
      await changed(store, caller, schedule, { status: 'disabled' }, NOON, null);
      assert.equal(await store.queue.nextDueAt(), null);
      assert.deepEqual((await store.queue.claim(NOON + HOUR, 10, SEEN)).claims, []);
    });

    test('enabling makes a row that waits for the first time from now', async () => {
      const { store, caller, schedule } = await made({ status: 'disabled' }, null);
      await changed(store, caller, schedule, { status: 'enabled' }, NOON, ONE);
      const { scheduledFor, attempt } = await claimOne(store, NOON + HOUR);
      assert.deepEqual([scheduledFor, attempt], [NOON + HOUR, 1]);
    });

    test('enabling forgets what a clock that was ahead has recorded of the times to come', async () => {
      const { store, caller, schedule } = await made();
      const unsent = (status: 'missed' | 'skipped') => ({ status, attempts: [] });
      const fates: Partial<RunRecord>[] = [
        unsent('missed'),
        unsent('missed'),
        unsent('skipped'),
        { status: 'failed' },
        { status: 'missed', attempts: [anAttempt(1, { outcome: 'lost' })] },
      ];
      const records = fates.map((fate, hour) => aRecord(schedule.id, NOON + hour * HOUR, fate));
      await settled(store, await claimOne(store), waiting(NOON + 9 * HOUR, null), { records });
      await changed(store, caller, schedule, { status: 'disabled' }, NOON, null);
      assert.equal((await store.runs.list(caller.clientRowId, {}, 9)).length, 5);
      await changed(store, caller, schedule, { status: 'enabled' }, NOON, ONE);
      const kept = await store.runs.list(caller.clientRowId, {}, 9);
      const hours = kept.map(({ scheduledFor }) => (scheduledFor - NOON) / HOUR);
      assert.deepEqual(
        hours.toSorted((a, b) => a - b),
        [0, 3, 4],
      );
    });

    test('a change that keeps the times leaves the row alone', async () => {
      const { store, caller, schedule } = await made();
      const { version } = (await store.schedules.find(caller.clientRowId, schedule.id))!;
      const next = { ...schedule, label: 'next' };
      await store.schedules.update(caller.clientRowId, next, version, 'keep');
      assert.equal((await claimOne(store)).schedule.label, 'next');
    });

    test("another schedule's row is left alone", async () => {
      const { store, caller, schedule } = await made();
      const other = await stored(store, caller);
      await changed(store, caller, schedule, { status: 'disabled' }, NOON, null);
      assert.equal((await claimOne(store)).schedule.id, other.id);
    });

    test('a row that a manual run blocks stays blocked, moved or made anew', async () => {
      const { store, caller, schedule } = await made();
      await triggered(store, caller, schedule, NOON - SECOND);
      await claimManual(store, NOON - SECOND);
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON, ONE);
      await changed(store, caller, schedule, { status: 'disabled' }, NOON, null);
      await changed(store, caller, schedule, { status: 'enabled' }, NOON, ONE);
      const { begun, blockedSince } = await claimOne(store, NOON + HOUR);
      assert.deepEqual([begun, blockedSince], [false, NOON - SECOND]);
    });
  });

  describe(`${name}: a change that keeps a time that is due`, () => {
    const backend = backendOfEachTest(open);
    const made = async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller);
      const keepsNoon = async () => {
        const { schedules } = backend.store;
        const { version } = (await schedules.find(caller.clientRowId, schedule.id))!;
        const start = { first: NOON, second: NOON + MINUTE };
        const requeue = { changedAt: NOON + 9, start, keptFor: NOON };
        assert.ok(await schedules.update(caller.clientRowId, schedule, version, requeue));
      };
      return { store: backend.store, caller, schedule, keepsNoon };
    };

    test('leaves a row that waits for it as it is', async () => {
      const { store, keepsNoon } = await made();
      const claim = await claimOne(store);
      await settled(store, claim, { ...waiting(NOON, NOON + HOUR), dueAt: NOON + SECOND });
      await keepsNoon();
      assert.equal(await store.queue.nextDueAt(), NOON + SECOND);
      const { scheduledFor, nextFor, changedAt } = await claimOne(store, NOON + SECOND);
      assert.deepEqual([scheduledFor, nextFor, changedAt], [NOON, NOON + HOUR, null]);
    });

    test('counts a row that has gone on anew, from the time that it waits for', async () => {
      const { store, keepsNoon } = await made();
      await settled(store, await claimOne(store), waiting(NOON + MINUTE, NOON + HOUR));
      await keepsNoon();
      const { scheduledFor, nextFor } = await claimOne(store, NOON + MINUTE);
      assert.deepEqual([scheduledFor, nextFor], [NOON + MINUTE, NOON + 2 * MINUTE]);
    });

    test('leaves what another change has marked to that', async () => {
      const { store, caller, schedule, keepsNoon } = await made();
      const { scheduleRowId } = await claimOne(store);
      await changed(store, caller, schedule, {}, NOON + 5, ONE);
      await keepsNoon();
      const [{ changedAt, nextFor }] = (await store.queue.reread([scheduleRowId])) as [ClaimedRow];
      assert.deepEqual([changedAt, nextFor], [NOON + 5, NOON + HOUR]);
    });

    test('marks what was claimed for it: it comes again, if it is not sent', async () => {
      const { store, keepsNoon } = await made();
      const { scheduleRowId } = await claimOne(store);
      await keepsNoon();
      const [{ changedAt, nextFor }] = (await store.queue.reread([scheduleRowId])) as [ClaimedRow];
      assert.deepEqual([changedAt, nextFor], [NOON + 9, NOON]);
    });
  });

  describe(`${name}: the same change, where a run has begun`, () => {
    const backend = backendOfEachTest(open);
    let store: Store;
    let caller: Caller;
    let schedule: Schedule;
    const inFlight = async () => {
      store = backend.store;
      caller = await aClient(store);
      schedule = await stored(store, caller);
      return claimOne(store);
    };
    /** A run that is tried again half an hour later. */
    const betweenAttempts = async () => {
      const claim = await inFlight();
      await settled(store, claim, retrying(claim, NOON + 30 * MINUTE));
      return claim;
    };

    test('the run stays, is marked, and knows where its retries end', async () => {
      await betweenAttempts();
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON + MINUTE, ONE);
      const claim = await claimOne(store, NOON + 30 * MINUTE);
      assert.deepEqual([claim.was, claim.begun, claim.attempt], ['retrying', false, 1]);
      assert.deepEqual([claim.scheduledFor, claim.nextFor], [NOON, NOON + HOUR]);
      assert.equal(claim.changedAt, NOON + MINUTE);
      assert.equal(claim.schedule.interval, '0 * * * *');
    });

    test('it is brought forward to the first of the new times, and never put off', async () => {
      await betweenAttempts();
      const soon = { first: NOON + 10 * MINUTE, second: NOON + 20 * MINUTE };
      await changed(store, caller, schedule, { interval: '*/10 * * * *' }, NOON + MINUTE, soon);
      assert.equal(await store.queue.nextDueAt(), NOON + 10 * MINUTE);
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON + MINUTE, ONE);
      assert.equal(await store.queue.nextDueAt(), NOON + 10 * MINUTE);
    });

    test('disabled or deleted, it is due at once, to be ended', async () => {
      for (const status of ['disabled', 'deleted'] as const) {
        await betweenAttempts();
        await changed(store, caller, schedule, { status }, NOON + MINUTE, null);
        const claim = await claimOne(store, NOON + MINUTE);
        assert.deepEqual([claim.begun, claim.nextFor], [false, null]);
        assert.equal(claim.schedule.status, status);
        await settled(store, claim, null);
      }
    });

    test('disabled and enabled again, it is still the same run', async () => {
      await betweenAttempts();
      await changed(store, caller, schedule, { status: 'disabled' }, NOON + MINUTE, null);
      await changed(store, caller, schedule, { status: 'enabled' }, NOON + 2 * MINUTE, ONE);
      const claim = await claimOne(store, NOON + MINUTE);
      assert.deepEqual([claim.scheduledFor, claim.nextFor], [NOON, NOON + HOUR]);
      assert.equal(claim.changedAt, NOON + 2 * MINUTE);
    });

    test('in flight, its end must be decided again: the old claim settles nothing', async () => {
      const claim = await inFlight();
      await changed(store, caller, schedule, { status: 'disabled' }, NOON + SECOND, null);
      const late = settlementOf(claim, waiting(NOON + MINUTE, NOON + 2 * MINUTE));
      assert.deepEqual(await store.queue.settle([late]), [claim.scheduleRowId]);
      const [standing] = await store.queue.reread([claim.scheduleRowId]);
      assert.deepEqual(
        [standing!.scheduledFor, standing!.attempt, standing!.nextFor, standing!.changedAt],
        [NOON, 1, null, NOON + SECOND],
      );
      assert.equal(standing!.schedule.status, 'disabled');
      await settled(store, { ...claim, ...standing }, null);
      assert.deepEqual(await store.queue.reread([claim.scheduleRowId]), []);
    });

    test('in flight, the times that came before are skipped, until the claim comes back unsent', async () => {
      const claim = await inFlight();
      const other = await stored(store, caller);
      const { scheduleRowId } = await claimOne(store);
      const later = NOON + 2 * MINUTE + SECOND;
      for (const id of [schedule.id, other.id]) {
        const { schedule: found } = (await store.schedules.find(caller.clientRowId, id))!;
        await changed(store, caller, found, { status: 'disabled' }, later, null);
      }
      const skipped = async () => {
        const runs = await store.runs.list(caller.clientRowId, { status: 'skipped' }, 10);
        return runs.map(({ scheduleId, scheduledFor }) => [scheduleId, scheduledFor - NOON]);
      };
      const timesOf = ({ id }: Schedule) => [2 * MINUTE, MINUTE].map(at => [id, at]);
      const byTime = (a: unknown[], b: unknown[]) => `${a}`.localeCompare(`${b}`);
      const both = [...timesOf(schedule), ...timesOf(other)].sort(byTime);
      assert.deepEqual((await skipped()).sort(byTime), both);
      await store.queue.forgetSkipped([claim]);
      assert.deepEqual(await skipped(), timesOf(other));
      await store.queue.forgetSkipped([{ scheduleRowId, scheduledFor: NOON + 1 }]);
      assert.deepEqual(await skipped(), timesOf(other), 'of another run');
    });

    test('two changes within one millisecond are two: what was read between them settles nothing', async () => {
      const claim = await inFlight();
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON, ONE);
      const [between] = await store.queue.reread([claim.scheduleRowId]);
      await changed(store, caller, schedule, { status: 'disabled' }, NOON, null);
      const stale: Claim = { ...claim, ...between! };
      const settlement = settlementOf(stale, waiting(NOON + HOUR, null));
      assert.deepEqual(await store.queue.settle([settlement]), [claim.scheduleRowId]);
    });

    test('a change before the retry was decided about is not forgotten, whatever comes in between', async () => {
      await betweenAttempts();
      await changed(store, caller, schedule, { status: 'disabled' }, NOON + MINUTE, null);
      const claim = await claimOne(store, NOON + MINUTE);
      await store.queue.recover(NOON + 2 * MINUTE);
      assert.equal((await claimOne(store, NOON + 2 * MINUTE)).changedAt, claim.changedAt);
    });

    test('once settled, the row is marked no more', async () => {
      await betweenAttempts();
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON + MINUTE, ONE);
      const claim = await claimOne(store, NOON + 30 * MINUTE);
      await settled(store, claim, waiting(NOON + HOUR, NOON + 2 * HOUR));
      const next = await claimOne(store, NOON + HOUR);
      assert.deepEqual([next.changedAt, next.begun], [null, true]);
    });

    test('a row taken and not begun keeps the mark over a crash, until another change moves it', async () => {
      store = backend.store;
      caller = await aClient(store);
      schedule = await stored(store, caller);
      await claimOne(store, NOON + SECOND, NOON + SECOND);
      await changed(store, caller, schedule, { interval: '0 * * * *' }, NOON + SECOND, ONE);
      await store.queue.recover(NOON + 2 * SECOND);
      const marked = await claimOne(store, NOON + HOUR);
      assert.deepEqual(
        [marked.was, marked.begun, marked.changedAt, marked.nextFor],
        ['waiting', false, NOON + SECOND, NOON + HOUR],
      );
      await store.queue.recover(NOON + 3 * SECOND);
      const two = { first: NOON + 2 * HOUR, second: null };
      await changed(store, caller, schedule, { interval: '0 14 * * *' }, NOON + 3 * SECOND, two);
      const moved = await claimOne(store, NOON + 2 * HOUR);
      assert.deepEqual([moved.changedAt, moved.scheduledFor], [null, NOON + 2 * HOUR]);
    });
  });

  describe(`${name}: a delete brings the manual runs of its schedule forward`, () => {
    const backend = backendOfEachTest(open);

    for (const [status, dueAt] of [
      ['deleted', NOON + SECOND],
      ['disabled', NOON + HOUR],
    ] as const) {
      test(`${status}: one that waits for its retry is due ${status === 'deleted' ? 'at once' : 'when it was'}`, async () => {
        const { store } = backend;
        const caller = await aClient(store);
        const schedule = await stored(store, caller, {}, null);
        await triggered(store, caller, schedule);
        const retry = outboxSettlementOf(await claimManual(store), { dueAt: NOON + HOUR });
        await store.outbox.settle([retry]);
        await changed(store, caller, schedule, { status }, NOON + SECOND, null);
        assert.equal(await store.outbox.nextDueAt(), dueAt);
        assert.equal((await claimManual(store, dueAt)).schedule.status, status);
      });
    }

    test('one that is due already stays due as it was', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await triggered(store, caller, schedule);
      await changed(store, caller, schedule, { status: 'deleted' }, NOON + SECOND, null);
      assert.equal(await store.outbox.nextDueAt(), NOON);
    });
  });
}
