import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt } from '../../../src/domain/run/run.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { CallbackClaim } from '../../../src/store/contract/queue.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aCallback,
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
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const START = NOON + 10 * MINUTE;

export function recoveryContract(name: string, open: OpenBackend): void {
  describe(`${name}: an engine starts on what another left in flight: the queue`, () => {
    const backend = backendOfEachTest(open);
    const made = async () => {
      const caller = await aClient(backend.store);
      return { caller, schedule: await stored(backend.store, caller) };
    };
    /** The next start finds it: nothing but what is kept survives. */
    const restarted = async (now = START): Promise<{ store: Store; count: number }> => {
      const store = await backend.reopen();
      return { store, count: await store.queue.recover(now) };
    };

    test('an attempt that was cut off is recorded as lost, with its number and start, and the run is due as before', async () => {
      await made();
      await claimOne(backend.store, NOON + 7);
      const { store, count } = await restarted();
      assert.equal(count, 1);
      assert.equal(await store.queue.nextDueAt(), NOON);
      const { attempts, ...claim } = await claimOne(store, START, START);
      assert.deepEqual([claim.was, claim.begun, claim.attempt], ['lost', true, 2]);
      assert.deepEqual([claim.scheduledFor, claim.nextFor], [NOON, NOON + MINUTE]);
      const [{ error, ...lost }, ...others] = attempts as [Attempt];
      assert.deepEqual([lost, others], [{ number: 1, startedAt: NOON + 7, outcome: 'lost' }, []]);
      assert.match(error!, /^Punctual stopped .*\.$/);
    });

    test('a run that was cut off is sent again before what was due after it and is late as well', async () => {
      const { caller } = await made();
      await claimOne(backend.store, NOON + 40 * SECOND);
      const later = { first: NOON + SECOND, second: NOON + MINUTE };
      await stored(backend.store, caller, {}, later);
      const { store } = await restarted(NOON + 50 * SECOND);
      const { claims } = await store.queue.claim(NOON + 50 * SECOND, 2, NOON);
      assert.deepEqual(
        claims.map(({ was, scheduledFor }) => [was, scheduledFor]),
        [
          ['lost', NOON],
          ['waiting', NOON + SECOND],
        ],
      );
    });

    test('a retry that was claimed after its retries had ended was never sent: it is no lost attempt', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const policy = { retryForSeconds: 30 };
      await stored(store, caller, { policy }, { first: NOON, second: NOON + 60 * MINUTE });
      const first = await claimOne(store);
      await settled(store, first, retrying(first, NOON + 5 * SECOND));
      await claimOne(store, NOON + 31 * SECOND, NOON);
      const again = await restarted(NOON + 40 * SECOND);
      const { was, attempt, attempts } = await claimOne(again.store, NOON + 40 * SECOND, NOON);
      assert.deepEqual([was, attempt, attempts], ['retrying', 2, [anAttempt()]]);
    });

    test('a retry that left before a change ended its retries is a lost attempt', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller, { policy: { retryForSeconds: 60 } });
      const first = await claimOne(store);
      await settled(store, first, retrying(first, NOON + 5 * SECOND));
      await claimOne(store, NOON + 31 * SECOND, NOON);
      const policy = { retryForSeconds: 30 };
      const start = { first: NOON + MINUTE, second: NOON + 2 * MINUTE };
      await changed(store, caller, schedule, { policy }, NOON + 32 * SECOND, start);
      const again = await restarted(NOON + 40 * SECOND);
      const { was, attempts } = await claimOne(again.store, NOON + 40 * SECOND, NOON);
      assert.deepEqual(
        [was, attempts.map(({ outcome }) => outcome)],
        ['lost', ['response', 'lost']],
      );
    });

    test('the attempts before it are kept, and each crash adds its own', async () => {
      await made();
      const first = await claimOne(backend.store);
      await settled(backend.store, first, retrying(first, NOON + 5 * SECOND));
      await claimOne(backend.store, NOON + 5 * SECOND);
      const { store } = await restarted(NOON + 6 * SECOND);
      await claimOne(store, NOON + 8 * SECOND);
      const again = await restarted(NOON + 9 * SECOND);
      const { attempt, attempts } = await claimOne(again.store, NOON + 9 * SECOND);
      assert.equal(attempt, 4);
      assert.deepEqual(attempts[0], anAttempt());
      assert.deepEqual(
        attempts.slice(1).map(({ number, startedAt, outcome }) => [number, startedAt, outcome]),
        [
          [2, NOON + 5 * SECOND, 'lost'],
          [3, NOON + 8 * SECOND, 'lost'],
        ],
      );
    });

    test('what was taken and not begun waits as before', async () => {
      await made();
      await claimOne(backend.store, NOON + 1, NOON + 1);
      const { store, count } = await restarted();
      assert.equal(count, 1);
      assert.equal(await store.queue.nextDueAt(), NOON);
      const { was, begun, attempt, attempts } = await claimOne(store, START, START);
      assert.deepEqual([was, begun, attempt, attempts], ['waiting', false, 0, []]);
    });

    test('a retry that was taken and not begun is a retry as before', async () => {
      await made();
      const claim = await claimOne(backend.store);
      await settled(backend.store, claim, retrying(claim, NOON + 5 * SECOND));
      await claimOne(backend.store, START);
      const { store } = await restarted();
      assert.equal(await store.queue.nextDueAt(), NOON + 5 * SECOND);
      const { was, attempt, attempts } = await claimOne(store, START);
      assert.deepEqual([was, attempt, attempts], ['retrying', 1, [anAttempt()]]);
    });

    test('a lost run that was taken and not begun is lost as before', async () => {
      const { caller, schedule } = await made();
      await claimOne(backend.store);
      const first = await restarted(NOON + SECOND);
      const start = { first: START + MINUTE, second: null };
      await changed(first.store, caller, schedule, { timezone: 'Etc/UTC' }, NOON + SECOND, start);
      assert.equal((await claimOne(first.store, START)).begun, false);
      const { store } = await restarted(START);
      const { was, attempt, attempts } = await claimOne(store, START);
      assert.deepEqual([was, attempt, attempts.length], ['lost', 1, 1]);
    });

    test('a change that came while it was in flight is still marked', async () => {
      const { caller, schedule } = await made();
      await claimOne(backend.store);
      await changed(backend.store, caller, schedule, { status: 'disabled' }, NOON + SECOND, null);
      const { store } = await restarted();
      const claim = await claimOne(store, START);
      assert.deepEqual([claim.was, claim.begun, claim.changedAt], ['lost', false, NOON + SECOND]);
      assert.equal(claim.schedule.status, 'disabled');
    });

    test('a clock that was set back brings nothing before its nominal time', async () => {
      await made();
      await claimOne(backend.store);
      const { store } = await restarted(NOON - MINUTE);
      assert.equal(await store.queue.nextDueAt(), NOON);
    });

    test('what was not in flight is left alone', async () => {
      await made();
      const { store, count } = await restarted();
      assert.equal(count, 0);
      const { was, attempts } = await claimOne(store);
      assert.deepEqual([was, attempts], ['waiting', []]);
    });
  });

  describe(`${name}: an engine starts on what another left in flight: the outbox`, () => {
    const backend = backendOfEachTest(open);
    const restarted = async (now = START): Promise<{ store: Store; count: number }> => {
      const store = await backend.reopen();
      await store.queue.recover(now);
      return { store, count: await store.outbox.recover(now) };
    };
    const made = async () => {
      const caller = await aClient(backend.store);
      return { caller, schedule: await stored(backend.store, caller) };
    };

    test('a callback whose attempt was cut off is due at once, with that attempt recorded', async () => {
      const { schedule } = await made();
      const run = aRecord(schedule.id, NOON);
      const callback = aCallback(run.id);
      const parts = { records: [run], callbacks: [callback] };
      await settled(backend.store, await claimOne(backend.store), null, parts);
      await backend.store.outbox.claim(NOON + 7, 10);
      const { store, count } = await restarted();
      assert.equal(count, 1);
      const [claim] = (await store.outbox.claim(START, 10)) as CallbackClaim[];
      assert.deepEqual([claim!.id, claim!.attempt, claim!.body], [callback.id, 2, callback.body]);
      const [{ error, ...lost }] = claim!.attempts as [Attempt];
      assert.deepEqual(lost, { number: 1, startedAt: NOON + 7, outcome: 'lost' });
      assert.match(error!, /^Punctual stopped/);
    });

    test('a manual run that was cut off is sent again before those that waited for it', async () => {
      const { caller, schedule } = await made();
      const first = await triggered(backend.store, caller, schedule, NOON - 2);
      await claimManual(backend.store, NOON - 2);
      const second = await triggered(backend.store, caller, schedule, NOON - 1);
      const { store } = await restarted();
      const again = await claimManual(store, START);
      assert.deepEqual([again.id, again.attempt, again.attempts.length], [first, 2, 1]);
      await store.outbox.settle([outboxSettlementOf(again, 'failed')]);
      assert.equal((await claimManual(store, START)).id, second);
    });

    test('and before any newer time of its schedule, whose row it blocks until it is settled', async () => {
      const { caller, schedule } = await made();
      await triggered(backend.store, caller, schedule, NOON - SECOND);
      await claimManual(backend.store, NOON - SECOND);
      const { store } = await restarted();
      const blocked = await claimOne(store, START, START);
      assert.deepEqual([blocked.begun, blocked.blockedSince], [false, NOON - SECOND]);
      await settled(store, blocked, waiting(NOON, NOON + MINUTE));
      const again = await claimManual(store, START);
      await store.outbox.settle([outboxSettlementOf(again, 'succeeded')]);
      assert.equal((await claimOne(store, START)).blockedSince, null);
    });

    const unsent = { attempt: 2, outcomes: ['response'] };
    const sent = { attempt: 3, outcomes: ['response', 'lost'] };
    interface Case {
      what: string;
      /** Of the schedule as it was triggered. */
      retryForSeconds?: number;
      /** Changed so many seconds after noon; the claim comes after 31. */
      fields?: Partial<Schedule>;
      changedAt?: number;
      known: typeof sent;
    }
    const cases: Case[] = [
      { what: 'after its retries had ended was never sent', retryForSeconds: 30, known: unsent },
      {
        what: 'and left before a change ended its retries is a lost attempt',
        ...{ fields: { policy: { retryForSeconds: 20 } }, changedAt: 32, known: sent },
      },
      {
        what: 'after its schedule was deleted was never sent',
        ...{ fields: { status: 'deleted' }, changedAt: 30, known: unsent },
      },
      {
        what: 'and left before its schedule was deleted is a lost attempt',
        ...{ fields: { status: 'deleted' }, changedAt: 32, known: sent },
      },
    ];
    for (const { what, retryForSeconds = 60, fields, changedAt = 0, known } of cases) {
      test(`the retry of a manual run that was claimed ${what}`, async () => {
        const { store } = backend;
        const caller = await aClient(store);
        const schedule = await stored(store, caller, { policy: { retryForSeconds } });
        await triggered(store, caller, schedule);
        const retry = outboxSettlementOf(await claimManual(store), { dueAt: NOON + 25 * SECOND });
        await store.outbox.settle([retry]);
        const change = async () => {
          if (fields)
            await changed(store, caller, schedule, fields, NOON + changedAt * SECOND, null);
        };
        if (changedAt < 31) await change();
        await claimManual(store, NOON + 31 * SECOND);
        if (changedAt > 31) await change();
        const again = await restarted();
        const { attempt, attempts } = await claimManual(again.store, START);
        const outcomes = attempts.map(({ outcome }) => outcome);
        assert.deepEqual({ attempt, outcomes }, known);
      });
    }

    test('a manual run waits for the run that was cut off', async () => {
      const { caller, schedule } = await made();
      await claimOne(backend.store);
      await triggered(backend.store, caller, schedule, NOON + SECOND);
      const { store } = await restarted();
      assert.deepEqual(await store.outbox.claim(START, 10), []);
      await settled(store, await claimOne(store, START), waiting(START + MINUTE, null));
      await claimManual(store, START);
    });

    test('what was not in flight is left alone', async () => {
      const { caller, schedule } = await made();
      await triggered(backend.store, caller, schedule);
      const { store, count } = await restarted();
      assert.equal(count, 0);
      const { attempt, attempts } = await claimManual(store);
      assert.deepEqual([attempt, attempts], [1, []]);
    });
  });
}
