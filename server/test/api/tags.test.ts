import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

/** Tags: kept as they are sent, and asked for by lists. */

const service = await startService();
after(() => service.close());
const list = (query: string) => service.call('GET', `/v1/schedule?${query}`);
const runs = (query: string) => service.call('GET', `/v1/run?${query}`);
const labels = async (query: string) =>
  (await list(query)).body.items.map(({ label }: Wire.Schedule) => label);

for (const [label, tags] of [
  ['a', { team: 'billing', tier: 'one' }],
  ['b', { team: 'billing' }],
  ['c', { team: 'mail:eu', tier: 'one' }],
  ['d', { team: '' }],
  ['e', undefined],
] as const) {
  const made = await service.create({ label, tags });
  await service.call('POST', `/v1/schedule/${made.id}/trigger`);
}
await service.create({ label: 'theirs', tags: { team: 'billing' } }, service.theirs);

describe('GET /v1/schedule', () => {
  test('200: by key and value, by key, and all that are asked for', async () => {
    assert.deepEqual(await labels('tag=team:billing'), ['b', 'a']);
    assert.deepEqual(await labels('tag=team'), ['d', 'c', 'b', 'a']);
    assert.deepEqual(await labels('tag=team:billing&tag=tier:one'), ['a']);
    assert.deepEqual(await labels('tag=tier&tag=team:mail:eu'), ['c']);
    assert.deepEqual(await labels('tag=team:'), ['d']);
    assert.deepEqual(await labels('tag=team%3Abilling&tag=team:billing'), ['b', 'a']);
    assert.deepEqual(await labels('tag=nobody'), []);
  });

  test('200: beside other filters, and page by page', async () => {
    assert.deepEqual(await labels('tag=team&label=a'), ['a']);
    const first = await list('tag=team&limit=3');
    assert.equal(first.body.items.length, 3);
    assert.deepEqual(await labels(`tag=team&limit=3&cursor=${first.body.nextCursor}`), ['a']);
  });

  test('200: a tag that a PATCH adds or removes counts at once', async () => {
    const { id } = await service.create({ label: 'moving', tags: { at: 'first' } });
    await service.call('PATCH', `/v1/schedule/${id}`, { body: { tags: { at: 'second', x: '1' } } });
    assert.deepEqual(await labels('tag=at:first'), []);
    assert.deepEqual(await labels('tag=at:second&tag=x'), ['moving']);
    await service.call('PATCH', `/v1/schedule/${id}`, { body: { tags: null } });
    assert.deepEqual(await labels('tag=at'), []);
  });

  test('200: deleted ones only where they are asked for', async () => {
    const { id } = await service.create({ label: 'gone', tags: { gone: 'yes' } });
    await service.call('DELETE', `/v1/schedule/${id}`);
    assert.deepEqual(await labels('tag=gone'), []);
    assert.deepEqual(await labels('tag=gone:yes&status=deleted'), ['gone']);
  });
});

describe('GET /v1/run', () => {
  const scheduleIds = async (query: string) =>
    new Set((await runs(query)).body.items.map(({ scheduleId }: Wire.Run) => scheduleId));
  const idsOf = async (query: string) =>
    new Set((await list(query)).body.items.map(({ id }: Wire.Schedule) => id));

  test('200: of the schedules that have all these tags', async () => {
    for (const tag of ['tag=team:billing', 'tag=team', 'tag=team:billing&tag=tier', 'tag=no']) {
      assert.deepEqual(await scheduleIds(tag), await idsOf(tag), tag);
    }
  });

  test('200: page by page until there is no cursor', async () => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await runs(`tag=team&limit=1${cursor}`);
      found.push(...body.items.map(({ id }: Wire.Run) => id));
      cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    const all = (await runs('tag=team&limit=100')).body.items.map(({ id }: Wire.Run) => id);
    assert.deepEqual([found.length, found], [4, all]);
  });

  test('200: where a search stops, the next page goes on, though nothing was found', async t => {
    const store = openSqlite(':memory:');
    const id = (await runs('limit=1')).body.items[0].id;
    const asked: (string | undefined)[] = [];
    const stopping = await startService({
      store: {
        ...store,
        runs: {
          ...store.runs,
          async listTagged(_clientRowId, _filter, _limit, before) {
            asked.push(before);
            return { runs: [], next: before === undefined ? id : null };
          },
        },
      },
    });
    t.after(() => stopping.close());
    const first = (await stopping.call('GET', '/v1/run?tag=team')).body;
    assert.deepEqual(first.items, []);
    const next = await stopping.call('GET', `/v1/run?tag=team&cursor=${first.nextCursor}`);
    assert.deepEqual([next.body, asked], [{ items: [] }, [undefined, id]]);
  });

  test('200: beside other filters', async () => {
    const [{ scheduleId }] = (await runs('tag=tier:one&tag=team:billing')).body.items;
    assert.equal((await runs(`tag=team&scheduleId=${scheduleId}`)).body.items.length, 1);
    assert.deepEqual((await runs('tag=team&status=failed')).body, { items: [] });
    assert.equal((await runs('tag=team&status=queued')).body.items.length, 4);
  });
});

describe('400', () => {
  for (const tag of ['', 'Team', 'team%20x', ':billing', 'a'.repeat(64), `a:${'x'.repeat(256)}`]) {
    test(`a tag that no schedule can have: ${JSON.stringify(tag).slice(0, 20)}`, async () => {
      for (const ask of [list, runs]) {
        assertError(await ask(`tag=${tag}`), 400, /^The query parameter tag must be the key/);
      }
    });
  }

  test('more than 20 tags, and one that is not UTF-8', async () => {
    const some = (count: number) => Array(count).fill('tag=a').join('&');
    assertOk(await list(some(20)));
    assertError(await list(some(21)), 400, /^The query parameter tag must have at most 20 items/);
    assertError(await runs('tag=a&tag=%ff'), 400, /^The query parameter tag is not UTF-8/);
  });

  test('other parameters still come once only', async () => {
    assertError(await list('tag=a&label=a&label=b'), 400, /label is there more than once/);
  });
});
