import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newDataKey } from '../../../src/domain/access/envelope.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { DataKeys, encryptAll, withEncryption } from '../../../src/store/encrypted.ts';
import {
  aCallback,
  aClient,
  aRecord,
  backendOfEachTest,
  claimOne,
  MINUTE,
  NOON,
  type OpenBackend,
  SECOND,
  settled,
  stored,
  triggered,
  waiting,
} from '../../support/store/backend.ts';

export function dataKeysContract(name: string, open: OpenBackend): void {
  describe(`${name}: secrets at rest`, () => {
    const backend = backendOfEachTest(open);
    const secretKey = newDataKey();
    const encrypted = (store: Store, ...keys: Buffer[]) => withEncryption(store, keys, NOON);
    const cellsOf = async (store: Store) =>
      (await store.clients.listClients()).map(({ signingSecret }) => signingSecret);

    test('a data key is kept, and one of the same id does not replace it', async () => {
      const { dataKeys } = backend.store;
      const key = { id: '1', wrapped: 'first', createdAt: NOON };
      assert.equal(await dataKeys.insert(key), true);
      assert.equal(await dataKeys.insert({ ...key, wrapped: 'second' }), false);
      assert.deepEqual(await dataKeys.list(), [key]);
      await dataKeys.rewrap('1', 'third');
      assert.deepEqual(await (await backend.reopen()).dataKeys.list(), [
        { ...key, wrapped: 'third' },
      ]);
    });

    test('a secret is replaced only where it is what it was taken for', async () => {
      const { clients } = backend.store;
      const { clientId } = await aClient(backend.store, 'a');
      assert.equal(await clients.replaceSecret(clientId, 'whsec_b', 'cell'), false);
      assert.equal(await clients.replaceSecret(clientId, 'whsec_a', 'cell'), true);
      assert.equal((await clients.findClient(clientId))!.signingSecret, 'cell');
    });

    test('secrets are stored encrypted, and given back plain to who signs and who asks', async () => {
      const plain = backend.store;
      const store = await encrypted(plain, secretKey);
      const caller = await aClient(store, 'a');
      const schedule = await stored(store, caller);
      const [cell] = await cellsOf(plain);
      assert.match(cell!, /^enc1:1:/);
      assert.equal((await store.clients.findClient(caller.clientId))!.signingSecret, 'whsec_a');
      assert.deepEqual(await cellsOf(store), ['whsec_a']);
      const claim = await claimOne(store);
      assert.equal(claim.schedule.signingSecret, 'whsec_a');
      const [standing] = await store.queue.reread([claim.scheduleRowId]);
      assert.equal(standing!.schedule.signingSecret, 'whsec_a');
      const record = aRecord(schedule.id, NOON, { status: 'failed' });
      const callbacks = [aCallback(record.id)];
      await settled(store, claim, waiting(NOON + MINUTE, null), { records: [record], callbacks });
      await triggered(store, caller, schedule, NOON + SECOND);
      const claims = await store.outbox.claim(NOON + SECOND, 10);
      assert.deepEqual(
        claims.map(each => (each.kind === 'manual' ? each.schedule : each).signingSecret),
        ['whsec_a', 'whsec_a'],
      );
    });

    test('a rotated secret and the old one beside it are encrypted as well', async () => {
      const plain = backend.store;
      const store = await encrypted(plain, secretKey);
      const { clientId } = await aClient(store, 'a');
      const rotation = { rotatedAt: NOON, oldUntil: NOON + MINUTE, replacesNew: false };
      await store.clients.rotateSecret(clientId, { ...rotation, signingSecret: 'whsec_b' });
      const { signingSecret, oldSecret } = (await plain.clients.findClient(clientId))!;
      assert.match(`${signingSecret} ${oldSecret!.secret}`, /^enc1:\S+ enc1:\S+$/);
      const opened = (await store.clients.findClient(clientId))!;
      assert.deepEqual([opened.signingSecret, opened.oldSecret!.secret], ['whsec_b', 'whsec_a']);
    });

    test('without a key, or with one that does not fit, the store is refused', async () => {
      await aClient(await encrypted(backend.store, secretKey), 'a');
      const refusal = { code: 'setting_invalid' };
      await assert.rejects(encrypted(backend.store), refusal);
      await assert.rejects(encrypted(backend.store, newDataKey()), refusal);
      const store = await encrypted(backend.store, newDataKey(), secretKey);
      assert.deepEqual(await cellsOf(store), ['whsec_a']);
    });

    test('without a key a store of plain secrets stays as it is', async () => {
      assert.equal(await encrypted(backend.store), backend.store);
    });

    test('what is plain is encrypted, once, and a new secret key wraps the data key anew', async () => {
      const plain = backend.store;
      await aClient(plain, 'a');
      await aClient(plain, 'b');
      const next = newDataKey();
      const keys = (await DataKeys.open(plain, [secretKey], NOON))!;
      assert.deepEqual([await encryptAll(plain, keys), await encryptAll(plain, keys)], [2, 0]);
      const both = (await DataKeys.open(plain, [next, secretKey], NOON))!;
      assert.deepEqual([await both.rewrap(), await both.rewrap()], [1, 0]);
      assert.deepEqual(await cellsOf(await encrypted(plain, next)), ['whsec_a', 'whsec_b']);
      await assert.rejects(encrypted(plain, secretKey), { code: 'setting_invalid' });
    });

    test('a new data key encrypts all anew, and a service that runs finds it', async () => {
      const plain = backend.store;
      const running = await encrypted(plain, secretKey);
      await aClient(running, 'a');
      const keys = (await DataKeys.open(plain, [secretKey], NOON))!;
      await keys.add(keys.nextId, NOON);
      assert.equal(await encryptAll(plain, keys), 1);
      assert.match((await cellsOf(plain))[0]!, /^enc1:2:/);
      assert.deepEqual(await cellsOf(running), ['whsec_a']);
    });

    test('nodes that start together make one data key', async () => {
      const stores = await Promise.all(
        Array.from({ length: 5 }, () => encrypted(backend.store, secretKey)),
      );
      assert.equal((await backend.store.dataKeys.list()).length, 1);
      for (const [index, store] of stores.entries()) await aClient(store, String(index));
      assert.equal((await cellsOf(stores[0]!)).length, 5);
    });

    test("one client's secret put into another's row holds up nobody else, and signs nothing", async () => {
      const plain = backend.store;
      const told: string[] = [];
      const tell = (error: unknown) => told.push((error as Error).message);
      const [mine, theirs] = [
        await aClient(await encrypted(plain, secretKey), 'mine'),
        await aClient(await encrypted(plain, secretKey), 'theirs'),
      ];
      const [myCell, theirCell] = await cellsOf(plain);
      await plain.clients.replaceSecret(theirs.clientId, theirCell!, myCell!);
      const store = await withEncryption(plain, [secretKey], NOON, tell);
      await stored(store, theirs);
      await stored(store, mine);
      const { claims } = await store.queue.claim(NOON, 10, 0);
      assert.deepEqual(
        claims.map(({ schedule: claimed }) => claimed.signingSecret),
        [myCell, 'whsec_mine'],
      );
      assert.deepEqual(told, [
        `The signing secret of client ${theirs.clientId} cannot be decrypted.`,
      ]);
    });
  });
}
