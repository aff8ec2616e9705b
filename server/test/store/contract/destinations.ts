import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DestinationConfig } from '../../../src/domain/destination/destination.ts';
import { MOST_DESTINATIONS } from '../../../src/store/contract/destinations.ts';
import type { Caller } from '../../../src/store/contract/keys.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  changed,
  MINUTE,
  NOON,
  type OpenBackend,
  stored,
} from '../../support/store/backend.ts';

const CONFIG: DestinationConfig = {
  hosts: ['api.example.com', '*.müller.example'],
  auth: { type: 'basic', username: 'Jürgen' },
};
const FIRST = Number.MAX_SAFE_INTEGER;

export function destinationsContract(name: string, open: OpenBackend): void {
  describe(`${name}: destinations`, () => {
    const backend = backendOfEachTest(open);

    const aChange = (secrets?: string, config = CONFIG) => ({
      ...{ config, version: anId() },
      ...(secrets !== undefined && { secrets }),
    });
    const put = async (store: Store, caller: Caller, named: string, secrets?: string) => {
      const change = aChange(secrets);
      const made = await store.destinations.put(caller, named, null, change, NOON);
      assert.notEqual(made, 'changed');
      return change;
    };
    const naming = (store: Store, caller: Caller, destination: string) =>
      stored(store, caller, { delivery: { destination } });

    test('one that is put is found by its own client, its secrets apart', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const { destinations } = store;
      const change = aChange('{"password":"☂"}');
      const { secrets, ...shown } = { name: 'billing', createdAt: NOON, ...change };
      assert.deepEqual(await destinations.put(mine, 'billing', null, change, NOON), shown);
      assert.deepEqual(await destinations.find(mine.clientRowId, 'billing'), shown);
      assert.deepEqual(await destinations.findSecret(mine, 'billing'), { ...shown, secrets });
      assert.equal(await destinations.find(mine.clientRowId, 'other'), null);
      assert.equal(await destinations.find(theirs.clientRowId, 'billing'), null);
      assert.equal(await destinations.findSecret(theirs, 'billing'), null);
    });

    test('one without secrets has none, and a change takes them away', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { version } = await put(store, caller, 'billing', '{"password":"x"}');
      const change = aChange();
      await store.destinations.put(caller, 'billing', version, change, NOON + MINUTE);
      assert.deepEqual(await store.destinations.findSecret(caller, 'billing'), {
        ...{ name: 'billing', createdAt: NOON, updatedAt: NOON + MINUTE },
        ...change,
      });
    });

    test('a writer that has read another version changes nothing', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { destinations } = store;
      assert.equal(await destinations.put(caller, 'a', anId(), aChange(), NOON), 'changed');
      const { version } = await put(store, caller, 'a', 'first');
      for (const expected of [null, anId()]) {
        const late = aChange('late');
        assert.equal(await destinations.put(caller, 'a', expected, late, NOON), 'changed');
      }
      const found = (await destinations.findSecret(caller, 'a'))!;
      assert.deepEqual([found.version, found.secrets], [version, 'first']);
    });

    test('of two who make or replace one at the same moment, one does', async () => {
      const { store } = backend;
      const caller = await aClient(store);
      const { version } = await put(store, caller, 'old');
      for (const [named, expected] of [
        ['old', version],
        ['new', null],
      ] as const) {
        const results = await Promise.all(
          Array.from({ length: 4 }, () =>
            store.destinations.put(caller, named, expected, aChange(), NOON),
          ),
        );
        assert.equal(results.filter(result => result !== 'changed').length, 1);
      }
    });

    test('they are listed by name, in pages, without secrets', async () => {
      const { store } = backend;
      const [caller, other] = [await aClient(store), await aClient(store)];
      const { destinations } = store;
      for (const named of ['b', 'a-1', 'a1', 'c']) await put(store, caller, named, 'x');
      await put(store, other, 'd');
      const names = async (limit: number, after?: string) =>
        (await destinations.list(caller.clientRowId, limit, after)).map(each => each.name);
      assert.deepEqual(await names(10), ['a-1', 'a1', 'b', 'c']);
      assert.deepEqual(await names(2, 'a-1'), ['a1', 'b']);
      assert.deepEqual(await names(10, 'c'), []);
      for (const each of await destinations.list(caller.clientRowId, 10)) {
        assert.ok(!('secrets' in each));
      }
    });

    test('a client has so many at most, and may replace those that it has', async () => {
      const { store } = backend;
      const [caller, other] = [await aClient(store), await aClient(store)];
      const names = Array.from({ length: MOST_DESTINATIONS }, (_, index) => `d${index}`);
      for (let at = 0; at < names.length; at += 50) {
        await Promise.all(names.slice(at, at + 50).map(each => put(store, caller, each)));
      }
      await assert.rejects(put(store, caller, 'more'), { code: 'quota_exceeded' });
      await put(store, other, 'more');
      const { version } = (await store.destinations.find(caller.clientRowId, 'd0'))!;
      const replaced = await store.destinations.put(caller, 'd0', version, aChange(), NOON);
      assert.notEqual(replaced, 'changed');
      assert.equal(await store.destinations.delete(caller.clientRowId, 'd1'), 'deleted');
      await put(store, caller, 'more');
    });

    test('one is deleted where nothing names it', async () => {
      const { store } = backend;
      const [caller, other] = [await aClient(store), await aClient(store)];
      const { destinations } = store;
      await put(store, caller, 'a');
      const schedule = await naming(store, caller, 'a');
      assert.equal(await destinations.delete(caller.clientRowId, 'a'), 'inUse');
      assert.equal(await destinations.delete(other.clientRowId, 'a'), 'unknown');
      await changed(store, caller, schedule, { status: 'deleted' }, NOON, null);
      assert.equal(await destinations.delete(caller.clientRowId, 'a'), 'deleted');
      assert.equal(await destinations.delete(caller.clientRowId, 'a'), 'unknown');
      assert.equal(await destinations.find(caller.clientRowId, 'a'), null);
    });

    test('uses are the schedules that are not deleted', async () => {
      const { store } = backend;
      const [caller, other] = [await aClient(store), await aClient(store)];
      const first = await naming(store, caller, 'a');
      await naming(store, caller, 'a');
      const leaving = await naming(store, caller, 'b');
      await naming(store, other, 'a');
      const { destinations } = store;
      const uses = () => destinations.usedBy(caller.clientRowId, ['a', 'b', 'c']);
      assert.deepEqual(
        await uses(),
        new Map([
          ['a', 2],
          ['b', 1],
          ['c', 0],
        ]),
      );
      await changed(store, caller, first, { status: 'deleted' }, NOON, null);
      await changed(store, caller, leaving, { delivery: { destination: 'c' } }, NOON, null);
      assert.deepEqual(
        await uses(),
        new Map([
          ['a', 1],
          ['b', 0],
          ['c', 1],
        ]),
      );
    });

    test('schedules that name it come in pages, newest first, with url and headers', async () => {
      const { store } = backend;
      const [caller, other] = [await aClient(store), await aClient(store)];
      const { destinations } = store;
      const headers = { Authorization: 'Bearer x' };
      const delivery = { destination: 'a' };
      const first = await stored(store, caller, { delivery, headers });
      const second = await naming(store, caller, 'a');
      const deleted = await naming(store, caller, 'a');
      await changed(store, caller, deleted, { status: 'deleted' }, NOON, null);
      await naming(store, caller, 'b');
      await naming(store, other, 'a');
      const [newest, ...none] = await destinations.namedBy(caller.clientRowId, 'a', FIRST, 1);
      assert.deepEqual(none, []);
      const { scheduleRowId, ...shown } = newest!;
      assert.deepEqual(shown, { id: second.id, url: second.url });
      const rest = await destinations.namedBy(caller.clientRowId, 'a', scheduleRowId, 10);
      assert.deepEqual(
        rest.map(({ id, url, headers: own }) => ({ id, url, headers: own })),
        [{ id: first.id, url: first.url, headers }],
      );
    });

    test('firings read those that are there, of several clients at once', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const own = await put(store, mine, 'a', 'mine');
      const others = await put(store, theirs, 'a', 'theirs');
      await put(store, theirs, 'b');
      const found = await store.destinations.present([
        { clientRowId: mine.clientRowId, name: 'a' },
        { clientRowId: mine.clientRowId, name: 'b' },
        { clientRowId: theirs.clientRowId, name: 'a' },
      ]);
      const expected = (caller: Caller, change: object) => ({
        ...{ name: 'a', createdAt: NOON, ...change },
        ...{ clientRowId: caller.clientRowId, clientId: caller.clientId },
      });
      assert.deepEqual(
        found.sort((one, two) => one.clientRowId - two.clientRowId),
        [expected(mine, own), expected(theirs, others)],
      );
      assert.deepEqual(await store.destinations.present([]), []);
    });

    test('the deletion of a client wipes its secrets, and not those of others', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      await put(store, mine, 'a', 'mine');
      await put(store, theirs, 'a', 'theirs');
      await store.clients.delete(mine.clientId, NOON);
      assert.equal((await store.destinations.findSecret(mine, 'a'))!.secrets, undefined);
      assert.equal((await store.destinations.findSecret(theirs, 'a'))!.secrets, 'theirs');
    });

    test('several are found by name, without secrets', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      for (const named of ['a', 'b', 'c']) await put(store, mine, named, 'x');
      await put(store, theirs, 'd', 'x');
      const found = await store.destinations.findAll(mine.clientRowId, ['c', 'a', 'd', 'e']);
      assert.deepEqual(found.map(each => each.name).sort(), ['a', 'c']);
      assert.ok(found.every(each => !('secrets' in each)));
      assert.deepEqual(await store.destinations.findAll(mine.clientRowId, []), []);
    });

    test('secrets of all clients come in pages, and are replaced where they are still the same', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const { destinations } = store;
      const { version } = await put(store, mine, 'b', 'one');
      await put(store, mine, 'a');
      await put(store, theirs, 'a', 'two');
      const first = await destinations.secrets(null, 1);
      assert.deepEqual(first, [
        { clientRowId: mine.clientRowId, clientId: mine.clientId, name: 'b', secrets: 'one' },
      ]);
      const rest = await destinations.secrets(first[0]!, 10);
      assert.deepEqual(rest, [
        { clientRowId: theirs.clientRowId, clientId: theirs.clientId, name: 'a', secrets: 'two' },
      ]);
      const named = { clientRowId: mine.clientRowId, name: 'b' };
      assert.equal(await destinations.replaceSecrets(named, 'other', 'x'), false);
      assert.equal(await destinations.replaceSecrets(named, 'one', 'anew'), true);
      const found = (await destinations.findSecret(mine, 'b'))!;
      assert.deepEqual([found.secrets, found.version], ['anew', version]);
      assert.equal(found.updatedAt, undefined);
    });
  });
}
