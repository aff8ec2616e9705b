import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BreakerRecord } from '../../../src/store/contract/breakers.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import {
  aClient,
  anId,
  backendOfEachTest,
  MINUTE,
  NOON,
  type OpenBackend,
  SECOND,
} from '../../support/store/backend.ts';

const A = 'https://a.example';
const B = 'https://b.example:8443';
const OPEN_UNTIL = NOON + 10 * MINUTE;

export function breakersContract(name: string, open: OpenBackend): void {
  describe(`${name}: breakers`, () => {
    const backend = backendOfEachTest(open);

    const aBreaker = (clientRowId: number, fields: Partial<BreakerRecord> = {}): BreakerRecord => ({
      id: anId(),
      clientRowId,
      origin: A,
      since: NOON,
      openedAt: NOON + 10 * SECOND,
      ...fields,
    });
    const openOf = async ({ stats }: Store, clientRowId: number, now = NOON + MINUTE) =>
      (await stats.openBreakers(clientRowId, now, 10)).map(({ origin, since }) => [origin, since]);
    const changesOf = async ({ stats }: Store, clientRowId: number, after = NOON, limit = 10) =>
      (await stats.breakersSince(clientRowId, after, limit)).map(({ change, at, origin }) => [
        change,
        at,
        origin,
      ]);

    test('one that is noted as open is open and told, to its own client', async () => {
      const { store } = backend;
      const [mine, theirs] = [await aClient(store), await aClient(store)];
      const breaker = aBreaker(mine.clientRowId);
      await store.breakers.note([breaker], OPEN_UNTIL);
      const { id, origin, since, openedAt } = breaker;
      assert.deepEqual(await store.stats.openBreakers(mine.clientRowId, NOON, 10), [
        { origin, since, openedAt },
      ]);
      assert.deepEqual(await store.stats.breakersSince(mine.clientRowId, openedAt, 10), [
        { id, origin, since, openedAt, change: 'opened', at: openedAt },
      ]);
      assert.deepEqual(await changesOf(store, mine.clientRowId, openedAt + 1), []);
      assert.deepEqual(await openOf(store, theirs.clientRowId), []);
      assert.deepEqual(await changesOf(store, theirs.clientRowId), []);
    });

    test('noted as closed it is no longer open, and both changes are told in order', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const [a, b] = [
        aBreaker(clientRowId),
        aBreaker(clientRowId, { origin: B, openedAt: NOON + MINUTE }),
      ];
      await store.breakers.note([b, a], OPEN_UNTIL);
      await store.breakers.note([{ ...a, closedAt: NOON + 2 * MINUTE }], OPEN_UNTIL);
      assert.deepEqual(await openOf(store, clientRowId), [[B, NOON]]);
      const told = [
        ['opened', a.openedAt, A],
        ['opened', b.openedAt, B],
        ['closed', NOON + 2 * MINUTE, A],
      ];
      assert.deepEqual(await changesOf(store, clientRowId), told);
      assert.deepEqual(await changesOf(store, clientRowId, NOON, 2), told.slice(0, 2));
      const closed = (await store.stats.breakersSince(clientRowId, NOON + MINUTE + 1, 10))[0]!;
      assert.deepEqual([closed.id, closed.since], [a.id, a.since]);
    });

    test('one that opened and closed before it was noted is told all the same', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const breaker = aBreaker(clientRowId, { closedAt: NOON + 30 * SECOND });
      await store.breakers.note([breaker], OPEN_UNTIL);
      assert.deepEqual(
        (await changesOf(store, clientRowId)).map(([change]) => change),
        ['opened', 'closed'],
      );
    });

    test('where several engines have one for a host, it opens with the first and closes with the last', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const first = aBreaker(clientRowId, { since: NOON + 5 });
      const second = aBreaker(clientRowId, { openedAt: NOON + 20 * SECOND });
      const same = aBreaker(clientRowId, { openedAt: first.openedAt });
      await store.breakers.note([first, second, same], OPEN_UNTIL);
      assert.deepEqual(await openOf(store, clientRowId), [[A, NOON]]);
      await store.breakers.note(
        [
          { ...first, closedAt: NOON + MINUTE },
          { ...same, closedAt: NOON + MINUTE },
        ],
        OPEN_UNTIL,
      );
      assert.deepEqual(await openOf(store, clientRowId), [[A, NOON]]);
      assert.deepEqual(await changesOf(store, clientRowId), [['opened', first.openedAt, A]]);
      await store.breakers.note([{ ...second, closedAt: NOON + 2 * MINUTE }], OPEN_UNTIL);
      assert.deepEqual(await changesOf(store, clientRowId), [
        ['opened', first.openedAt, A],
        ['closed', NOON + 2 * MINUTE, A],
      ]);
    });

    test('those that close at the same instant are told once', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const closedAt = NOON + MINUTE;
      await store.breakers.note(
        [1, 2, 3].map(() => aBreaker(clientRowId, { closedAt })),
        OPEN_UNTIL,
      );
      assert.deepEqual(
        (await changesOf(store, clientRowId)).map(([change]) => change),
        ['opened', 'closed'],
      );
    });

    test('one whose engine is gone is open for its time, then not, and is closed when somebody looks', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const [gone, alive] = [aBreaker(clientRowId), aBreaker(clientRowId, { origin: B })];
      await store.breakers.note([gone, alive], OPEN_UNTIL);
      await store.breakers.note([alive], OPEN_UNTIL + MINUTE);
      assert.equal((await openOf(store, clientRowId, OPEN_UNTIL - 1)).length, 2);
      assert.deepEqual(await openOf(store, clientRowId, OPEN_UNTIL), [[B, NOON]]);
      await store.breakers.closeForgotten(OPEN_UNTIL + 5, OPEN_UNTIL + 5);
      assert.deepEqual(await changesOf(store, clientRowId, OPEN_UNTIL), [
        ['closed', OPEN_UNTIL + 5, A],
      ]);
      // It only slept.
      await store.breakers.note([gone], OPEN_UNTIL + 9 * MINUTE);
      assert.equal((await openOf(store, clientRowId, OPEN_UNTIL)).length, 2);
    });

    test('they go with the history of failed runs, and open ones stay', async () => {
      const { store } = backend;
      const { clientRowId } = await aClient(store);
      const closedAt = NOON + MINUTE;
      await store.breakers.note(
        [aBreaker(clientRowId, { closedAt }), aBreaker(clientRowId, { origin: B })],
        OPEN_UNTIL,
      );
      const day = 86_400_000;
      const limits = { succeededBefore: 0, failedBefore: NOON };
      assert.equal(await store.runs.prune(limits), 0);
      assert.equal(await store.runs.prune({ ...limits, failedBefore: NOON + day }), 1);
      assert.deepEqual(
        (await changesOf(store, clientRowId)).map(([, , origin]) => origin),
        [B],
      );
    });
  });
}
