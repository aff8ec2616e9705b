import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import type { ReadmittedRows } from '../../../src/store/contract/suspensions.ts';
import {
  aCallback,
  aClient,
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
  stored,
  triggered,
} from '../../support/store/backend.ts';

const LATER = NOON + 365 * 24 * 60 * MINUTE;

export function suspensionsContract(name: string, open: OpenBackend): void {
  describe(`${name}: clients that are suspended`, () => {
    const backend = backendOfEachTest(open);

    test('may not call, are listed, and may call again when they are resumed', async () => {
      const { store } = backend;
      const { clients, keys, sessions, suspensions } = store;
      const caller = await aClient(store);
      const hash = await aKey(store, caller);
      assert.deepEqual(await suspensions.list(), []);
      assert.equal(await clients.resume(caller.clientId, NOON), false, 'not suspended');

      assert.equal(await clients.suspend(caller.clientId, NOON), true);
      assert.equal(await clients.suspend(caller.clientId, NOON + 5), true);
      assert.equal((await clients.findClient(caller.clientId))!.suspendedAt, NOON, 'since then');
      assert.equal(await keys.findCaller(hash), null);
      assert.equal(await sessions.findSession('session'), null);
      const { clientRowId } = caller;
      assert.deepEqual(await suspensions.list(), [{ clientRowId, isResumed: false }]);
      assert.equal(await suspensions.readmit(clientRowId, NOON), null, 'not resumed');

      assert.equal(await clients.resume(caller.clientId, NOON + MINUTE), true);
      assert.equal(await clients.resume(caller.clientId, NOON + MINUTE), false);
      assert.notEqual(await keys.findCaller(hash), null);
      assert.notEqual(await sessions.findSession('session'), null);
      assert.equal((await clients.findClient(caller.clientId))!.suspendedAt, undefined);
      assert.deepEqual(await suspensions.list(), [{ clientRowId, isResumed: true }]);
      assert.equal(await suspensions.readmit(clientRowId, NOON + MINUTE), null);
      assert.deepEqual(await suspensions.list(), []);
    });

    test('what is due of them is put off, as it was before the claim, and stands before nobody', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await store.clients.suspend(caller.clientId, NOON);
      const claim = await claimOne(store);
      assert.deepEqual(await store.suspensions.putOff([claim]), [claim.scheduleRowId]);
      assert.deepEqual(
        await store.suspensions.putOff([claim]),
        [],
        'it is no longer the claimed one',
      );
      assert.deepEqual((await store.queue.claim(LATER, 10, SEEN)).claims, []);
      assert.equal(await store.queue.depth(LATER), 0);

      await store.clients.resume(caller.clientId, NOON + 90 * SECOND);
      const back = await readmitAll(store, caller, NOON + 90 * SECOND);
      assert.deepEqual(
        back.passed.map(({ scheduleId, record }) => [
          scheduleId,
          record.scheduledFor - NOON,
          record.status,
        ]),
        [0, MINUTE].map(at => [schedule.id, at, 'missed']),
      );
      assert.equal(back.dueAt, NOON + 2 * MINUTE);
      const runs = await store.runs.list(caller.clientRowId, {}, 10);
      assert.deepEqual(
        runs.map(({ status, reason }) => [status, /while the client was suspended/.test(reason!)]),
        [
          ['missed', true],
          ['missed', true],
        ],
      );
      assert.deepEqual((await store.queue.claim(NOON + 2 * MINUTE - 1, 10, SEEN)).claims, []);
      const { attempt, was } = await claimOne(store, NOON + 2 * MINUTE);
      assert.deepEqual([attempt, was], [1, 'waiting']);
    });

    test('of a schedule that changed before the claim was put off, the new times are missed', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await store.clients.suspend(caller.clientId, NOON);
      const claim = await claimOne(store);
      const start = { first: NOON + 2 * MINUTE, second: NOON + 4 * MINUTE };
      const fields = { interval: '*/2 * * * *' };
      await changed(store, caller, schedule, fields, NOON + 30 * SECOND, start);
      const [standing] = await store.queue.reread([claim.scheduleRowId]);
      const { changedAt } = standing!;
      assert.equal((await store.suspensions.putOff([{ ...claim, changedAt }])).length, 1);
      await store.clients.resume(caller.clientId, NOON + 3 * MINUTE);
      const { passed } = await readmitAll(store, caller, NOON + 3 * MINUTE);
      assert.deepEqual(
        passed.map(({ record }) => record.scheduledFor - NOON),
        [2 * MINUTE],
      );
      const next = await claimOne(store, NOON + 4 * MINUTE);
      assert.deepEqual([next.scheduledFor, next.changedAt], [NOON + 4 * MINUTE, null]);
    });

    test('a run that had begun goes on with its next attempt', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await stored(store, caller);
      const first = await claimOne(store);
      await settled(store, first, retrying(first, NOON + 5 * SECOND));
      await store.clients.suspend(caller.clientId, NOON + SECOND);
      const second = await claimOne(store, NOON + 5 * SECOND);
      assert.equal(second.attempt, 2);
      await store.suspensions.putOff([second]);
      await store.clients.resume(caller.clientId, NOON + 90 * SECOND);
      await readmitAll(store, caller, NOON + 90 * SECOND);
      assert.deepEqual((await store.queue.claim(NOON + 90 * SECOND, 10, SEEN)).claims, []);
      const again = await claimOne(store, NOON + 91 * SECOND);
      assert.deepEqual(
        [again.attempt, again.attempts.length, again.was, again.scheduledFor],
        [2, 1, 'retrying', NOON],
      );
    });

    for (const [afterCompletion, status] of [
      ['disable', 'disabled'],
      ['delete', 'deleted'],
    ] as const) {
      test(`one whose last time passed meanwhile completes: ${status}`, async () => {
        const { store } = backend;
        const caller = await aClient(store);
        const timing = { endsAt: NOON + SECOND, afterCompletion };
        const schedule = await stored(store, caller, { timing }, { first: NOON, second: null });
        await store.clients.suspend(caller.clientId, NOON);
        await store.suspensions.putOff([await claimOne(store)]);
        await store.clients.resume(caller.clientId, NOON + MINUTE);
        const back = await readmitAll(store, caller, NOON + MINUTE);
        assert.equal(back.passed.length, 1);
        const found = (await store.schedules.find(caller.clientRowId, schedule.id))!.schedule;
        const ended = { status, statusReason: 'completed', updatedAt: NOON + MINUTE };
        assert.deepEqual(found, { ...schedule, ...ended });
        assert.equal(await store.queue.nextDueAt(), null);
      });
    }

    test('nothing of a client that is not suspended is put off', async () => {
      const { store } = backend;
      const [caller, other] = [await aClient(store), await aClient(store, 'other')];
      await stored(store, caller);
      await store.clients.suspend(other.clientId, NOON);
      assert.deepEqual(await store.suspensions.putOff([await claimOne(store)]), []);
    });

    test('manual runs wait, and do not hold up their schedule', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await triggered(store, caller, schedule, NOON - SECOND);
      await store.clients.suspend(caller.clientId, NOON - SECOND);
      const claim = await claimManual(store, NOON);
      assert.deepEqual(await store.suspensions.putOffEntries([claim]), [claim.id]);
      assert.deepEqual(await store.suspensions.putOffEntries([claim]), []);
      assert.deepEqual(await store.outbox.claim(LATER, 10), []);
      assert.equal(await store.outbox.depth(), 0);
      assert.equal((await claimOne(store)).blockedSince, null);
      await store.clients.resume(caller.clientId, NOON - 1);
      assert.equal((await store.suspensions.readmit(caller.clientRowId, NOON))!.count, 1);
      assert.equal(await store.outbox.depth(), 1);
    });

    test('a manual run whose schedule was deleted since its claim is not put off', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      await triggered(store, caller, schedule);
      const claim = await claimManual(store);
      await store.clients.delete(caller.clientId, NOON);
      await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
      assert.deepEqual(await store.suspensions.putOffEntries([claim]), []);
      assert.deepEqual(await store.outbox.settle([outboxSettlementOf(claim, 'failed')]), []);
    });

    test('a callback whose client was deleted since its claim is not put off', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const schedule = await stored(store, caller);
      const run = aRecord(schedule.id, NOON, { status: 'failed' });
      const parts = { records: [run], callbacks: [aCallback(run.id)] };
      await settled(store, await claimOne(store), null, parts);
      const [claim] = await store.outbox.claim(NOON, 1);
      await store.clients.delete(caller.clientId, NOON);
      assert.deepEqual(await store.suspensions.putOffEntries([claim!]), []);
      assert.deepEqual(await store.outbox.settle([outboxSettlementOf(claim!, 'failed')]), []);
    });

    test('what came due before the end is put off before the suspension ends', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      await stored(store, caller);
      await store.clients.suspend(caller.clientId, NOON - SECOND);
      await store.clients.resume(caller.clientId, NOON + SECOND);
      const bite = await store.suspensions.readmit(caller.clientRowId, NOON + SECOND);
      assert.deepEqual(bite, { count: 0, dueAt: null, passed: [] });
      await store.suspensions.putOff([await claimOne(store, NOON + SECOND)]);
      const { passed } = await readmitAll(store, caller);
      assert.equal(passed.length, 1);
      assert.deepEqual(await store.suspensions.list(), []);
    });

    test('what is claimed, and may be put off, keeps the suspension from its end for a while', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { clientRowId } = caller;
      await stored(store, caller);
      await store.clients.suspend(caller.clientId, NOON - SECOND);
      await store.clients.resume(caller.clientId, NOON + SECOND);
      const claim = await claimOne(store, NOON + MINUTE);
      const nothing = { count: 0, dueAt: null, passed: [] };
      const readmit = (now: number) => store.suspensions.readmit(clientRowId, now);
      assert.deepEqual(await readmit(NOON + MINUTE), nothing);
      assert.deepEqual(await readmit(NOON + MINUTE + 2 * SECOND), nothing);
      assert.deepEqual(await store.suspensions.putOff([claim]), [claim.scheduleRowId]);
      const { passed } = await readmitAll(store, caller, NOON + MINUTE + 2 * SECOND);
      assert.equal(passed.length, 2);
    });

    test('what was claimed long ago, or came due after the end, does not', async () => {
      const { store } = backend;
      for (const [name, claimedAt, now] of [
        ['long ago', NOON, NOON + 3 * SECOND],
        ['a clock ahead', NOON + MINUTE, NOON + SECOND],
        ['after the end', NOON, NOON],
      ] as const) {
        const caller = await aClient(store, name);
        await stored(store, caller);
        await claimOne(store, claimedAt);
        await store.clients.suspend(caller.clientId, NOON - SECOND);
        await store.clients.resume(caller.clientId, name === 'after the end' ? NOON - 1 : NOON);
        assert.equal(await store.suspensions.readmit(caller.clientRowId, now), null, name);
      }
    });

    test('one call records no more than some thousand missed times', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      for (let count = 0; count < 6; count += 1) {
        const start = { first: NOON, second: NOON + SECOND };
        await stored(store, caller, { interval: '* * * * * *' }, start);
      }
      await store.clients.suspend(caller.clientId, NOON);
      await store.suspensions.putOff((await store.queue.claim(NOON, 10, SEEN)).claims);
      const now = NOON + 900 * SECOND;
      await store.clients.resume(caller.clientId, now);
      const bite = (await store.suspensions.readmit(caller.clientRowId, now))!;
      assert.ok(bite.count < 6 && bite.passed.length <= 3_000, `${bite.passed.length}`);
      assert.equal((await readmitAll(store, caller, now)).count, 6 - bite.count);
    });

    test('more rows than come back at once', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      for (let count = 0; count < 620; count += 1) await stored(store, caller);
      await store.clients.suspend(caller.clientId, NOON);
      await store.suspensions.putOff((await store.queue.claim(NOON, 1_000, SEEN)).claims);
      await store.clients.resume(caller.clientId, NOON);
      assert.equal((await readmitAll(store, caller)).count, 620);
      assert.equal((await store.queue.claim(NOON + MINUTE, 1_000, SEEN)).claims.length, 620);
    });
  });

  describe(`${name}: clients that are renamed and deleted`, () => {
    const backend = backendOfEachTest(open);

    test('a client has another name', async () => {
      const { clients } = backend.store;
      const { clientId } = await aClient(backend.store);
      assert.equal(await clients.rename(clientId, 'Ada'), true);
      assert.equal((await clients.findClient(clientId))!.name, 'Ada');
      assert.equal(await clients.rename('nobody', 'Ada'), false);
    });

    test('a deleted one has neither keys nor sessions nor secrets, for good', async () => {
      const { store } = backend;
      const { clients, keys, sessions } = store;
      const caller = await aClient(store);
      const { clientId } = caller;
      const hash = await aKey(store, caller);
      assert.equal(await clients.delete('nobody', NOON), null);
      assert.equal(await clients.delete(clientId, NOON), caller.clientRowId);
      assert.equal(await clients.delete(clientId, NOON + 5), caller.clientRowId, 'again');
      const { name: kept, createdAt, ...client } = (await clients.findClient(clientId))!;
      assert.deepEqual(client, {
        id: clientId,
        signingSecret: '',
        suspendedAt: NOON,
        deletedAt: NOON,
      });
      assert.deepEqual([kept, createdAt], ['client', NOON]);
      assert.equal(await keys.findCaller(hash), null);
      assert.equal(await sessions.findSession('session'), null);
      assert.ok((await keys.listKeys(clientId)).every(({ revokedAt }) => revokedAt === NOON));
      assert.equal(await keys.insertKey({ id: 'k', clientId, hash: 'k', createdAt: 0 }), false);
      assert.equal(await clients.rename(clientId, 'Ada'), false);
      assert.equal(await clients.suspend(clientId, NOON), false);
      assert.equal(await clients.resume(clientId, NOON), false);
      const rotation = { signingSecret: 's', rotatedAt: NOON, oldUntil: 0, replacesNew: false };
      assert.equal(await clients.rotateSecret(clientId, rotation), false);
      assert.equal((await store.suspensions.list()).length, 1, 'nothing of it starts');
    });
  });
}

/** With a session. @returns the key's hash */
async function aKey({ keys, sessions }: Store, { clientId }: Caller): Promise<string> {
  const key = { id: `key of ${clientId}`, clientId, hash: `hash of ${clientId}`, createdAt: NOON };
  await keys.insertKey(key);
  const times = { createdAt: NOON, lastUsedAt: NOON };
  await sessions.insertSession({ id: 'session', hash: 'session', keyId: key.id, ...times });
  return key.hash;
}

/** All that comes back, until the suspension has ended. */
async function readmitAll(
  { suspensions }: Store,
  { clientRowId }: Caller,
  now = NOON,
): Promise<ReadmittedRows> {
  const all: ReadmittedRows = { count: 0, dueAt: null, passed: [] };
  for (;;) {
    const back = await suspensions.readmit(clientRowId, now);
    if (back === null) return all;
    assert.ok(back.count > 0, 'something is left that does not come back');
    all.count += back.count;
    all.dueAt = Math.min(
      back.dueAt ?? Number.POSITIVE_INFINITY,
      all.dueAt ?? Number.POSITIVE_INFINITY,
    );
    all.passed.push(...back.passed);
  }
}
