import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runId } from '../../../src/domain/id.ts';
import type { Claim } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anAttempt,
  anId,
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
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const BEFORE = NOON - 700;

export function aheadContract(name: string, open: OpenBackend): void {
  describe(`${name}: what is due soon is claimed ahead`, () => {
    const backend = backendOfEachTest(open);
    const made = async () => {
      const { store } = backend;
      const caller = await aClient(store);
      return { store, caller, schedule: await stored(store, caller) };
    };
    const ahead = (store: Store, now = BEFORE, aheadMs = SECOND) =>
      store.queue.claim(now, 100, SEEN, aheadMs).then(({ claims }) => claims);
    const oneAhead = async (store: Store, now = BEFORE): Promise<Claim> => {
      const claims = await ahead(store, now);
      assert.equal(claims.length, 1);
      return claims[0]!;
    };

    test('as far as was asked and no further, begun, and not twice', async () => {
      const { store } = await made();
      assert.deepEqual(await ahead(store, BEFORE, 699), []);
      const [claim] = await ahead(store, BEFORE, 700);
      const { begun, was, attempt, dueAt, claimedAt } = claim!;
      assert.deepEqual([begun, was, attempt], [true, 'waiting', 1]);
      assert.deepEqual([dueAt, claimedAt], [NOON, BEFORE]);
      assert.deepEqual(await ahead(store, NOON), []);
    });

    test('what is due comes first', async () => {
      const { store, caller, schedule } = await made();
      const first = BEFORE - 1;
      const earlier = await stored(store, caller, {}, { first, second: first + MINUTE });
      const ids = async () =>
        (await store.queue.claim(BEFORE, 1, SEEN, SECOND)).claims.map(
          ({ schedule: claimed }) => claimed.id,
        );
      assert.deepEqual([await ids(), await ids()], [[earlier.id], [schedule.id]]);
    });

    test('its next time counts from its own, not from the claim', async () => {
      const { store, caller } = await made();
      const every = { first: NOON, second: NOON + 1 };
      await stored(store, caller, {}, every);
      const { length } = (await ahead(store)).filter(({ begun }) => begun);
      assert.equal(length, 2);
    });

    test('not where its next time comes before it is due', async () => {
      const { store } = await made();
      const claim = await claimOne(store);
      const late = { ...waiting(NOON, NOON + SECOND), dueAt: NOON + 2 * SECOND };
      await settled(store, claim, late);
      assert.deepEqual(await ahead(store, NOON + 999, 1_001), []);
      assert.deepEqual(await ahead(store, NOON + 1_500), []);
      assert.equal((await claimOne(store, NOON + 2 * SECOND)).begun, false);
    });

    test('not what may have passed unseen, by a clock that was set back', async () => {
      const { store } = await made();
      assert.deepEqual((await store.queue.claim(BEFORE, 9, NOON + 1, SECOND)).claims, []);
      assert.equal((await claimOne(store, NOON, NOON + 1)).begun, false);
    });

    test('a retry too', async () => {
      const { store } = await made();
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + 5 * SECOND));
      const { was, attempt } = await oneAhead(store, NOON + 4_500);
      assert.deepEqual([was, attempt], ['retrying', 2]);
    });

    test('not while a manual run of its schedule waits or is in flight', async () => {
      const { store, caller, schedule } = await made();
      await triggered(store, caller, schedule, BEFORE);
      assert.deepEqual(await ahead(store), []);
      const manual = await claimManual(store, BEFORE);
      assert.deepEqual(await ahead(store), []);
      await store.outbox.settle([outboxSettlementOf(manual, 'succeeded')]);
      assert.equal((await oneAhead(store)).begun, true);
    });

    test('of another schedule, a manual run changes nothing', async () => {
      const { store, caller } = await made();
      const other = await stored(store, caller, {}, null);
      await triggered(store, caller, other, BEFORE);
      await oneAhead(store);
    });

    test('of other clients than those excepted, whatever stands before theirs', async () => {
      const { store, caller } = await made();
      for (let i = 0; i < 5; i++) await stored(store, caller);
      const other = await aClient(store, 'other');
      const theirs = await stored(store, other);
      const ids = async (except: number[]) =>
        (await store.queue.claim(BEFORE, 100, SEEN, SECOND, except)).claims.map(
          ({ schedule: claimed }) => claimed.id,
        );
      assert.deepEqual(await ids([caller.clientRowId, other.clientRowId]), []);
      assert.deepEqual(await ids([caller.clientRowId]), [theirs.id]);
      assert.equal((await ids([other.clientRowId])).length, 6);
    });

    test('of other clients than those excepted, what is due already too, begun or not', async () => {
      const { store, caller } = await made();
      const other = await aClient(store, 'other');
      const blocked = await stored(store, other);
      await triggered(store, other, blocked, BEFORE);
      await claimManual(store, BEFORE);
      const { claims } = await store.queue.claim(NOON + 1, 9, SEEN, SECOND, [caller.clientRowId]);
      assert.deepEqual(
        claims.map(({ schedule: claimed, begun }) => [claimed.id, begun]),
        [[blocked.id, false]],
      );
    });

    test('given back, it waits for its time as before', async () => {
      const { store } = await made();
      const claim = await oneAhead(store);
      await settled(store, claim, waiting(NOON, NOON + MINUTE));
      assert.equal(await store.queue.nextDueAt(), NOON);
      assert.equal((await claimOne(store)).attempt, 1);
    });

    test('it is confirmed while it stands as it was claimed', async () => {
      const { store } = await made();
      const claim = await oneAhead(store);
      assert.deepEqual(await store.queue.confirm([claim]), [claim.scheduleRowId]);
      assert.deepEqual(await store.queue.confirm([]), []);
    });

    test('it does not show as a run before its time', async () => {
      const { store, caller, schedule } = await made();
      await oneAhead(store);
      const id = runId(schedule.id, NOON);
      const { clientRowId } = caller;
      const seen = async (now: number) => [
        ...(await store.runs.list(clientRowId, { now }, 10)).map(({ status }) => status),
        (await store.runs.find(clientRowId, id, now))?.status,
      ];
      assert.deepEqual(await seen(NOON - 1), [undefined]);
      assert.deepEqual(await seen(NOON), ['running', 'running']);
      assert.equal((await store.runs.find(clientRowId, id, NOON))!.startedAt, NOON);
    });

    test('a retry shows as one until its time', async () => {
      const { store, caller } = await made();
      const claim = await claimOne(store);
      await settled(store, claim, retrying(claim, NOON + 5 * SECOND));
      await oneAhead(store, NOON + 4_500);
      const seen = async (now: number) =>
        (await store.runs.list(caller.clientRowId, { now }, 10)).map(({ status }) => status);
      assert.deepEqual(await seen(NOON + 5 * SECOND - 1), ['retrying']);
      assert.deepEqual(await seen(NOON + 5 * SECOND), ['running']);
    });
  });

  describe(`${name}: an engine starts on what another had claimed ahead`, () => {
    const backend = backendOfEachTest(open);
    const claimed = async (at = BEFORE) => {
      const { store } = backend;
      const caller = await aClient(store);
      // Before all claims: what is on record later says that the clock was set back since.
      const schedule = await stored(store, caller, { id: anId(NOON - MINUTE) });
      assert.equal((await store.queue.claim(at, 9, SEEN, SECOND)).claims.length, 1);
      return { caller, schedule };
    };
    const restarted = async (now: number, sentUntil?: number): Promise<Store> => {
      const store = await backend.reopen();
      assert.equal(await store.queue.recover(now, sentUntil), 1);
      return store;
    };

    test('before its time: it waits as before, and nothing was lost', async () => {
      await claimed();
      const store = await restarted(NOON - 1);
      assert.equal(await store.queue.nextDueAt(), NOON);
      const { was, attempt, attempts } = await claimOne(store);
      assert.deepEqual([was, attempt, attempts], ['waiting', 1, []]);
    });

    test('after it: the request may have left, at its time and not before, and is lost', async () => {
      await claimed();
      const store = await restarted(NOON + 9);
      const { was, attempt, attempts } = await claimOne(store, NOON + 9);
      assert.deepEqual([was, attempt], ['lost', 2]);
      assert.equal(attempts[0]!.startedAt, NOON);
    });

    for (const [claim, aheadMs, isSure] of [
      ['a young claim, which nodes send unconfirmed', 40, true],
      ['an older claim', 400, false],
    ] as const) {
      test(`after it, changed before it: ${claim}`, async () => {
        const { caller, schedule } = await claimed(NOON - aheadMs);
        const start = { first: NOON, second: NOON + MINUTE };
        await changed(backend.store, caller, schedule, {}, NOON - 10, start);
        const store = await restarted(NOON + 9);
        const mayHaveLeft = isSure && store.cluster !== null;
        assert.equal((await claimOne(store, NOON + 9)).was, mayHaveLeft ? 'lost' : 'waiting');
      });
    }

    test('after it, changed before it and once more: it goes by its new times', async () => {
      const { caller, schedule } = await claimed();
      for (const [changedAt, first] of [
        [NOON - 10, NOON + 3],
        [NOON + 5, NOON + 200],
      ] as const) {
        const start = { first, second: first + MINUTE };
        await changed(backend.store, caller, schedule, {}, changedAt, start);
      }
      const store = await restarted(NOON + 9);
      const { was, begun, nextFor, changedAt, attempts } = await claimOne(store, NOON + 9);
      assert.deepEqual([was, begun, nextFor, attempts], ['waiting', false, NOON + 200, []]);
      assert.equal(changedAt, NOON - 9);
    });

    test('after it, where a change that is dated before it was written later: it may have left', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      // The store writes by its own clock.
      const due = Date.now() - 50;
      const start = { first: due, second: due + MINUTE };
      const schedule = await stored(store, caller, {}, start);
      assert.equal((await store.queue.claim(due - 700, 9, SEEN, SECOND)).claims.length, 1);
      await changed(store, caller, schedule, {}, due - 10, start);
      const restartedStore = await restarted(Date.now());
      assert.equal((await claimOne(restartedStore, Date.now())).was, 'lost');
    });

    test('after it, where a clock that was set back meanwhile has dated a change: it may have left', async () => {
      const { caller, schedule } = await claimed();
      const long = BEFORE - MINUTE;
      await changed(backend.store, caller, schedule, {}, long, { first: NOON, second: NOON + 60 });
      const store = await restarted(NOON + 9);
      assert.equal((await claimOne(store, NOON + 9)).was, 'lost');
    });

    test('before it, by a clock that was set back since it has shown it: it may have left', async () => {
      await claimed();
      const writer = await aClient(backend.store, 'writer');
      await stored(backend.store, writer, { id: anId(NOON + 9) }, null);
      const store = await restarted(NOON - 1);
      const { was, attempt, attempts } = await claimOne(store, NOON);
      assert.deepEqual([was, attempt], ['lost', 2]);
      assert.equal(attempts[0]!.startedAt, NOON);
    });

    test('after it, where it is known that nothing was sent by then: it waits as before', async () => {
      await claimed();
      const store = await restarted(NOON + MINUTE, NOON - 1);
      assert.equal(await store.queue.nextDueAt(), NOON);
      const { was, attempt, attempts } = await claimOne(store, NOON + 9);
      assert.deepEqual([was, attempt, attempts], ['waiting', 1, []]);
    });

    test('what was claimed at its time is lost, whatever is known of what was claimed ahead', async () => {
      const caller = await aClient(backend.store);
      await stored(backend.store, caller);
      await claimOne(backend.store, NOON);
      const store = await restarted(NOON + MINUTE, NOON - 1);
      assert.equal((await claimOne(store, NOON + MINUTE)).was, 'lost');
    });

    test('a retry before its time is a retry as before', async () => {
      await claimed();
      const first = await restarted(NOON - 1);
      const claim = await claimOne(first);
      await settled(first, claim, retrying(claim, NOON + 5 * SECOND));
      await first.queue.claim(NOON + 4_500, 9, SEEN, SECOND);
      const store = await restarted(NOON + 4_900);
      const retry = await claimOne(store, NOON + 5 * SECOND);
      assert.deepEqual([retry.was, retry.attempt], ['retrying', 2]);
      assert.deepEqual(retry.attempts, [anAttempt()]);
    });

    test('changed and not decided about yet, it is not claimed ahead again', async () => {
      const { caller, schedule } = await claimed();
      const start = { first: NOON + 200, second: NOON + 300 };
      await changed(backend.store, caller, schedule, {}, NOON - 10, start);
      const store = await restarted(NOON - 5);
      assert.deepEqual((await store.queue.claim(NOON - 4, 9, SEEN, SECOND)).claims, []);
      assert.equal((await claimOne(store, NOON + 1)).begun, false);
    });

    test('a schedule that was changed before that time goes by its new times', async () => {
      const { caller, schedule } = await claimed();
      const start = { first: NOON + 200, second: NOON + 300 };
      await changed(backend.store, caller, schedule, {}, NOON - 10, start);
      const store = await restarted(NOON + MINUTE);
      assert.equal(await store.queue.nextDueAt(), NOON);
      const { was, begun, nextFor, attempts } = await claimOne(store, NOON + MINUTE, NOON + MINUTE);
      assert.deepEqual([was, begun, nextFor, attempts], ['waiting', false, NOON + 200, []]);
    });
  });
}
