import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSessionLive, SESSION_MS } from '../../../src/domain/access/session.ts';
import type { ApiKey } from '../../../src/store/contract/keys.ts';
import type { Session } from '../../../src/store/contract/sessions.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  NOON,
  type OpenBackend,
  SECOND,
} from '../../support/store/backend.ts';

const ALONE = { revokedAt: NOON, withDescendants: false };
const WITH_DESCENDANTS = { revokedAt: NOON, withDescendants: true };

export function accessContract(name: string, open: OpenBackend): void {
  const keyOf = (clientId: string, createdBy?: string): ApiKey => {
    const [id, hash] = [anId(), anId()];
    return { id, clientId, hash, createdAt: NOON, ...(createdBy !== undefined && { createdBy }) };
  };
  const madeBy = async (store: Store, clientId: string, createdBy: string) => {
    const key = keyOf(clientId, createdBy);
    assert.equal(await store.keys.insertKey(key), true);
    return key;
  };
  const sessionOf = (keyId: string, fields: Partial<Session> = {}): Session => {
    return { id: anId(), hash: anId(), keyId, createdAt: NOON, lastUsedAt: NOON, ...fields };
  };
  const revokedIn = async (store: Store, clientId: string) =>
    (await store.keys.listKeys(clientId)).filter(key => key.revokedAt !== undefined);

  describe(`${name}: keys of keys`, () => {
    const backend = backendOfEachTest(open);

    test('a key remembers the key that made it, over a restart', async () => {
      const { clientId, keyId } = await aClient(backend.store);
      const made = await madeBy(backend.store, clientId, keyId);
      const { keys } = await backend.reopen();
      assert.deepEqual(await keys.findKey(made.id), made);
      assert.equal((await keys.findKey(keyId))!.createdBy, undefined);
    });

    test('a key that is revoked, unknown or of another client makes none', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const gone = await madeBy(store, mine.clientId, mine.keyId);
      await store.keys.revokeKey(mine.clientId, gone.id, ALONE);
      for (const createdBy of [gone.id, anId(), theirs.keyId]) {
        const key = keyOf(mine.clientId, createdBy);
        assert.equal(await store.keys.insertKey(key), false);
        assert.equal(await store.keys.findKey(key.id), null);
      }
    });

    test('with its descendants all that came of a key goes, and nothing else', async () => {
      const { store } = backend;
      const { clientId, keyId } = await aClient(store);
      const child = await madeBy(store, clientId, keyId);
      const grandchild = await madeBy(store, clientId, child.id);
      const last = await madeBy(store, clientId, grandchild.id);
      const sibling = await madeBy(store, clientId, keyId);
      const session = sessionOf(last.id);
      await store.sessions.insertSession(session);
      const revoked = await store.keys.revokeKey(clientId, child.id, WITH_DESCENDANTS);
      assert.deepEqual(revoked.sort(), [child.id, grandchild.id, last.id]);
      assert.equal(await store.keys.findCaller(last.hash), null);
      assert.equal(await store.sessions.findSession(session.hash), null);
      assert.equal((await store.keys.findCaller(sibling.hash))!.keyId, sibling.id);
      assert.equal((await revokedIn(store, clientId)).length, 3);
    });

    test('without them they stay; and go later, though what is between was revoked before', async () => {
      const { store } = backend;
      const { clientId, keyId } = await aClient(store);
      const child = await madeBy(store, clientId, keyId);
      const grandchild = await madeBy(store, clientId, child.id);
      await store.keys.revokeKey(clientId, child.id, { ...ALONE, revokedAt: NOON - 5 });
      assert.equal((await store.keys.findCaller(grandchild.hash))!.keyId, grandchild.id);
      await store.keys.revokeKey(clientId, keyId, WITH_DESCENDANTS);
      assert.equal(await store.keys.findCaller(grandchild.hash), null);
      const instants = (await revokedIn(store, clientId)).map(({ revokedAt }) => revokedAt);
      assert.deepEqual(instants, [NOON, NOON - 5, NOON]);
    });

    test('a key that is made while what made it is revoked does not survive', async () => {
      const { store } = backend;
      for (let round = 0; round < 20; round += 1) {
        const { clientId, keyId } = await aClient(store);
        const child = await madeBy(store, clientId, keyId);
        const making = Array.from({ length: 6 }, (_, index) =>
          store.keys.insertKey(keyOf(clientId, index % 2 === 0 ? keyId : child.id)),
        );
        const revoking = store.keys.revokeKey(clientId, keyId, WITH_DESCENDANTS);
        const more = Array.from({ length: 6 }, () =>
          store.keys.insertKey(keyOf(clientId, child.id)),
        );
        const made = await Promise.all([...making, ...more]);
        await revoking;
        const keys = await store.keys.listKeys(clientId);
        assert.equal(keys.length, 2 + made.filter(Boolean).length);
        const alive = keys.filter(({ revokedAt }) => revokedAt === undefined);
        assert.deepEqual(alive, [], `round ${round}`);
      }
    });

    test('a key has a name, or none', async () => {
      const { store } = backend;
      const { clientId } = await aClient(store);
      await store.keys.insertKey({ ...keyOf(clientId), name: 'CI' });
      const names = (await store.keys.listKeys(clientId)).map(key => ['name' in key, key.name]);
      assert.deepEqual(names, [
        [false, undefined],
        [true, 'CI'],
      ]);
    });
  });

  describe(`${name}: sessions`, () => {
    const backend = backendOfEachTest(open);

    test('a session leads to its caller with its times, until it is ended or the key is revoked', async () => {
      const { store } = backend;
      const { keys, sessions } = store;
      const caller = await aClient(store);
      const [a, b] = [sessionOf(caller.keyId), sessionOf(caller.keyId)];
      for (const session of [a, b]) assert.equal(await sessions.insertSession(session), true);
      assert.deepEqual(await sessions.findSession(a.hash), {
        caller: { ...caller, sessionId: a.id },
        createdAt: NOON,
        lastUsedAt: NOON,
      });
      assert.equal(await sessions.findSession('unknown'), null);
      assert.deepEqual(await sessions.endSessions(caller.clientId, a.id), [a.hash]);
      assert.deepEqual(await sessions.endSessions(caller.clientId, a.id), []);
      assert.equal(await sessions.findSession(a.hash), null, 'ended');
      await keys.revokeKey(caller.clientId, caller.keyId, ALONE);
      assert.equal(await sessions.findSession(b.hash), null, 'revoked');
    });

    test('a use is noted, also one that is earlier than the one before', async () => {
      const { store } = backend;
      const { keyId } = await aClient(store);
      const session = sessionOf(keyId);
      await store.sessions.insertSession(session);
      for (const usedAt of [NOON + 90_000, NOON + 60_000]) {
        await store.sessions.noteSessionUse(session.hash, usedAt);
        assert.equal((await store.sessions.findSession(session.hash))!.lastUsedAt, usedAt);
      }
    });

    test('a session needs a valid key, and a new one takes away those that are over', async () => {
      const { store } = backend;
      const { keys, sessions } = store;
      const { clientId, keyId } = await aClient(store);
      const gone = await madeBy(store, clientId, keyId);
      await keys.revokeKey(clientId, gone.id, ALONE);
      for (const other of [anId(), gone.id]) {
        assert.equal(await sessions.insertSession(sessionOf(other)), false);
      }
      const [old, last] = [
        sessionOf(keyId, { createdAt: NOON - SESSION_MS - 1 }),
        sessionOf(keyId, { createdAt: NOON - SESSION_MS }),
      ];
      for (const session of [old, last]) await sessions.insertSession(session);
      assert.notEqual(await sessions.findSession(old.hash), null);
      await sessions.insertSession(sessionOf(keyId));
      assert.equal(await sessions.findSession(old.hash), null);
      assert.notEqual(await sessions.findSession(last.hash), null);
    });

    test('a clock that was wrong for a moment ends no session for ever, and makes none immortal', async () => {
      const { store } = backend;
      const { sessions } = store;
      const { keyId } = await aClient(store);
      const begunAt = async (createdAt: number) => {
        const session = sessionOf(keyId, { createdAt, lastUsedAt: createdAt });
        await sessions.insertSession(session);
        return session.hash;
      };
      const isLive = async (hash: string, now: number) => {
        const found = await sessions.findSession(hash);
        return found !== null && isSessionLive(found, now);
      };
      const right = await begunAt(NOON);
      const [past, future] = [await begunAt(Date.UTC(2020, 0)), await begunAt(NOON + SESSION_MS)];
      assert.equal(await isLive(right, NOON + SECOND), true);
      assert.equal(await isLive(past, NOON + SECOND), false);
      assert.equal(await isLive(future, NOON + SECOND), false);
      await sessions.noteSessionUse(right, NOON + SESSION_MS);
      assert.equal(await isLive(right, NOON + SESSION_MS), false);
      const { sessions: reopened } = await backend.reopen();
      const far = sessionOf(keyId, { createdAt: Date.UTC(2030, 0), lastUsedAt: Date.UTC(2030, 0) });
      await reopened.insertSession(far);
      assert.equal(isSessionLive((await reopened.findSession(far.hash))!, NOON), false);
    });

    test("a client's sessions are listed newest first, and ended one or all, without another's", async () => {
      const { store } = backend;
      const { sessions } = store;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const second = await madeBy(store, mine.clientId, mine.keyId);
      const made = [sessionOf(mine.keyId), sessionOf(second.id), sessionOf(mine.keyId)];
      const other = sessionOf(theirs.keyId);
      for (const session of [...made, other]) await sessions.insertSession(session);
      assert.deepEqual(await sessions.listSessions(mine.clientId, 10), made.toReversed());
      assert.deepEqual(await sessions.listSessions(mine.clientId, 1), [made[2]]);
      assert.deepEqual(await sessions.endSessions(theirs.clientId, made[0]!.id), []);
      const ended = await sessions.endSessions(mine.clientId);
      assert.deepEqual(ended.sort(), made.map(({ hash }) => hash).sort());
      assert.deepEqual(await sessions.listSessions(mine.clientId, 10), []);
      assert.deepEqual(await sessions.listSessions(theirs.clientId, 10), [other]);
    });
  });
}
