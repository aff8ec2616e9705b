import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, Settlement } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aCallback,
  aClient,
  anAttempt,
  aRecord,
  backendOfEachTest,
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

export function settleContract(name: string, open: OpenBackend): void {
  describe(`${name}: a claimed row is settled`, () => {
    const backend = backendOfEachTest(open);
    const claimed = async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller);
      return { caller, schedule, claim: await claimOne(backend.store) };
    };

    test('to its next time: it waits for it as if nothing had been', async () => {
      const { claim } = await claimed();
      await settled(backend.store, claim, waiting(NOON + MINUTE, NOON + 2 * MINUTE));
      assert.equal(await backend.store.queue.nextDueAt(), NOON + MINUTE);
      const next = await claimOne(backend.store, NOON + MINUTE);
      assert.deepEqual([next.was, next.begun, next.attempt], ['waiting', true, 1]);
      assert.deepEqual([next.scheduledFor, next.nextFor], [NOON + MINUTE, NOON + 2 * MINUTE]);
      assert.deepEqual(next.attempts, []);
    });

    test('to a retry: its attempts come back exactly as they were', async () => {
      const { claim } = await claimed();
      const attempts = [
        anAttempt(1, { outcome: 'timeout', error: 'No answer “within” 30 s\u2028.' }),
        anAttempt(2, {
          phases: { dnsMs: 0.25, connectMs: 1 },
          responseHeaders: { 'set-cookie': 'a=1, b=2' },
          responseBody: '\u0001🦊'.repeat(1_000),
        }),
      ];
      const row = { ...retrying(claim, NOON + 5 * SECOND), attempt: 2, attempts };
      await settled(backend.store, claim, row);
      const next = await claimOne(backend.store, NOON + 5 * SECOND);
      assert.deepEqual([next.attempt, next.attempts], [3, attempts]);
    });

    test('to null: the schedule fires no more', async () => {
      const { claim } = await claimed();
      await settled(backend.store, claim, null);
      assert.equal(await backend.store.queue.nextDueAt(), null);
      assert.deepEqual(await backend.store.queue.reread([claim.scheduleRowId]), []);
    });

    test('to in flight, where the engine decided to send it: it stays taken, under its new state', async () => {
      const { store } = backend;
      await stored(store, await aClient(store));
      const late = NOON + 3 * MINUTE + SECOND;
      const claim = await claimOne(store, late, late);
      const [scheduledFor, nextFor] = [NOON + 3 * MINUTE, NOON + 4 * MINUTE];
      const begun = { ...claim, scheduledFor, nextFor, attempt: 1, state: 'inFlight' as const };
      await settled(store, claim, begun);
      assert.deepEqual((await store.queue.claim(NOON + 9 * MINUTE, 10, SEEN)).claims, []);
      const [standing] = await store.queue.reread([claim.scheduleRowId]);
      assert.deepEqual([standing!.scheduledFor, standing!.attempt], [scheduledFor, 1]);
      await settled(store, begun, waiting(nextFor, null));
    });

    test('a row that a manual run blocks stays blocked until that is settled', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await triggered(store, caller, schedule, NOON - SECOND);
      const manual = await claimManual(store, NOON - SECOND);
      const blocked = await claimOne(store);
      await settled(store, blocked, waiting(NOON, NOON + MINUTE));
      const again = await claimOne(store, NOON + 1);
      assert.equal(again.blockedSince, NOON - SECOND);
      await settled(store, again, waiting(NOON, NOON + MINUTE));
      await store.outbox.settle([outboxSettlementOf(manual, 'succeeded')]);
      const free = await claimOne(store, NOON + 2);
      assert.deepEqual([free.blockedSince, free.begun], [null, true]);
    });

    test("the run's end, its callbacks and the row's next state are one write", async () => {
      const { caller, schedule, claim } = await claimed();
      const { store } = backend;
      const record = aRecord(schedule.id, NOON, { status: 'failed' });
      const callbacks = [aCallback(record.id), aCallback(record.id, { url: 'https://b.example/' })];
      const row = waiting(NOON + MINUTE, null);
      await settled(store, claim, row, { records: [record], callbacks });
      const { runs } = await backend.reopen();
      const { id, ...shown } = record;
      const view = { ...shown, id, scheduleId: schedule.id };
      assert.deepEqual(await runs.find(caller.clientRowId, id), view);
      assert.deepEqual(
        await runs.callbacks(caller.clientRowId, id),
        callbacks.map(({ id, integrationId, url }) => ({
          id,
          integrationId,
          url,
          status: 'queued',
          attempts: [],
        })),
      );
      assert.equal(await backend.store.outbox.nextDueAt(), NOON);
      assert.equal(await backend.store.queue.nextDueAt(), NOON + MINUTE);
    });

    test('all or nothing: where a part cannot be written, nothing is', async () => {
      const { caller, schedule, claim } = await claimed();
      const { store } = backend;
      const record = aRecord(schedule.id, NOON);
      const callback = aCallback(record.id);
      const parts = { records: [record], callbacks: [callback, callback] };
      await assert.rejects(store.queue.settle([settlementOf(claim, null, parts)]));
      assert.deepEqual(await store.runs.callbacks(caller.clientRowId, record.id), []);
      assert.equal((await store.runs.find(caller.clientRowId, record.id))!.status, 'running');
      assert.equal(await store.outbox.depth(), 0);
      await settled(store, claim, null, { records: [record] });
    });

    test('one id is one run: what comes a second time keeps the first', async () => {
      const { caller, schedule, claim } = await claimed();
      const { store } = backend;
      const first = aRecord(schedule.id, NOON, { status: 'failed' });
      await settled(store, claim, waiting(NOON, NOON + MINUTE), { records: [first, first] });
      const others = [
        aRecord(schedule.id, NOON),
        aRecord(schedule.id, NOON, { status: 'failed', finishedAt: NOON + MINUTE }),
      ];
      for (const other of others) {
        const again = await claimOne(store);
        await settled(store, again, waiting(NOON, NOON + MINUTE), { records: [other] });
      }
      const runs = await store.runs.list(caller.clientRowId, {}, 10);
      assert.deepEqual(
        runs.map(({ status, finishedAt }) => [status, finishedAt]),
        [['failed', first.finishedAt]],
      );
    });

    test('nothing to settle is no error', async () => {
      assert.deepEqual(await backend.store.queue.settle([]), []);
    });
  });

  describe(`${name}: the fence`, () => {
    const backend = backendOfEachTest(open);

    /** The end of a claim, with all that would be written with it. */
    const endOf = (claim: Claim, fence: Partial<Settlement['fence']> = {}): Settlement => {
      const record = aRecord(claim.schedule.id, NOON);
      const parts = { records: [record], callbacks: [aCallback(record.id)] };
      const settlement = settlementOf(claim, waiting(NOON + MINUTE, null), parts);
      return { ...settlement, fence: { ...settlement.fence, ...fence } };
    };
    const assertNothingChanged = async (store: Store, claim: Claim, settlement: Settlement) => {
      const before = await store.queue.reread([claim.scheduleRowId]);
      const dueAt = await store.queue.nextDueAt();
      assert.deepEqual(await store.queue.settle([settlement]), [claim.scheduleRowId]);
      assert.deepEqual(await store.queue.reread([claim.scheduleRowId]), before);
      assert.equal(await store.queue.nextDueAt(), dueAt);
      assert.deepEqual(await store.runs.list(claim.clientRowId, { status: 'succeeded' }, 9), []);
      assert.equal(await store.outbox.depth(), 0);
    };

    const stale: [string, (claim: Claim) => Partial<Settlement['fence']>][] = [
      ['another nominal time', () => ({ scheduledFor: NOON - MINUTE })],
      ['an attempt before', ({ attempt }) => ({ attempt: attempt - 1 })],
      ['an attempt after', ({ attempt }) => ({ attempt: attempt + 1 })],
      ['an earlier claim', ({ fence }) => ({ number: fence - 1 })],
      ['a change that is not there', () => ({ changedAt: NOON })],
    ];
    for (const [what, fence] of stale) {
      for (const end of ['moves on', 'fires no more'] as const) {
        test(`${what}: the claim is named and nothing is changed, where the row ${end}`, async () => {
          const { store } = backend;
          await stored(store, await aClient(store));
          const claim = await claimOne(store);
          const settlement = endOf(claim, fence(claim));
          if (end === 'fires no more') settlement.row = null;
          await assertNothingChanged(store, claim, settlement);
          await settled(store, claim, null);
        });
      }
    }

    test('what is settled cannot be settled again', async () => {
      const { store } = backend;
      await stored(store, await aClient(store));
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + SECOND));
      await assertNothingChanged(store, claim, endOf(claim));
      await assertNothingChanged(store, claim, { ...endOf(claim), row: null });
    });

    test('nor twice in one call: the first counts', async () => {
      const { store } = backend;
      await stored(store, await aClient(store));
      const claim = await claimOne(store);
      const [first, second] = [NOON + MINUTE, NOON + 2 * MINUTE];
      const twice = [first, second].map(at => settlementOf(claim, waiting(at, null)));
      assert.deepEqual(await store.queue.settle(twice), [claim.scheduleRowId]);
      assert.equal(await store.queue.nextDueAt(), first);
    });

    test('a claim of the attempt before does not reach the attempt that is in flight', async () => {
      const { store } = backend;
      await stored(store, await aClient(store));
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + SECOND));
      await claimOne(store, NOON + SECOND);
      await assertNothingChanged(store, claim, endOf(claim));
    });

    test('a claim that was given back does not reach the next one of the same attempt', async () => {
      const { store } = backend;
      await stored(store, await aClient(store));
      const first = await claimOne(store);
      const back = waiting(NOON, NOON + MINUTE);
      await settled(store, first, back);
      const again = await claimOne(store);
      assert.equal(again.attempt, first.attempt);
      await assertNothingChanged(store, first, settlementOf(first, back));
      await settled(store, again, null);
    });

    test('a row that is gone is named as well', async () => {
      const { store } = backend;
      await stored(store, await aClient(store));
      const claim = await claimOne(store);
      await settled(store, claim, null);
      await assertNothingChanged(store, claim, endOf(claim));
    });

    test('of a batch only what was overtaken is named, and all the rest is settled', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      for (let i = 0; i < 5; i += 1) await stored(store, caller);
      const { claims } = await store.queue.claim(NOON, 10, SEEN);
      const overtaken = [claims[1]!, claims[3]!];
      const settlements = claims.map(claim =>
        endOf(claim, overtaken.includes(claim) ? { attempt: 9 } : {}),
      );
      assert.deepEqual(
        (await store.queue.settle(settlements)).toSorted(),
        overtaken.map(({ scheduleRowId }) => scheduleRowId).toSorted(),
      );
      assert.equal(await store.queue.depth(NOON + MINUTE), 3);
      assert.equal(await store.outbox.depth(), 3);
      const runs = await store.runs.list(caller.clientRowId, { status: 'succeeded' }, 9);
      assert.equal(runs.length, 3);
    });
  });
}
