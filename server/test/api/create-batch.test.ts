import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const batch = (items: unknown) => service.call('POST', '/v1/schedule/batch', { body: { items } });
const count = async () => (await service.call('GET', '/v1/schedule?limit=100')).body.items.length;

test('200: the schedules in the order they were sent, each as a create answers it', async () => {
  const answer = await batch([
    { ...valid, label: 'a' },
    { ...valid, label: 'b', status: 'disabled', headers: { 'X-A': '1' } },
  ]);
  assertOk(answer);
  const { items } = answer.body;
  assert.deepEqual(
    items.map(({ label }: Wire.Schedule) => label),
    ['a', 'b'],
  );
  for (const item of items) {
    assert.deepEqual((await service.call('GET', `/v1/schedule/${item.id}`)).body, item);
  }
});

test('200: none at all', async () => {
  assert.deepEqual((await batch([])).body, { items: [] });
});

test('200: 1,000 of them, newest first in the list, and the engine woken once', async () => {
  service.told.length = 0;
  const items = Array.from({ length: 1_000 }, (_, index) => ({ ...valid, label: `${index}` }));
  assertOk(await batch(items));
  assert.equal(service.told.length, 1);
  const page = (await service.call('GET', '/v1/schedule?limit=2')).body;
  assert.deepEqual(
    page.items.map(({ label }: Wire.Schedule) => label),
    ['999', '998'],
  );
});

test('200: up to 4 MiB; 400: beyond', async () => {
  const item = { ...valid, data: { a: 'x'.repeat(100_000) } };
  const body = JSON.stringify({ items: Array(40).fill(item) });
  const padded = body.padEnd(4 * 1024 * 1024, ' ');
  const send = (text: string) => service.call('POST', '/v1/schedule/batch', { body: text });
  assertOk(await send(padded));
  assertError(await send(`${padded} `), 400, /larger/);
});

test('400: an error names the item, and nothing is stored', async () => {
  const before = await count();
  for (const [items, sentence] of [
    [[valid, { ...valid, url: undefined }], /^items\[1\]\.url is required/],
    [[valid, { ...valid, interval: 'x' }], /^items\[1\]: .*interval/],
    [[valid, valid, { ...valid, timezone: 'x' }], /^items\[2\]: .*timezone/],
    [[{ ...valid, url: 'http://10.0.0.1/' }], /^items\[0\]: url: /],
    [[{ ...valid, headers: { Host: 'x' } }], /^items\[0\]: headers: /],
    [[{ ...valid, x: 1 }], /"x" in items\[0\]/],
    [[{ ...valid, data: { a: 1 } }], /^items\[0\]\.data\.a must be a string/],
    [[null], /^items\[0\] must be an object/],
    [{}, /^items must be an array/],
    [Array(1_001).fill(valid), /^items must have at most 1000 items/],
  ] as const) {
    assertError(await batch(items), 400, sentence);
  }
  assertError(await service.call('POST', '/v1/schedule/batch', { body: [valid] }), 400);
  assertError(
    await service.call('POST', '/v1/schedule/batch', { body: { items: [], more: 1 } }),
    400,
    /"more"/,
  );
  assert.equal(await count(), before);
});
