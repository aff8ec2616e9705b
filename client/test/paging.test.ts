import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../server/test/support/api/service.ts';
import { PunctualClient } from '../src/index.ts';

/** Lists as iterators, against the real API. */

const service = await startService();
after(() => service.close());
let asked = 0;
const client = new PunctualClient({
  baseUrl: `http://127.0.0.1:${service.port}`,
  clientId: service.mine.clientId,
  apiKey: service.mine.apiKey,
  fetch(...request) {
    asked += 1;
    return fetch(...request);
  },
});
const input = {
  url: 'https://example.com',
  verb: 'GET',
  interval: '@daily',
  timezone: 'UTC',
} as const;
const made = await client.createSchedules(
  Array.from({ length: 7 }, (_, index) => ({
    ...input,
    label: `${index % 2 ? 'odd' : 'even'} ${index}`,
  })),
);
const ids = made.items.map(({ id }) => id).reverse();

test('schedules come page by page, each once, as the query asks for', async () => {
  asked = 0;
  const heard = await Array.fromAsync(client.schedules({ limit: 3 }), ({ id }) => id);
  assert.deepEqual(heard, ids);
  assert.equal(asked, 3);
  asked = 0;
  assert.equal((await Array.fromAsync(client.schedules())).length, 7);
  assert.equal(asked, 1);
  const odd = await Array.fromAsync(client.schedules({ label: 'odd', limit: 1 }));
  assert.equal(odd.length, 3);
  const { nextCursor } = await client.listSchedules({ limit: 5 });
  assert.equal((await Array.fromAsync(client.schedules({ cursor: nextCursor! }))).length, 2);
});

test('the next page is asked for when it is needed', async () => {
  asked = 0;
  for await (const { id } of client.schedules({ limit: 2 })) {
    assert.equal(id, ids[0]);
    break;
  }
  assert.equal(asked, 1);
});

test('runs come page by page', async () => {
  const runs = [];
  for (const id of ids.slice(0, 3)) runs.push((await client.triggerSchedule(id)).id);
  const heard = await Array.fromAsync(client.runs({ limit: 1 }), ({ id }) => id);
  assert.deepEqual(heard.sort(), runs.sort());
  const [first] = ids;
  assert.equal((await Array.fromAsync(client.runs({ scheduleId: first! }))).length, 1);
});

test('an abort between two pages ends the iteration with its reason', async () => {
  const abort = new AbortController();
  const iterator = client.schedules({ limit: 1 }, { signal: abort.signal });
  await iterator.next();
  abort.abort(new Error('Enough.'));
  await assert.rejects(iterator.next(), { message: 'Enough.' });
});
