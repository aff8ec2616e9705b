import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newDataKey } from '../../../src/domain/access/envelope.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { DataKeys } from '../../../src/store/data-keys.ts';
import { encryptAll } from '../../../src/store/encrypt-all.ts';
import { withEncryption } from '../../../src/store/encrypted.ts';
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

    const aDestination = (secrets: string) => ({
      config: { hosts: ['api.example.com'] },
      secrets,
      version: anId(),
    });
    const present = async (store: Store, clientRowId: number, name = 'a') =>
      (await store.destinations.present([{ clientRowId, name }])).map(({ secrets }) => secrets);

    test('secrets of destinations are stored encrypted, and given back to who fires and who changes', async () => {
      const plain = backend.store;
      const store = await encrypted(plain, secretKey);
      const caller = await aClient(store, 'a');
      const { clientRowId } = caller;
      const first = aDestination('{"token":"☂"}');
      const made = await store.destinations.put(caller, 'a', null, first, NOON);
      assert.ok(made !== 'changed' && !('secrets' in made));
      assert.match((await plain.destinations.findSecret(caller, 'a'))!.secrets!, /^enc1:1:/);
      assert.equal((await store.destinations.findSecret(caller, 'a'))!.secrets, first.secrets);
      assert.deepEqual(await present(store, clientRowId), [first.secrets]);
      const bare = { config: first.config, version: anId() };
      await store.destinations.put(caller, 'a', first.version, bare, NOON);
      assert.deepEqual(await present(store, clientRowId), [undefined]);
      assert.deepEqual(await plain.destinations.secrets(null, 10), []);
    });

    test("a destination's secret put elsewhere is decrypted nowhere, and the destination is left out", async () => {
      const plain = backend.store;
      const told: string[] = [];
      const tell = (error: unknown) => told.push((error as Error).message);
      const store = await withEncryption(plain, [secretKey], NOON, tell);
      const [mine, theirs] = [await aClient(store, 'mine'), await aClient(store, 'theirs')];
      await store.destinations.put(mine, 'a', null, aDestination('mine'), NOON);
      const { secrets } = (await plain.destinations.findSecret(mine, 'a'))!;
      // Whoever can write to the database copies the cell to another name, and to another client.
      await plain.destinations.put(mine, 'b', null, aDestination(secrets!), NOON);
      await plain.destinations.put(theirs, 'a', null, aDestination(secrets!), NOON);
      const fresh = await withEncryption(plain, [secretKey], NOON, tell);
      assert.deepEqual(await present(fresh, mine.clientRowId), ['mine']);
      assert.deepEqual(await present(fresh, mine.clientRowId, 'b'), []);
      assert.deepEqual(await present(fresh, theirs.clientRowId), []);
      assert.deepEqual(told, [
        `The secret of the destination b of client ${mine.clientId} cannot be decrypted.`,
        `The secret of the destination a of client ${theirs.clientId} cannot be decrypted.`,
      ]);
      await assert.rejects(fresh.destinations.findSecret(theirs, 'a'), { code: 'store_unusable' });
    });

    test('secrets of the installation are stored encrypted, and replaced by who has read them', async () => {
      const plain = backend.store;
      await plain.installation.replaceSecret('issuer', null, 'plain');
      const { installation } = await encrypted(plain, secretKey);
      assert.equal(await installation.findSecret('completion'), null);
      assert.equal(await installation.findSecret('issuer'), 'plain');
      assert.equal(await installation.replaceSecret('issuer', null, 'x'), false);
      assert.equal(await installation.replaceSecret('issuer', 'plain', 'anew'), true);
      assert.equal(await installation.replaceSecret('issuer', 'plain', 'late'), false);
      assert.equal(await installation.findSecret('issuer'), 'anew');
      assert.match((await plain.installation.findSecret('issuer'))!, /^enc1:1:/);
    });

    test('a new data key encrypts the secrets of destinations and of the installation too', async () => {
      const plain = backend.store;
      const running = await encrypted(plain, secretKey);
      const caller = await aClient(running, 'a');
      const names = Array.from({ length: 120 }, (_, index) => `d${index}`);
      await Promise.all(
        names.map(each => running.destinations.put(caller, each, null, aDestination(each), NOON)),
      );
      await plain.installation.replaceSecret('completion', null, 'plain');
      const keys = (await DataKeys.open(plain, [secretKey], NOON))!;
      await keys.add(keys.nextId, NOON);
      assert.deepEqual([await encryptAll(plain, keys), await encryptAll(plain, keys)], [122, 0]);
      const cells = (await plain.destinations.secrets(null, 200)).map(({ secrets }) => secrets);
      assert.equal(cells.filter(cell => cell.startsWith('enc1:2:')).length, names.length);
      assert.equal(await running.installation.findSecret('completion'), 'plain');
      const found = await running.destinations.present(
        names.map(each => ({ clientRowId: caller.clientRowId, name: each })),
      );
      assert.ok(found.every(({ name: each, secrets }) => each === secrets));
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
      await stored(store, mine);
      await stored(store, theirs);
      const { claims } = await store.queue.claim(NOON, 10, 0);
      const secrets = new Map(
        claims.map(({ schedule: claimed }) => [claimed.clientId, claimed.signingSecret]),
      );
      // Also where the same text was decrypted for its own client a moment before.
      assert.equal(secrets.get(mine.clientId), 'whsec_mine');
      assert.equal(secrets.get(theirs.clientId), myCell);
      assert.deepEqual(told, [
        `The signing secret of client ${theirs.clientId} cannot be decrypted.`,
      ]);
    });
  });
}
