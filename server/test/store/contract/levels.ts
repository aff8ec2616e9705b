import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PUT_OFF_MS } from '../../../src/domain/run/suspension.ts';
import { ENGINE_LEVEL } from '../../../src/domain/schedule/level.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  backendOfEachTest,
  changed,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  retrying,
  SEEN,
  settled,
  stored,
  waiting,
} from '../../support/store/backend.ts';

const HOUR = 60 * MINUTE;
/** Each by itself needs an engine that knows more than the first one did. */
const NEWER: Record<string, Partial<Schedule>> = {
  timing: { timing: { startsAt: NOON } },
  'a one-off': { interval: 'at(2026-06-01T12:00:00)' },
  'a rate': { interval: 'rate(1 minute)' },
  'a raw body': { delivery: { body: 'x' } },
};
const PLAIN: Partial<Schedule> = {
  tags: { team: 'x' },
  externalId: 'y',
  delivery: { externalId: 'y', tags: { team: 'x' } },
};

export function levelsContract(name: string, open: OpenBackend): void {
  describe(`${name}: an engine leaves what needs a newer one`, () => {
    const backend = backendOfEachTest(open);
    const claimed = async (store: Store, now = NOON, ahead = 0) =>
      (await store.queue.claim(now, 9, SEEN, ahead)).claims.map(({ schedule }) => schedule.id);

    for (const [what, fields] of Object.entries(NEWER)) {
      test(`it takes no row of ${what}, now or ahead, and waits for none`, async () => {
        const caller = await aClient(backend.store);
        const newer = await stored(backend.store, caller, fields);
        const plain = await stored(backend.store, caller, PLAIN, {
          first: NOON + MINUTE,
          second: null,
        });
        const older = await backend.reopen(0);
        assert.equal(await older.queue.nextDueAt(), NOON + MINUTE);
        assert.equal(await older.queue.depth(NOON + HOUR), 1);
        const early = await older.queue.claim(NOON, 9, SEEN);
        assert.deepEqual(early, { claims: [], nextDueAt: NOON + MINUTE });
        const other = await aClient(older);
        const ofOthers = await older.queue.claim(NOON, 9, SEEN, 0, [other.clientRowId]);
        assert.deepEqual(ofOthers.claims, []);
        assert.deepEqual(await claimed(older, NOON - 1, HOUR), [plain.id]);
        const present = await backend.reopen();
        assert.equal(await present.queue.nextDueAt(), NOON);
        assert.deepEqual(await claimed(present), [newer.id]);
      });
    }

    test('a change of times tells it, both ways', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller);
      const start = { first: NOON, second: null };
      const timing = { startsAt: NOON };
      await changed(backend.store, caller, schedule, { timing }, NOON - 9, start);
      assert.equal(await (await backend.reopen(0)).queue.nextDueAt(), null);
      const present = await backend.reopen();
      const { timing: _, ...plain } = { ...schedule, timing };
      const requeue = { changedAt: NOON - 8, start };
      assert.ok(await present.schedules.update(caller.clientRowId, plain, 2, requeue));
      assert.deepEqual(await claimed(await backend.reopen(0)), [schedule.id]);
    });

    test('a change that moves no time tells it too, of a run that has begun as well', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller);
      const claim = await claimOne(backend.store);
      await settled(backend.store, claim, retrying(claim, NOON + 9));
      const next = { ...schedule, delivery: { body: 'x' } };
      assert.ok(await backend.store.schedules.update(caller.clientRowId, next, 1, 'keep'));
      const older = await backend.reopen(0);
      assert.deepEqual(await claimed(older, NOON + 9), []);
      assert.ok(await older.schedules.update(caller.clientRowId, schedule, 2, 'keep'));
      assert.deepEqual(await claimed(older, NOON + 9), [schedule.id]);
    });

    test('a run that has begun is left where a change of times made it newer', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller);
      const claim = await claimOne(backend.store);
      await settled(backend.store, claim, retrying(claim, NOON + 9));
      const timing = { endsAt: NOON + HOUR };
      const start = { first: NOON + MINUTE, second: null };
      await changed(backend.store, caller, schedule, { timing }, NOON + 5, start);
      assert.deepEqual(await claimed(await backend.reopen(0), NOON + MINUTE), []);
      assert.deepEqual(await claimed(await backend.reopen(), NOON + MINUTE), [schedule.id]);
    });

    test('a settlement leaves it as it is', async () => {
      const caller = await aClient(backend.store);
      await stored(backend.store, caller, NEWER.timing);
      const claim = await claimOne(backend.store);
      await settled(backend.store, claim, waiting(NOON + MINUTE, null));
      assert.equal(await (await backend.reopen(0)).queue.nextDueAt(), null);
      assert.equal(await (await backend.reopen()).queue.nextDueAt(), NOON + MINUTE);
    });

    test('a clock that was set back: it counts none of them anew', async () => {
      const caller = await aClient(backend.store);
      const late = { first: NOON + 24 * HOUR, second: null };
      await stored(backend.store, caller, NEWER.timing, late);
      const older = await backend.reopen(0);
      assert.equal(await older.queue.recount(NOON, 0), null);
      const counted = await (await backend.reopen()).queue.recount(NOON, 0);
      assert.equal(counted!.dueAt, NOON + MINUTE);
    });

    test('it brings back none of a client that is resumed', async () => {
      const caller = await aClient(backend.store);
      const { clientRowId, clientId } = caller;
      await stored(backend.store, caller, NEWER.timing);
      await backend.store.clients.suspend(clientId, NOON - 1);
      const claim = await claimOne(backend.store);
      await backend.store.suspensions.putOff([claim]);
      await backend.store.clients.resume(clientId, NOON + MINUTE);
      const older = await backend.reopen(0);
      const nothing = { count: 0, dueAt: null, passed: [] };
      assert.deepEqual(await older.suspensions.readmit(clientRowId, NOON + MINUTE), nothing);
      const present = await backend.reopen();
      assert.ok((await present.queue.nextDueAt())! >= PUT_OFF_MS);
      assert.equal((await present.suspensions.readmit(clientRowId, NOON + MINUTE))!.count, 1);
      assert.equal(await present.suspensions.readmit(clientRowId, NOON + MINUTE), null);
    });

    test('an engine of the next release takes all', async () => {
      const caller = await aClient(backend.store);
      const schedule = await stored(backend.store, caller, NEWER.timing);
      assert.deepEqual(await claimed(await backend.reopen(ENGINE_LEVEL + 1)), [schedule.id]);
    });
  });
}
