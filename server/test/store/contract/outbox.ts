import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { CallbackClaim, NewCallback, OutboxClaim } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { MOST_MANUAL_RUNS } from '../../../src/store/manual-runs.ts';
import {
  aCallback,
  aClient,
  anAttempt,
  anId,
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
  settled,
  sideBySide,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const ids = (claims: OutboxClaim[]) => claims.map(({ id }) => id);

/** Callbacks enter the outbox with the end of a run. */
async function calledBack(store: Store, caller: Caller, ...callbacks: Partial<NewCallback>[]) {
  const schedule = await stored(store, caller);
  const run = aRecord(schedule.id, NOON, { status: 'failed' });
  const made = callbacks.map(fields => aCallback(run.id, fields));
  const parts = { records: [run], callbacks: made };
  await settled(store, await claimOne(store), null, parts);
  return { schedule, run, made };
}

export function outboxContract(name: string, open: OpenBackend): void {
  describe(`${name}: callbacks are sent`, () => {
    const backend = backendOfEachTest(open);

    test('the claim tells all that is needed to send one', async () => {
      const caller = await aClient(backend.store, 'acme');
      const body = '{"label":"🦊\u2028"}';
      const { run, made } = await calledBack(backend.store, caller, { body });
      const [claim] = await backend.store.outbox.claim(NOON + 7, 10);
      const { scheduleRowId, ...told } = claim as CallbackClaim;
      const { dueAt: _, ...callback } = made[0]!;
      assert.deepEqual(told, {
        ...callback,
        kind: 'callback',
        clientId: caller.clientId,
        runId: run.id,
        clientRowId: caller.clientRowId,
        claimedAt: NOON + 7,
        attempt: 1,
        attempts: [],
        signingSecret: 'whsec_acme',
      });
      assert.equal(typeof scheduleRowId, 'number');
    });

    test('earliest first, up to the limit, not before they are due, and never twice', async () => {
      const { outbox } = backend.store;
      const dues = [30, 10, 40, 20].map(ms => ({ dueAt: NOON + ms }));
      const { made } = await calledBack(backend.store, await aClient(backend.store), ...dues);
      const [c30, c10, c40, c20] = made.map(({ id }) => id);
      assert.deepEqual(await outbox.claim(NOON + 9, 10), []);
      assert.deepEqual(ids(await outbox.claim(NOON + 30, 2)), [c10, c20]);
      assert.deepEqual(ids(await outbox.claim(NOON + 30, 10)), [c30]);
      assert.deepEqual(ids(await outbox.claim(NOON + 40, 10)), [c40]);
      assert.deepEqual(await outbox.claim(NOON + MINUTE, 10), []);
    });

    test('callers at the same moment share no entry, and leave none', async () => {
      const { outbox } = backend.store;
      const many = Array.from({ length: 30 }, () => ({}));
      await calledBack(backend.store, await aClient(backend.store), ...many);
      const claims = await Promise.all([1, 2, 3, 4].map(() => outbox.claim(NOON, 10)));
      assert.equal(new Set(ids(claims.flat())).size, 30);
      assert.equal(claims.flat().length, 30);
    });

    test('a retry is due when it says, under the same id, with the next number and what is known', async () => {
      const { outbox } = backend.store;
      const { made } = await calledBack(backend.store, await aClient(backend.store), {});
      const [first] = await outbox.claim(NOON, 10);
      const retry = outboxSettlementOf(first!, { dueAt: NOON + 5 * SECOND });
      assert.deepEqual(await outbox.settle([retry]), []);
      assert.equal(await outbox.nextDueAt(), NOON + 5 * SECOND);
      const [second] = (await outbox.claim(NOON + 5 * SECOND, 10)) as CallbackClaim[];
      assert.deepEqual([second!.id, second!.attempt], [made[0]!.id, 2]);
      assert.deepEqual([second!.body, second!.attempts], [made[0]!.body, [anAttempt()]]);
    });

    test('what is renewed is as it was, and what is not in flight is no error', async () => {
      const { outbox } = backend.store;
      await calledBack(backend.store, await aClient(backend.store), {});
      const [claim] = await outbox.claim(NOON, 10);
      await outbox.renew([]);
      await outbox.renew([claim!.id, anId()]);
      assert.deepEqual(await outbox.claim(NOON + MINUTE, 10), []);
      assert.deepEqual(await outbox.settle([outboxSettlementOf(claim!, 'failed')]), []);
      await outbox.renew([claim!.id]);
      assert.deepEqual(await outbox.claim(NOON + MINUTE, 10), []);
    });

    test('an attempt that was never started is taken back, and its number comes again', async () => {
      const { outbox } = backend.store;
      await calledBack(backend.store, await aClient(backend.store), {});
      const [first] = await outbox.claim(NOON, 10);
      await outbox.settle([outboxSettlementOf(first!, { dueAt: NOON }, { attempts: [] })]);
      const [again] = await outbox.claim(NOON, 10);
      assert.deepEqual([again!.attempt, again!.attempts], [1, []]);
    });

    for (const end of ['succeeded', 'failed'] as const) {
      test(`one that has ${end} is sent no more, and stays for history`, async () => {
        const { store } = backend;
        const caller = await aClient(store);
        const { run, made } = await calledBack(store, caller, {});
        const [claim] = await store.outbox.claim(NOON, 10);
        assert.deepEqual(await store.outbox.settle([outboxSettlementOf(claim!, end)]), []);
        assert.deepEqual(await store.outbox.claim(NOON + MINUTE, 10), []);
        assert.equal(await store.outbox.nextDueAt(), null);
        assert.equal(await store.outbox.recover(NOON), 0);
        const { id, integrationId, url } = made[0]!;
        assert.deepEqual(await store.runs.callbacks(caller.clientRowId, run.id), [
          { id, integrationId, url, status: end, attempts: [anAttempt()] },
        ]);
      });
    }

    test('what waits is counted, what is in flight or ended is not', async () => {
      const { outbox } = backend.store;
      await calledBack(backend.store, await aClient(backend.store), {}, {}, { dueAt: NOON + 9 });
      assert.deepEqual([await outbox.depth(), await outbox.nextDueAt()], [3, NOON]);
      const [claim] = await outbox.claim(NOON, 1);
      assert.equal(await outbox.depth(), 2);
      await outbox.settle([outboxSettlementOf(claim!, 'succeeded')]);
      await outbox.claim(NOON, 1);
      assert.deepEqual([await outbox.depth(), await outbox.nextDueAt()], [1, NOON + 9]);
    });
  });

  describe(`${name}: a manual run takes its turn`, () => {
    const backend = backendOfEachTest(open);
    const made = async (fields: Partial<Schedule> = {}) => {
      const { store } = backend;
      const caller = await aClient(store);
      return { store, caller, schedule: await stored(store, caller, fields) };
    };
    const none = async (store: Store) => assert.deepEqual(await store.outbox.claim(NOON, 10), []);

    test('it is due at once, and its claim tells all that is needed to send it', async () => {
      const { store, caller, schedule } = await made();
      const id = await triggered(store, caller, schedule, NOON);
      assert.equal(await store.outbox.nextDueAt(), NOON);
      const { scheduleRowId: _, ...claim } = await claimManual(store, NOON + 7);
      const { clientRowId, clientId } = caller;
      assert.deepEqual(claim, {
        id,
        kind: 'manual',
        clientRowId,
        claimedAt: NOON + 7,
        attempt: 1,
        attempts: [],
        fence: NOON + 7,
        trigger: 'manual',
        isDropped: false,
        version: 1,
        scheduledFor: NOON,
        schedule: { ...schedule, clientId, signingSecret: 'whsec_client' },
      });
    });

    test('not of an unknown schedule, nor of another client, nor of a deleted one', async () => {
      const { store, caller, schedule } = await made();
      const other = await aClient(store);
      const deleted = await stored(store, caller, { status: 'deleted' }, null);
      const insert = (clientRowId: number, id: string) =>
        store.outbox.insertManual(clientRowId, id, { id: anId(), scheduledFor: NOON });
      assert.equal(await insert(caller.clientRowId, anId()), 'unknown');
      assert.equal(await insert(other.clientRowId, schedule.id), 'unknown');
      assert.equal(await insert(caller.clientRowId, deleted.id), 'unknown');
      assert.equal(await store.outbox.depth(), 0);
    });

    test('a client has a thousand that have not ended, and no more; others have theirs', async () => {
      const { store, caller, schedule } = await made();
      const runs = Array.from({ length: MOST_MANUAL_RUNS }, (_, index) => index);
      await sideBySide(runs, () => triggered(store, caller, schedule));
      const one = () => triggered(store, caller, schedule);
      await assert.rejects(one, { code: 'too_many_waiting' });
      const claim = await claimManual(store);
      await assert.rejects(one, { code: 'too_many_waiting' });
      await store.outbox.settle([outboxSettlementOf(claim, 'succeeded')]);
      await one();
      await assert.rejects(one, { code: 'too_many_waiting' });
      const other = await aClient(store);
      await triggered(store, other, await stored(store, other));
      assert.equal(await store.outbox.depth(), MOST_MANUAL_RUNS + 1);
    });

    test('of a disabled one too', async () => {
      const { store, caller, schedule } = await made({ status: 'disabled' });
      await triggered(store, caller, schedule);
      assert.equal((await claimManual(store)).schedule.status, 'disabled');
    });

    test('it goes with the schedule as it stands when it is taken', async () => {
      const { store, caller, schedule } = await made();
      await triggered(store, caller, schedule);
      await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
      assert.equal((await claimManual(store)).schedule.status, 'deleted');
    });

    test('it waits while a request of its schedule is in flight, and no longer', async () => {
      const { store, caller, schedule } = await made();
      const claim = await claimOne(store);
      await triggered(store, caller, schedule);
      await none(store);
      await settled(store, claim, retrying(claim, NOON + SECOND));
      await claimManual(store);
    });

    test('it waits for another manual run of its schedule: of two in one claim one is taken, the earlier', async () => {
      const { store, caller, schedule } = await made();
      const second = await triggered(store, caller, schedule, NOON);
      const first = await triggered(store, caller, schedule, NOON - 1);
      const claim = await claimManual(store);
      assert.equal(claim.id, first);
      await none(store);
      await store.outbox.settle([outboxSettlementOf(claim, 'succeeded')]);
      assert.equal((await claimManual(store)).id, second);
    });

    for (const [what, claim] of [
      ['its time', claimOne],
      ['another manual run', claimManual],
    ] as const) {
      test(`one that waits for ${what} holds up nobody else, however few are asked for`, async () => {
        const { store, caller, schedule } = await made();
        if (claim === claimManual) await triggered(store, caller, schedule, NOON - 2);
        await claim(store);
        // Earlier than the one in flight, as by a clock that was set back.
        await triggered(store, caller, schedule, NOON - 3);
        const other = await stored(store, caller);
        const id = await triggered(store, caller, other);
        const claims = await store.outbox.claim(NOON, 1);
        assert.deepEqual(
          claims.map(each => each.id),
          [id],
        );
      });
    }

    test('those that wait for an earlier one of their schedule hold up nobody else either', async () => {
      const { store, caller, schedule } = await made();
      const first = await triggered(store, caller, schedule, NOON - 5);
      for (const at of [NOON - 4, NOON - 3]) await triggered(store, caller, schedule, at);
      const other = await stored(store, caller);
      const id = await triggered(store, caller, other);
      const claims = await store.outbox.claim(NOON, 2);
      assert.deepEqual(
        claims.map(each => each.id),
        [first, id],
      );
    });

    test('one whose schedule was deleted while its request was in flight is due at once, to be ended', async () => {
      const { store, caller, schedule } = await made();
      await triggered(store, caller, schedule, NOON - SECOND);
      const manual = await claimManual(store, NOON - 7);
      await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
      await store.outbox.settle([outboxSettlementOf(manual, { dueAt: NOON + MINUTE })]);
      assert.equal(await store.outbox.nextDueAt(), NOON - 7);
      const { schedule: claimed, attempts } = await claimManual(store);
      assert.deepEqual([claimed.status, attempts.length], ['deleted', 1]);
    });

    for (const end of ['succeeded', 'failed', { dueAt: NOON + MINUTE }] as const) {
      const what = typeof end === 'string' ? end : 'is to be retried';
      test(`its claim blocks the schedule's row until it ${what}`, async () => {
        const { store, caller, schedule } = await made();
        await triggered(store, caller, schedule, NOON - SECOND);
        const manual = await claimManual(store, NOON - 7);
        const blocked = await claimOne(store);
        assert.deepEqual([blocked.begun, blocked.blockedSince], [false, NOON - 7]);
        await settled(store, blocked, waiting(NOON, NOON + MINUTE));
        await store.outbox.settle([outboxSettlementOf(manual, end)]);
        const free = await claimOne(store);
        assert.deepEqual([free.begun, free.blockedSince], [true, null]);
      });
    }

    test('its end makes a retry due that was looked at in the millisecond in which it began', async () => {
      const { store, caller, schedule } = await made();
      const first = await claimOne(store);
      await settled(store, first, retrying(first, NOON + SECOND));
      await triggered(store, caller, schedule, NOON + SECOND);
      const manual = await claimManual(store, NOON + SECOND);
      const blocked = await claimOne(store, NOON + SECOND);
      assert.equal(blocked.blockedSince, NOON + SECOND);
      await settled(store, blocked, retrying(first, NOON + SECOND + 250));
      await store.outbox.settle([outboxSettlementOf(manual, 'succeeded')]);
      const free = await claimOne(store, NOON + SECOND + 1);
      assert.deepEqual([free.begun, free.attempt], [true, 2]);
    });

    test("it blocks no other schedule's row", async () => {
      const { store, caller, schedule } = await made({ status: 'disabled' });
      await settled(store, await claimOne(store), null);
      await stored(store, caller);
      await triggered(store, caller, schedule);
      await claimManual(store);
      assert.equal((await claimOne(store)).begun, true);
    });

    test('its end, its record and its callbacks are one write, and it leaves the outbox', async () => {
      const { store, caller, schedule } = await made();
      const id = await triggered(store, caller, schedule);
      const record = aRecord(schedule.id, NOON, { id, trigger: 'manual', status: 'failed' });
      const callbacks = [aCallback(id)];
      const end = outboxSettlementOf(await claimManual(store), 'failed', { record, callbacks });
      assert.deepEqual(await store.outbox.settle([end]), []);
      const view = { ...record, scheduleId: schedule.id };
      assert.deepEqual(await store.runs.find(caller.clientRowId, id), view);
      assert.deepEqual(ids(await store.outbox.claim(NOON, 10)), [callbacks[0]!.id]);
      assert.equal((await store.runs.callbacks(caller.clientRowId, id)).length, 1);
    });
  });

  describe(`${name}: the fence of the outbox`, () => {
    const backend = backendOfEachTest(open);

    test('a settlement of another attempt, or of another claim, is named, and changes nothing', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const id = await triggered(store, caller, schedule);
      const claim = await claimManual(store);
      const record = aRecord(schedule.id, NOON, { id });
      const parts = { record, callbacks: [aCallback(id)] };
      for (const other of [{ attempt: 0 }, { attempt: 2 }, { claimedAt: NOON - 1 }]) {
        for (const next of ['succeeded', { dueAt: NOON }] as const) {
          const late = outboxSettlementOf(claim, next, { ...parts, ...other });
          assert.deepEqual(await store.outbox.settle([late]), [id]);
        }
      }
      assert.equal((await store.runs.find(caller.clientRowId, id))!.status, 'running');
      assert.equal(await store.outbox.depth(), 0);
      assert.equal((await claimOne(store)).blockedSince, NOON, 'it still blocks its row');
      assert.deepEqual(await store.outbox.settle([outboxSettlementOf(claim, 'failed')]), []);
    });

    test('what is settled cannot be settled again, and of a batch only that is named', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await calledBack(store, caller, {}, {}, {});
      const claims = await store.outbox.claim(NOON, 10);
      const end = claims.map(claim => outboxSettlementOf(claim, 'succeeded'));
      assert.deepEqual(await store.outbox.settle([end[1]!]), []);
      const late = end.map(settlement => ({ ...settlement, next: 'failed' as const }));
      assert.deepEqual(await store.outbox.settle(late), [claims[1]!.id]);
      const [{ runId }] = claims as [CallbackClaim];
      const views = await store.runs.callbacks(caller.clientRowId, runId);
      assert.deepEqual(
        views.map(({ status }) => status),
        ['failed', 'succeeded', 'failed'],
      );
    });
  });
}
