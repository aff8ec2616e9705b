import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { PunctualError } from '../../src/domain/errors.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { type Answer, type Service, startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord } from '../support/store/backend.ts';

/** Calls with an Idempotency-Key: sent again they make nothing, and are answered with what the first one made. */

const DAY_MS = 86_400_000;
const clock = new ManualClock('2026-06-01T12:00:00Z');
const service = await startService({ clock });
after(() => service.close());

const post = (path: string, key: string | null, body?: unknown, by: Service = service) =>
  by.call('POST', path, {
    headers: { 'Idempotency-Key': key },
    ...(body !== undefined && { body }),
  });
const create = (key: string | null, body: unknown = valid, by = service) =>
  post('/v1/schedule', key, body, by);
const batch = (key: string, items: unknown) => post('/v1/schedule/batch', key, { items });
const count = async (by = service) =>
  (await by.call('GET', '/v1/schedule?limit=100')).body.items.length;
const code = ({ headers }: Answer) => headers.get('Punctual-Error-Code');

function assertReplayed(answer: Answer): void {
  assertOk(answer);
  assert.equal(answer.headers.get('Idempotent-Replayed'), 'true');
}

function assertFirst(answer: Answer): void {
  assertOk(answer);
  assert.equal(answer.headers.get('Idempotent-Replayed'), null);
}

describe('a create', () => {
  test('200: the same schedule again, with its ETag, and none is made', async () => {
    const before = await count();
    const first = await create('create-1');
    assertFirst(first);
    const again = await create('create-1');
    assertReplayed(again);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('ETag'), first.headers.get('ETag'));
    assert.equal(await count(), before + 1);
  });

  test('200: as it stands now: changed, and deleted', async () => {
    const { id } = (await create('create-2')).body;
    await service.call('PATCH', `/v1/schedule/${id}`, { body: { label: 'changed' } });
    const changed = await create('create-2');
    assertReplayed(changed);
    assert.equal(changed.body.label, 'changed');
    await service.call('DELETE', `/v1/schedule/${id}`);
    const deleted = await create('create-2');
    assertReplayed(deleted);
    assert.deepEqual([deleted.body.id, deleted.body.status], [id, 'deleted']);
    assert.notEqual(deleted.headers.get('ETag'), changed.headers.get('ETag'));
  });

  test('200: without a key each call makes one', async () => {
    const [a, b] = [await create(null), await create(null)];
    assert.notEqual(a.body.id, b.body.id);
    assert.equal(b.headers.get('Idempotent-Replayed'), null);
  });

  test("200: another client's key is another key", async () => {
    const mine = await create('shared');
    const theirs = await service.call('POST', '/v1/schedule', {
      body: valid,
      headers: { 'Idempotency-Key': 'shared' },
      as: service.theirs,
    });
    assertFirst(theirs);
    assert.notEqual(theirs.body.id, mine.body.id);
  });

  test('200: a key is kept for 24 hours, and makes another one then', async () => {
    const { id } = (await create('kept')).body;
    const start = clock.now();
    await clock.jump(start + DAY_MS);
    const last = await create('kept');
    await clock.jump(start + DAY_MS + 1);
    const later = await create('kept');
    await clock.jump(start);
    assertReplayed(last);
    assertFirst(later);
    assert.deepEqual([last.body.id, later.body.id !== id], [id, true]);
  });

  test('400: a refusal is not kept: the key is free for a call that is right', async () => {
    assertError(await create('refused', { ...valid, interval: 'x' }), 400, /interval/);
    assertError(await create('refused', { ...valid, more: 1 }), 400, /"more"/);
    assertFirst(await create('refused'));
  });

  test('200: an external id that it has taken itself is no obstacle', async () => {
    const body = { ...valid, externalId: 'idempotent' };
    const first = await create('taken', body);
    assertReplayed(await create('taken', body));
    assertError(await create('taken-2', body), 400, /is taken by another schedule/);
    await service.call('DELETE', `/v1/schedule/${first.body.id}`);
    assertFirst(await create('taken-2', body));
  });
});

describe('a batch', () => {
  test('200: the same schedules in the same order', async () => {
    const items = [
      { ...valid, label: 'a' },
      { ...valid, label: 'b' },
      { ...valid, label: 'c' },
    ];
    const first = await batch('batch-1', items);
    assertFirst(first);
    await service.call('DELETE', `/v1/schedule/${first.body.items[1].id}`);
    const again = await batch('batch-1', items);
    assertReplayed(again);
    const told = (answer: Answer) => answer.body.items.map(({ id }: Wire.Schedule) => id);
    assert.deepEqual(told(again), told(first));
    assert.equal(again.body.items[1].status, 'deleted');
  });

  test('200: an empty one too', async () => {
    assertFirst(await batch('batch-empty', []));
    const again = await batch('batch-empty', []);
    assertReplayed(again);
    assert.deepEqual(again.body, { items: [] });
    assert.equal((await batch('batch-empty', [valid])).status, 422);
  });
});

describe('a trigger', () => {
  test('200: the same run, in whatever status it is, of a schedule that is deleted too', async () => {
    const { id } = await service.create({ externalId: 'triggered' });
    const trigger = (name: string) => post(`/v1/schedule/${name}/trigger`, 'trigger-1');
    service.told.length = 0;
    const first = await trigger('ext:triggered');
    assertFirst(first);
    const again = await trigger('ext:triggered');
    assertReplayed(again);
    assert.deepEqual(again.body, first.body);
    assert.deepEqual(service.told, ['outbox']);
    assert.equal((await trigger(id)).status, 422, 'another path');
    const [claim] = await service.store.outbox.claim(clock.now(), 10);
    assert.ok(claim?.id === first.body.id && claim?.kind === 'manual');
    assert.equal((await trigger('ext:triggered')).body.status, 'running');
    const { clientRowId, scheduleRowId, attempt, claimedAt } = claim;
    const record = { ...aRecord(id, clock.now()), id: claim.id, trigger: 'manual' as const };
    const { attempts } = record;
    const ended = { next: 'succeeded' as const, record, attempts, callbacks: [] };
    await service.store.outbox.settle([
      { id: claim.id, clientRowId, scheduleRowId, kind: 'manual', attempt, claimedAt, ...ended },
    ]);
    await service.call('DELETE', `/v1/schedule/${id}`);
    const last = await trigger('ext:triggered');
    assertReplayed(last);
    assert.deepEqual([last.body.id, last.body.status], [first.body.id, 'succeeded']);
    assertError(await post(`/v1/schedule/${id}/trigger`, 'trigger-2'), 400, /deleted/);
    const runs = await service.call('GET', `/v1/run?scheduleId=${id}`);
    assert.equal(runs.body.items.length, 1);
  });
});

describe('the key', () => {
  for (const [sent, same] of [
    ['"quoted-1"', 'quoted-1'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    ['it\'s "bare"', '"it\'s \\"bare\\""'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
  ] as const) {
    test(`200: ${sent.slice(0, 40)} is the same in quotes and bare`, async () => {
      assertFirst(await create(sent));
      assertReplayed(await create(same));
    });
  }

  for (const wrong of [
    '',
    '""',
    '"a',
    '"',
    '"a"b"',
    '"a"; b=1',
    '"a\\b"',
    '"é"',
    'é',
    'a\tb',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
  ]) {
    test(`400: ${JSON.stringify(wrong).slice(0, 40)}, and nothing is made`, async () => {
      const before = await count();
      const answer = await create(wrong);
      assertError(answer, 400, /Idempotency-Key must have 1 to 255 printable ASCII characters/);
      assert.equal(await count(), before);
    });
  }

  test('422: with another body, path or method, and nothing is made', async () => {
    const { id } = (await create('another')).body;
    const before = await count();
    for (const answer of [
      await create('another', { ...valid, label: 'b' }),
      await batch('another', [valid]),
      await post(`/v1/schedule/${id}/trigger`, 'another'),
    ]) {
      assertError(answer, 422, /sent with another request/);
      assert.equal(code(answer), 'idempotency_mismatch');
    }
    assert.equal(await count(), before);
    assertReplayed(await create('another'));
  });

  test('200: it counts for nothing where nothing is made', async () => {
    assertFirst(await post('/v1/preview', 'preview', { interval: '@daily', timezone: 'UTC' }));
    assertFirst(await create('preview'));
  });
});

describe('at the same time', () => {
  test('of fifty callers one makes it; the others are told to wait, or replay it', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('raced')));
    const made = answers.filter(({ status }) => status === 200);
    const ids = new Set(made.map(({ body }) => body.id));
    assert.equal(ids.size, 1);
    const conflicts = answers.filter(({ status }) => status !== 200);
    for (const answer of conflicts) {
      assertError(answer, 409, /goes on/);
      assert.equal(code(answer), 'idempotency_conflict');
      assert.equal(answer.headers.get('Retry-After'), '1');
    }
    assert.equal(await count(), before + 1);
    const again = await Promise.all(Array.from({ length: 50 }, () => create('raced')));
    for (const answer of again) assertReplayed(answer);
  });

  test('409 while the first goes on, 422 for another request, and 200 when it has ended', async t => {
    const { by, goOn } = await held(t);
    const first = create('held', valid, by);
    await goOn.begun;
    const same = await create('held', valid, by);
    const other = await create('held', { ...valid, label: 'b' }, by);
    const free = await create('other', valid, by);
    goOn.resolve();
    assertError(same, 409);
    assertError(other, 422);
    assertFirst(free);
    assertFirst(await first);
    assertReplayed(await create('held', valid, by));
  });

  test('200: of two nodes the slower one replays what the faster one made', async t => {
    const store = openSqlite(':memory:');
    const [one, two] = [await nodeOn(t, store), await nodeOn(t, store)];
    const body = { ...valid, externalId: 'both' };
    const key = 'two-nodes';
    for (const what of [valid, body]) {
      const own = what === body ? `${key}-2` : key;
      let faster: Answer | undefined;
      two.before = async () => {
        two.before = undefined;
        faster = await as(one.by, own, what);
      };
      const slower = await as(two.by, own, what);
      assertFirst(faster!);
      assertReplayed(slower);
      assert.equal(slower.body.id, faster!.body.id);
    }
    assertError(await as(two.by, key, { ...valid, label: 'x' }), 422);
    one.by.app.server.closeAllConnections();
    await one.by.app.close();

    function as(by: Service, own: string, sent: unknown) {
      return by.call('POST', '/v1/schedule', {
        body: sent,
        headers: { 'Idempotency-Key': own },
        as: one.by.mine,
      });
    }
  });
});

test('200: what is taken meanwhile by the same call, on another node, is no refusal', async t => {
  const store = openSqlite(':memory:');
  const slow = await startService({
    store: {
      ...store,
      schedules: {
        ...store.schedules,
        async insert(clientRowId, schedules, call) {
          await store.schedules.insert(clientRowId, schedules, call);
          throw new PunctualError('external_id_taken', 'externalId "x" is taken.');
        },
      },
    },
  });
  t.after(() => slow.close());
  assertReplayed(await create('slow', { ...valid, externalId: 'x' }, slow));
  assertError(await create(null, { ...valid, externalId: 'y' }, slow), 400, /is taken/);
});

test('200: a batch keeps its order, however the store answers', async t => {
  const store = openSqlite(':memory:');
  const turned = await startService({
    store: {
      ...store,
      schedules: {
        ...store.schedules,
        findAll: async (...asked) => (await store.schedules.findAll(...asked)).reverse(),
      },
    },
  });
  t.after(() => turned.close());
  const items = [valid, { ...valid, label: 'b' }, { ...valid, label: 'c' }];
  const first = await post('/v1/schedule/batch', 'order', { items }, turned);
  const again = await post('/v1/schedule/batch', 'order', { items }, turned);
  assertReplayed(again);
  assert.deepEqual(again.body, first.body);
});

/** A service whose first insert waits until it is told to go on. */
async function held(t: { after(end: () => Promise<void>): void }) {
  const store = openSqlite(':memory:');
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  let isFirst = true;
  const schedules: Store['schedules'] = {
    ...store.schedules,
    async insert(...asked) {
      if (isFirst) {
        isFirst = false;
        begun.resolve();
        await going.promise;
      }
      return store.schedules.insert(...asked);
    },
  };
  const by = await startService({ store: { ...store, schedules } });
  t.after(() => by.close());
  return { by, goOn: { begun: begun.promise, resolve: going.resolve } };
}

/** A node on a shared store; `before` is called before it inserts. */
async function nodeOn(t: { after(end: () => Promise<void>): void }, store: Store) {
  const node: { by: Service; before: (() => Promise<void>) | undefined } = {
    by: await startService({
      store: {
        ...store,
        schedules: {
          ...store.schedules,
          async insert(...asked) {
            await node.before?.();
            return store.schedules.insert(...asked);
          },
        },
        close: async () => {},
      },
    }),
    before: undefined,
  };
  t.after(() => node.by.close());
  return node;
}
