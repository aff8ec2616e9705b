import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { nextTime } from '../../src/domain/calendar/times.ts';
import { assertError } from '../support/api/expect.ts';
import { type Credentials, newClient, startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const clock = new ManualClock('2026-06-01T12:00:00Z');
const service = await startService({ clock });
after(() => service.close());

const HOOK = 'https://busy.example:8443/hook';

async function created(count: number, change: object, as: Credentials): Promise<string[]> {
  const items = Array.from({ length: count }, () => ({ ...valid, url: HOOK, ...change }));
  const answer = await service.call('POST', '/v1/schedule/batch', { body: { items }, as });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items.map(({ id }: Wire.Schedule) => id);
}

async function advice(as: Credentials): Promise<Wire.Herd[]> {
  const answer = await service.call('GET', '/v1/advice', { as });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items;
}

test('many schedules at one second are told, with a window that spreads them as it says', async () => {
  const as = await newClient(service.store, 'herd');
  const ids = await created(150, { interval: '0 3 * * *' }, as);
  await created(100, { interval: '0 4 * * *' }, as);
  await created(200, { interval: '0 5 * * *', windowSeconds: 60 }, as);
  await created(150, { interval: '*/5 * * * *' }, as);
  await created(60, { interval: '0 6 * * *' }, as);
  await created(60, { interval: '0 6 * * *', url: 'https://other.example/' }, as);
  const [item, ...others] = await advice(as);
  assert.deepEqual(others, []);
  const { scheduleIds, peakAfter, ...rest } = item!;
  assert.deepEqual(rest, {
    host: 'busy.example:8443',
    interval: '0 3 * * *',
    at: '2026-06-02T03:00:00.000Z',
    firings: 150,
    schedules: 150,
    windowSeconds: 60,
  });
  assert.deepEqual(scheduleIds.toSorted(), ids.toSorted());
  const body = { ids: scheduleIds, patch: { windowSeconds: item!.windowSeconds } };
  const accepted = await service.call('POST', '/v1/schedule/patch', { body, as });
  assert.equal(accepted.status, 200, accepted.text);
  const found = await service.store.schedules.findAll(as.clientRowId, ids);
  const seconds = found.map(({ schedule }) => nextTime(schedule, Date.parse(item!.at) - 1));
  const most = Math.max(...seconds.map(one => seconds.filter(other => other === one).length));
  assert.equal(most, peakAfter);
  assert.ok(peakAfter * 5 <= 150);
});

test('time zones meet at one second, and only the schedules that fire then are told', async () => {
  const as = await newClient(service.store, 'zones');
  const berlin = await created(60, { interval: '0 9 * * *', timezone: 'Europe/Berlin' }, as);
  const paris = await created(60, { interval: '0 9 * * *', timezone: 'Europe/Paris' }, as);
  await created(50, { interval: '0 9 * * *', timezone: 'America/New_York' }, as);
  const [item] = await advice(as);
  assert.deepEqual([item!.at, item!.firings], ['2026-06-02T07:00:00.000Z', 120]);
  assert.deepEqual(item!.scheduleIds.toSorted(), [...berlin, ...paris].toSorted());
});

test('rates that were made together are a herd, and those that never fire again are none', async () => {
  const as = await newClient(service.store, 'rates');
  await created(101, { interval: 'rate(1 hour)' }, as);
  await created(101, { interval: '0 3 * * *', pausedUntil: '2026-07-01T00:00:00Z' }, as);
  await created(101, { interval: '0 7 * * *', status: 'disabled' }, as);
  const items = await advice(as);
  assert.deepEqual(
    items.map(({ interval, at, firings }) => [interval, at, firings]),
    [['rate(1 hour)', '2026-06-01T13:00:00.000Z', 101]],
  );
});

test('the largest herd comes first, and of one 1,000 ids are told', async () => {
  const as = await newClient(service.store, 'large');
  await created(110, { interval: '0 2 * * *' }, as);
  await created(1_000, { interval: '0 1 * * *' }, as);
  await created(200, { interval: '0 1 * * *' }, as);
  const items = await advice(as);
  assert.deepEqual(
    items.map(({ firings, scheduleIds }) => [firings, scheduleIds.length]),
    [
      [1_200, 1_000],
      [110, 110],
    ],
  );
});

test("no herd, and another client's schedules, are no advice", async () => {
  assert.deepEqual(await advice(service.mine), []);
  const nobody = { ...service.mine, apiKey: 'wrong' };
  assertError(await service.call('GET', '/v1/advice', { as: nobody }), 401);
  assertError(await service.call('GET', '/v1/advice?host=x'), 400, /host/);
});
