import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../../../src/store/contract/clients.ts';
import type { ApiKey } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  NOON,
  type OpenBackend,
} from '../../support/store/backend.ts';

const AT_NOON = { revokedAt: NOON, withDescendants: false };

export function clientsContract(name: string, open: OpenBackend): void {
  describe(`${name}: clients and keys`, () => {
    const backend = backendOfEachTest(open);

    const client = (fields: Partial<Client> = {}): Client => ({
      id: anId(),
      name: 'Zoë 🦊 — "x"',
      signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      createdAt: NOON + 123,
      ...fields,
    });
    const key = (clientId: string, fields: Partial<ApiKey> = {}): ApiKey => ({
      id: anId(),
      clientId,
      hash: anId(),
      createdAt: NOON + 456,
      ...fields,
    });
    const insertedClient = async (store: Store, fields: Partial<Client> = {}) => {
      const made = client(fields);
      await store.clients.insertClient(made);
      return made;
    };
    const insertedKey = async (store: Store, clientId: string, fields: Partial<ApiKey> = {}) => {
      const made = key(clientId, fields);
      assert.equal(await store.keys.insertKey(made), true);
      return made;
    };

    test('a client is found by its id, exactly as it was made', async () => {
      const made = await insertedClient(backend.store);
      await insertedClient(backend.store);
      assert.deepEqual(await backend.store.clients.findClient(made.id), made);
    });

    test('an unknown client is null', async () => {
      await insertedClient(backend.store);
      assert.equal(await backend.store.clients.findClient(anId()), null);
      assert.equal(await backend.store.clients.findClient('no id at all'), null);
    });

    test('an id need not be a UUID: a setting may name the client', async () => {
      const made = await insertedClient(backend.store, { id: 'acme' });
      const { hash } = await insertedKey(backend.store, 'acme');
      assert.deepEqual(await backend.store.clients.findClient('acme'), made);
      assert.equal((await backend.store.keys.findCaller(hash))!.clientId, 'acme');
    });

    test('clients are listed oldest first', async () => {
      const made = [];
      for (let i = 0; i < 3; i += 1) {
        made.push(await insertedClient(backend.store, { createdAt: NOON + i, name: `${9 - i}` }));
      }
      assert.deepEqual(await backend.store.clients.listClients(), made);
    });

    test('a second client of the same id is refused, and the first one stays as it was', async () => {
      const made = await insertedClient(backend.store);
      await assert.rejects(backend.store.clients.insertClient(client({ id: made.id, name: 'b' })));
      assert.deepEqual(await backend.store.clients.listClients(), [made]);
    });

    test('a key of a client that does not exist is not inserted', async () => {
      const orphan = key(anId());
      assert.equal(await backend.store.keys.insertKey(orphan), false);
      assert.equal(await backend.store.keys.findCaller(orphan.hash), null);
    });

    test("a key's hash leads to its client and to nobody else", async () => {
      const { store } = backend;
      const [a, b] = [await insertedClient(store), await insertedClient(store)];
      const [one, two, other] = [
        await insertedKey(store, a.id),
        await insertedKey(store, a.id),
        await insertedKey(store, b.id),
      ];
      const [first, second, third] = [
        (await store.keys.findCaller(one.hash))!,
        (await store.keys.findCaller(two.hash))!,
        (await store.keys.findCaller(other.hash))!,
      ];
      assert.deepEqual([first.clientId, first.keyId], [a.id, one.id]);
      assert.deepEqual([second.clientId, second.keyId], [a.id, two.id]);
      assert.deepEqual([third.clientId, third.keyId], [b.id, other.id]);
      assert.equal(first.clientRowId, second.clientRowId);
      assert.notEqual(first.clientRowId, third.clientRowId);
    });

    test('an unknown hash leads to nobody', async () => {
      await aClient(backend.store);
      assert.equal(await backend.store.keys.findCaller('no such hash'), null);
      assert.equal(await backend.store.keys.findCaller(''), null);
    });

    test('one hash is one key: a second key with it is refused', async () => {
      const { store } = backend;
      const [a, b] = [await insertedClient(store), await insertedClient(store)];
      const { hash, id } = await insertedKey(store, a.id);
      await assert.rejects(store.keys.insertKey(key(b.id, { hash })));
      assert.equal((await store.keys.findCaller(hash))!.keyId, id);
    });

    test('a revoked key leads to nobody, and the other keys of the client still work', async () => {
      const { store } = backend;
      const { id } = await insertedClient(store);
      const [gone, left] = [await insertedKey(store, id), await insertedKey(store, id)];
      assert.deepEqual(await store.keys.revokeKey(id, gone.id, AT_NOON), [gone.id]);
      assert.equal(await store.keys.findCaller(gone.hash), null);
      assert.equal((await store.keys.findCaller(left.hash))!.keyId, left.id);
    });

    test('revoking again changes nothing, and keeps the instant of the first time', async () => {
      const { store } = backend;
      const { id } = await insertedClient(store);
      const { id: keyId } = await insertedKey(store, id);
      await store.keys.revokeKey(id, keyId, { ...AT_NOON, revokedAt: NOON + 1 });
      assert.deepEqual(await store.keys.revokeKey(id, keyId, AT_NOON), [keyId]);
      assert.equal((await store.keys.listKeys(id))[0]!.revokedAt, NOON + 1);
    });

    test('a key that does not exist, or is of another client, is not revoked', async () => {
      const { store } = backend;
      const [a, b] = [await insertedClient(store), await insertedClient(store)];
      const { id: keyId, hash } = await insertedKey(store, b.id);
      for (const [clientId, id] of [
        [a.id, anId()],
        [a.id, keyId],
        [anId(), keyId],
      ] as const) {
        assert.deepEqual(await store.keys.revokeKey(clientId, id, AT_NOON), []);
      }
      assert.equal((await store.keys.findCaller(hash))!.keyId, keyId);
    });

    test('a key is found by its id, whose ever it is', async () => {
      const { store } = backend;
      const { id } = await insertedClient(store);
      const made = await insertedKey(store, id, { name: 'CI' });
      assert.deepEqual(await store.keys.findKey(made.id), made);
      assert.equal(await store.keys.findKey(anId()), null);
    });

    test("a client's keys are listed oldest first, revoked ones included, without another's", async () => {
      const { store } = backend;
      const [a, b] = [await insertedClient(store), await insertedClient(store)];
      const made = [];
      for (let i = 0; i < 3; i += 1) {
        made.push(await insertedKey(store, a.id, { createdAt: NOON + i }));
        await insertedKey(store, b.id);
      }
      await store.keys.revokeKey(a.id, made[1]!.id, { ...AT_NOON, revokedAt: NOON + 9 });
      const listed = await store.keys.listKeys(a.id);
      assert.deepEqual(listed, [made[0], { ...made[1], revokedAt: NOON + 9 }, made[2]]);
      assert.ok(!('revokedAt' in listed[0]!), 'what is unset is left out');
      assert.deepEqual(await store.keys.listKeys(anId()), []);
    });

    test('clients, keys and revocations outlive a restart', async () => {
      const before = backend.store;
      const made = await insertedClient(before);
      const [gone, left] = [await insertedKey(before, made.id), await insertedKey(before, made.id)];
      await before.keys.revokeKey(made.id, gone.id, AT_NOON);
      const { clients, keys } = await backend.reopen();
      assert.deepEqual(await clients.findClient(made.id), made);
      assert.equal(await keys.findCaller(gone.hash), null);
      assert.equal((await keys.findCaller(left.hash))!.keyId, left.id);
    });
  });
}
