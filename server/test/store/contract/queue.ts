import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Start } from '../../../src/domain/run/start.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anAttempt,
  aSchedule,
  backendOfEachTest,
  claimManual,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  retrying,
  SECOND,
  SEEN,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

export function queueContract(name: string, open: OpenBackend): void {
  describe(`${name}: what is due is claimed`, () => {
    const backend = backendOfEachTest(open);
    const made = async (start?: Start) => {
      const { store } = backend;
      const caller = await aClient(store);
      return { store, caller, schedule: await stored(store, caller, {}, start) };
    };
    /** One schedule for each first time, by its label. */
    const queued = async (store: Store, { clientRowId }: Caller, firsts: number[]) => {
      const batch = firsts.map(first => ({
        schedule: aSchedule({ label: `${first - NOON}` }),
        start: { first, second: first + MINUTE },
      }));
      await store.schedules.insert(clientRowId, batch);
    };

    test('not before its time, and at its time', async () => {
      const { store } = await made();
      assert.deepEqual((await store.queue.claim(NOON - 1, 10, SEEN)).claims, []);
      assert.equal((await store.queue.claim(NOON, 10, SEEN)).claims.length, 1);
    });

    test('the claim tells all that is needed to fire', async () => {
      const { store, caller, schedule } = await made();
      const { scheduleRowId, schedule: claimed, ...claim } = await claimOne(store, NOON + 7);
      assert.deepEqual(claim, {
        state: 'inFlight',
        was: 'waiting',
        begun: true,
        dueAt: NOON,
        scheduledFor: NOON,
        nextFor: NOON + MINUTE,
        attempt: 1,
        attempts: [],
        claimedAt: NOON + 7,
        fence: NOON + 7,
        version: 1,
        changedAt: null,
        blockedSince: null,
        clientRowId: caller.clientRowId,
      });
      const { clientId } = caller;
      assert.deepEqual(claimed, { ...schedule, clientId, signingSecret: 'whsec_client' });
      assert.equal(typeof scheduleRowId, 'number');
    });

    test('earliest first, up to the limit; the others stay', async () => {
      const { store } = backend;
      await queued(
        store,
        await aClient(store),
        [30, 10, 50, 20, 40].map(ms => NOON + ms),
      );
      const labels = async (limit: number) =>
        (await store.queue.claim(NOON + 45, limit, SEEN)).claims.map(
          ({ schedule: claimed }) => claimed.label,
        );
      assert.deepEqual(await labels(2), ['10', '20']);
      assert.deepEqual(await labels(1), ['30']);
      assert.deepEqual(await labels(10), ['40']);
      assert.deepEqual(await labels(10), []);
    });

    for (const other of [false, true]) {
      test(`those of one instant in the order of their keys${other ? ', without those of another client' : ''}`, async () => {
        const { store } = backend;
        await queued(
          store,
          await aClient(store),
          [30, 10, 50, 20, 40].map(ms => NOON + ms),
        );
        const except = other ? [(await aClient(store, 'other')).clientRowId] : [];
        const { claims } = await store.queue.claim(NOON + MINUTE, 10, SEEN);
        const byKey = claims.map(({ scheduleRowId }) => scheduleRowId).sort((a, b) => a - b);
        for (const claim of claims) await settled(store, claim, waiting(NOON + MINUTE, null));
        const keys = async (limit: number) =>
          (await store.queue.claim(NOON + MINUTE, limit, SEEN, 0, except)).claims.map(
            ({ scheduleRowId }) => scheduleRowId,
          );
        assert.deepEqual(await keys(2), byKey.slice(0, 2));
        assert.deepEqual(await keys(10), byKey.slice(2));
      });
    }

    test('the schedules of all clients are claimed, each with its own secret', async () => {
      const { store } = backend;
      const [a, b] = [await aClient(store, 'a'), await aClient(store, 'b')];
      await stored(store, a);
      await stored(store, b);
      const { claims } = await store.queue.claim(NOON, 10, SEEN);
      assert.deepEqual(
        claims.map(({ clientRowId, schedule: claimed }) => [
          clientRowId,
          claimed.clientId,
          claimed.signingSecret,
        ]),
        [
          [a.clientRowId, a.clientId, 'whsec_a'],
          [b.clientRowId, b.clientId, 'whsec_b'],
        ],
      );
    });

    test('what is in flight is never claimed again, begun or not', async () => {
      const { store, caller } = await made();
      await claimOne(store);
      await stored(store, caller);
      const { begun } = await claimOne(store, NOON + 1, NOON + 1);
      assert.equal(begun, false);
      assert.deepEqual((await store.queue.claim(NOON + 10 * MINUTE, 10, SEEN)).claims, []);
    });

    test('callers at the same moment share no row, and leave none', async () => {
      const { store } = backend;
      const firsts = Array.from({ length: 60 }, (_, index) => NOON + index);
      await queued(store, await aClient(store), firsts);
      const claims = await Promise.all(
        [1, 2, 3, 4].map(() => store.queue.claim(NOON + 99, 20, SEEN)),
      );
      const keys = claims.flatMap(taken => taken.claims).map(({ scheduleRowId }) => scheduleRowId);
      assert.equal(keys.length, 60);
      assert.equal(new Set(keys).size, 60);
    });

    test('what is renewed is as it was, and what is not in flight is no error', async () => {
      const { store } = await made();
      const claim = await claimOne(store);
      const standing = await store.queue.reread([claim.scheduleRowId]);
      await store.queue.renew([]);
      await store.queue.renew([claim, { ...claim, scheduleRowId: 987_654 }]);
      assert.deepEqual(await store.queue.reread([claim.scheduleRowId]), standing);
      await settled(store, claim, waiting(NOON + MINUTE, null));
      await store.queue.renew([claim]);
      assert.equal((await claimOne(store, NOON + MINUTE)).was, 'waiting');
    });

    test('attempt + 1 is durable before the claim is answered', async () => {
      const { scheduleRowId } = await made().then(({ store }) => claimOne(store));
      const { queue } = await backend.reopen();
      assert.equal((await queue.reread([scheduleRowId]))[0]!.attempt, 1);
      assert.deepEqual((await queue.claim(NOON + MINUTE, 10, SEEN)).claims, []);
    });
  });

  describe(`${name}: what is taken and not begun`, () => {
    const backend = backendOfEachTest(open);
    const due = async (start: Start = { first: NOON, second: NOON + MINUTE }) => {
      const caller = await aClient(backend.store);
      return { caller, schedule: await stored(backend.store, caller, {}, start) };
    };

    test('a time older than what was seen: no attempt is counted', async () => {
      await due();
      const claim = await claimOne(backend.store, NOON + 1, NOON + 1);
      assert.deepEqual([claim.begun, claim.attempt, claim.state], [false, 0, 'inFlight']);
      const [standing] = await backend.store.queue.reread([claim.scheduleRowId]);
      assert.equal(standing!.attempt, 0);
    });

    test('a time at the very instant from which on all was seen is begun', async () => {
      await due();
      assert.equal((await claimOne(backend.store, NOON, NOON)).begun, true);
    });

    test('a row whose next time has come', async () => {
      await due();
      assert.equal((await claimOne(backend.store, NOON + MINUTE)).begun, false);
    });

    test('not one whose next time is still to come, or which has none', async () => {
      await due({ first: NOON, second: null });
      await due({ first: NOON, second: NOON + MINUTE });
      const { claims } = await backend.store.queue.claim(NOON + MINUTE - 1, 10, SEEN);
      assert.deepEqual(
        claims.map(({ begun }) => begun),
        [true, true],
      );
    });

    test('a row whose schedule has a manual run in flight, since when it says', async () => {
      const { caller, schedule } = await due();
      await triggered(backend.store, caller, schedule, NOON - SECOND);
      await claimManual(backend.store, NOON - 7);
      const claim = await claimOne(backend.store);
      assert.deepEqual([claim.begun, claim.blockedSince, claim.attempt], [false, NOON - 7, 0]);
    });

    test('in one claim, each row is begun or not by itself', async () => {
      await due({ first: NOON, second: NOON + SECOND });
      await due({ first: NOON + 1, second: NOON + MINUTE });
      const { claims } = await backend.store.queue.claim(NOON + SECOND, 10, SEEN);
      assert.deepEqual(
        claims.map(({ begun, attempt }) => [begun, attempt]),
        [
          [false, 0],
          [true, 1],
        ],
      );
      const standing = await backend.store.queue.reread(
        claims.map(({ scheduleRowId }) => scheduleRowId),
      );
      assert.deepEqual(standing.map(({ attempt }) => attempt).sort(), [0, 1]);
    });
  });

  describe(`${name}: a retry is claimed`, () => {
    const backend = backendOfEachTest(open);
    const retried = async () => {
      await stored(backend.store, await aClient(backend.store));
      const claim = await claimOne(backend.store);
      await settled(backend.store, claim, retrying(claim, NOON + 5 * SECOND));
    };

    test('when it is due, with its attempts and the next number', async () => {
      await retried();
      assert.deepEqual(
        (await backend.store.queue.claim(NOON + 5 * SECOND - 1, 10, SEEN)).claims,
        [],
      );
      const claim = await claimOne(backend.store, NOON + 5 * SECOND);
      assert.deepEqual([claim.was, claim.begun, claim.attempt], ['retrying', true, 2]);
      assert.deepEqual([claim.scheduledFor, claim.nextFor], [NOON, NOON + MINUTE]);
      assert.deepEqual(claim.attempts, [anAttempt()]);
    });

    test('and begun after a stop as well: its time was seen', async () => {
      await retried();
      const now = NOON + 10 * SECOND;
      assert.equal((await claimOne(backend.store, now, now)).begun, true);
    });

    test('and not begun where the next time has come', async () => {
      await retried();
      const { begun, attempt } = await claimOne(backend.store, NOON + MINUTE);
      assert.deepEqual([begun, attempt], [false, 1]);
    });
  });

  describe(`${name}: what the queue tells of itself`, () => {
    const backend = backendOfEachTest(open);

    test('when the earliest row is due, those in flight left out', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      assert.equal(await store.queue.nextDueAt(), null);
      await stored(store, caller, {}, { first: NOON + MINUTE, second: null });
      await stored(store, caller, {}, { first: NOON, second: null });
      assert.equal(await store.queue.nextDueAt(), NOON);
      await claimOne(store);
      assert.equal(await store.queue.nextDueAt(), NOON + MINUTE);
    });

    test('a claim says when the earliest row is due that it has left', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const nextDueAt = async (now: number, limit = 10) =>
        (await store.queue.claim(now, limit, SEEN)).nextDueAt;
      assert.equal(await nextDueAt(NOON), null);
      for (const ms of [0, 1, 2, 3]) {
        await stored(store, caller, {}, { first: NOON + ms, second: null });
      }
      assert.equal(await nextDueAt(NOON - 1), NOON, 'nothing was taken');
      assert.equal(await nextDueAt(NOON), NOON + 1, 'a row was taken');
      assert.equal(await nextDueAt(NOON + 9, 2), NOON + 9, 'as many rows as asked for were taken');
      assert.equal(await nextDueAt(NOON + 9), null, 'the last row was taken');
    });

    test('how many rows are due, those in flight and those of later left out', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      for (const ms of [0, 0, 1, 2]) {
        await stored(store, caller, {}, { first: NOON + ms, second: null });
      }
      assert.equal(await store.queue.depth(NOON - 1), 0);
      assert.equal(await store.queue.depth(NOON + 1), 3);
      await store.queue.claim(NOON, 1, SEEN);
      assert.equal(await store.queue.depth(NOON + 1), 2);
    });

    test('rows as they stand: only those in flight, only those asked for', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const claim = await claimOne(store);
      await stored(store, caller);
      const other = await claimOne(store);
      assert.deepEqual(await store.queue.reread([]), []);
      const { clientId } = caller;
      assert.deepEqual(await store.queue.reread([claim.scheduleRowId, 987_654]), [
        {
          scheduleRowId: claim.scheduleRowId,
          scheduledFor: NOON,
          attempt: 1,
          fence: claim.fence,
          nextFor: NOON + MINUTE,
          changedAt: null,
          schedule: { ...schedule, clientId, signingSecret: 'whsec_client' },
        },
      ]);
      await settled(store, other, waiting(NOON + MINUTE, null));
      assert.deepEqual(await store.queue.reread([other.scheduleRowId]), []);
    });
  });
}
