import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Rotation } from '../../../src/domain/access/rotation.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aCallback,
  aClient,
  anId,
  aRecord,
  backendOfEachTest,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

const rotation = (fields: Partial<Rotation> = {}): Rotation => ({
  signingSecret: 'whsec_new',
  rotatedAt: NOON,
  oldUntil: NOON + MINUTE,
  replacesNew: false,
  ...fields,
});

export function secretsContract(name: string, open: OpenBackend): void {
  describe(`${name}: the rotation of a signing secret`, () => {
    const backend = backendOfEachTest(open);
    const secretsOf = async ({ clients }: Store, { clientId }: Caller) => {
      const { signingSecret, oldSecret, rotatedAt } = (await clients.findClient(clientId))!;
      return { signingSecret, oldSecret, rotatedAt };
    };

    test('the new secret signs, and the old one until its end', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store, 'mine'), await aClient(store, 'theirs')];
      assert.equal(await store.clients.rotateSecret(mine.clientId, rotation()), true);
      assert.deepEqual(await secretsOf(store, mine), {
        signingSecret: 'whsec_new',
        oldSecret: { secret: 'whsec_mine', until: NOON + MINUTE },
        rotatedAt: NOON,
      });
      assert.equal((await secretsOf(store, theirs)).signingSecret, 'whsec_theirs');
      const { clients } = await backend.reopen();
      const [listed] = await clients.listClients();
      assert.deepEqual(listed, await clients.findClient(mine.clientId));
      assert.equal(listed!.oldSecret!.secret, 'whsec_mine');
    });

    test('without an overlap the old secret is gone', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      await store.clients.rotateSecret(mine.clientId, rotation({ oldUntil: NOON }));
      assert.deepEqual(await secretsOf(store, mine), {
        signingSecret: 'whsec_new',
        oldSecret: undefined,
        rotatedAt: NOON,
      });
    });

    test('a second rotation within the overlap is refused, and changes nothing', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      await store.clients.rotateSecret(mine.clientId, rotation());
      const before = await secretsOf(store, mine);
      const third = { signingSecret: 'whsec_third', oldUntil: NOON + 9 * MINUTE };
      for (const late of [0, MINUTE - 1]) {
        const refused = rotation({ ...third, rotatedAt: NOON + late });
        assert.equal(await store.clients.rotateSecret(mine.clientId, refused), false);
      }
      assert.deepEqual(await secretsOf(store, mine), before);
      const after = rotation({ ...third, rotatedAt: NOON + MINUTE });
      assert.equal(await store.clients.rotateSecret(mine.clientId, after), true);
      assert.equal((await secretsOf(store, mine)).oldSecret!.secret, 'whsec_new');
    });

    test('of two rotations at the same moment one is refused', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      const both = ['whsec_a', 'whsec_b'].map(signingSecret =>
        store.clients.rotateSecret(mine.clientId, rotation({ signingSecret })),
      );
      const done = await Promise.all(both);
      assert.deepEqual(done.toSorted(), [false, true]);
      const { signingSecret, oldSecret } = await secretsOf(store, mine);
      assert.equal(signingSecret, done[0] ? 'whsec_a' : 'whsec_b');
      assert.equal(oldSecret!.secret, 'whsec_mine');
    });

    test('one that replaces the new secret leaves the old one, with an end of its own', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      await store.clients.rotateSecret(mine.clientId, rotation());
      const again = { signingSecret: 'whsec_again', rotatedAt: NOON + 1, replacesNew: true };
      const replacing = rotation({ ...again, oldUntil: NOON + 5 * MINUTE });
      assert.equal(await store.clients.rotateSecret(mine.clientId, replacing), true);
      assert.deepEqual(await secretsOf(store, mine), {
        signingSecret: 'whsec_again',
        oldSecret: { secret: 'whsec_mine', until: NOON + 5 * MINUTE },
        rotatedAt: NOON + 1,
      });
      const atOnce = rotation({ ...again, rotatedAt: NOON + 2, oldUntil: NOON + 2 });
      assert.equal(await store.clients.rotateSecret(mine.clientId, atOnce), true);
      assert.equal((await secretsOf(store, mine)).oldSecret, undefined);
    });

    test('where no overlap lasts, it is a rotation like any other', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      await store.clients.rotateSecret(mine.clientId, rotation({ replacesNew: true }));
      assert.equal((await secretsOf(store, mine)).oldSecret!.secret, 'whsec_mine');
    });

    test('an overlap that is ended leaves the new secret alone; ending it again changes nothing', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      await store.clients.rotateSecret(mine.clientId, rotation());
      for (const isFirst of [true, false]) {
        assert.equal(await store.clients.endOverlap(mine.clientId), isFirst);
        const { signingSecret, oldSecret } = await secretsOf(store, mine);
        assert.deepEqual([signingSecret, oldSecret], ['whsec_new', undefined]);
      }
    });

    test('a client that does not exist is false', async () => {
      const { clients } = backend.store;
      assert.equal(await clients.rotateSecret(anId(), rotation()), false);
      assert.equal(await clients.endOverlap(anId()), false);
    });

    test('old secrets are taken away when they sign no more, and not before', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      await store.clients.rotateSecret(mine.clientId, rotation());
      await store.clients.forgetOldSecrets(NOON + MINUTE - 1);
      assert.ok((await secretsOf(store, mine)).oldSecret);
      await store.clients.forgetOldSecrets(NOON + MINUTE);
      const { signingSecret, oldSecret } = await secretsOf(store, mine);
      assert.deepEqual([signingSecret, oldSecret], ['whsec_new', undefined]);
    });

    test('an overlap that began by a clock that was ahead begins now, as long as it was to be', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      const day = 24 * 60 * MINUTE;
      const ahead = { ...rotation(), rotatedAt: NOON + 365 * day, oldUntil: NOON + 366 * day };
      await store.clients.rotateSecret(mine.clientId, ahead);
      await store.clients.forgetOldSecrets(NOON);
      const { rotatedAt } = (await store.clients.findClient(mine.clientId))!;
      const { signingSecret, oldSecret } = await secretsOf(store, mine);
      assert.deepEqual([rotatedAt, signingSecret], [NOON, 'whsec_new']);
      assert.deepEqual(oldSecret, { secret: 'whsec_mine', until: NOON + day });
      await store.clients.forgetOldSecrets(NOON + 1);
      assert.deepEqual((await secretsOf(store, mine)).oldSecret, oldSecret, 'and once');
    });

    test('claims of firings, manual runs and callbacks carry both', async () => {
      const { store } = backend;
      const mine = await aClient(store, 'mine');
      const schedule = await stored(store, mine);
      await store.clients.rotateSecret(mine.clientId, rotation());
      const both = {
        signingSecret: 'whsec_new',
        oldSecret: { secret: 'whsec_mine', until: NOON + MINUTE },
      };
      const carried = ({ signingSecret, oldSecret }: Partial<typeof both>) => ({
        signingSecret,
        oldSecret,
      });
      const claim = await claimOne(store);
      assert.deepEqual(carried(claim.schedule), both);
      const [standing] = await store.queue.reread([claim.scheduleRowId]);
      assert.deepEqual(carried(standing!.schedule), both);
      const records = [aRecord(schedule.id, NOON)];
      const callbacks = [aCallback(records[0]!.id, { dueAt: NOON })];
      const next = waiting(NOON + MINUTE, NOON + 2 * MINUTE);
      await settled(store, claim, next, { records, callbacks });
      await triggered(store, mine, schedule);
      const claims = await store.outbox.claim(NOON + 1, 10);
      assert.deepEqual(
        claims.map(one => carried(one.kind === 'manual' ? one.schedule : one)),
        [both, both],
      );
    });
  });
}
