import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unsentTimesAfter } from '../../src/api/next-times.ts';
import { BUILT_IN } from '../../src/domain/calendar/zones/zone-data.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled } from '../support/store/backend.ts';

const clock = new ManualClock('2026-03-28T23:30:00.500Z');
const service = await startService({ clock });
after(() => service.close());
const preview = (body: object) =>
  service.call('POST', '/v1/preview', {
    body: { interval: '0 * * * *', timezone: 'UTC', ...body },
  });
const times = async (body: object) => (await preview(body)).body.times;
const next = (id: string, query = '') => service.call('GET', `/v1/schedule/${id}/next${query}`);

// POST /v1/words

test('words: intervals in words, in the order of the question', async () => {
  const intervals = ['*/7 * * * *', 'rate(90 minutes)', '*/7 * * * *'];
  const answer = await service.call('POST', '/v1/words', { body: { intervals } });
  assertOk(answer);
  const sevenths = 'At minutes 0, 7, 14 and so on to 56 of every hour';
  assert.deepEqual(answer.body.items, [
    { interval: intervals[0], words: sevenths },
    { interval: intervals[1], words: 'Every 90 minutes' },
    { interval: intervals[2], words: sevenths },
  ]);
});

test('words: 400 for an invalid interval, none and more than 100', async () => {
  for (const [intervals, sentence] of [
    [['* * * * *', '61 * * * *'], /^intervals\[1\]: The interval's minute field/],
    [[], /intervals/],
    [Array(101).fill('* * * * *'), /intervals/],
    ['* * * * *', /intervals/],
    [[7], /intervals\[0\]/],
    [undefined, /^intervals is required/],
  ] as const) {
    assertError(await service.call('POST', '/v1/words', { body: { intervals } }), 400, sentence);
  }
});

// POST /v1/preview

test('preview: five times after now, in UTC with milliseconds', async () => {
  const answer = await preview({ interval: '30 2 * * *', timezone: 'Europe/Berlin' });
  assertOk(answer);
  assert.deepEqual(answer.body, {
    times: [
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
      '2026-03-31T00:30:00.000Z',
      '2026-04-01T00:30:00.000Z',
      '2026-04-02T00:30:00.000Z',
    ],
  });
});

test('preview: from is exclusive, in any offset, and count is what is asked', async () => {
  const from = '2026-01-01T00:00:00.000Z';
  assert.deepEqual(await times({ from, count: 1 }), ['2026-01-01T01:00:00.000Z']);
  const same = '2026-01-01T02:00+02:00';
  assert.deepEqual(await times({ from: same, count: 1 }), ['2026-01-01T01:00:00.000Z']);
  const before = '2025-12-31T23:59:59.999999999Z';
  assert.deepEqual(await times({ from: before, count: 1 }), ['2026-01-01T00:00:00.000Z']);
  assert.equal((await times({ count: 100 })).length, 100);
});

test('preview: the first and the last years there are', async () => {
  assert.equal((await preview({ from: '0000-01-01T00:00:00Z' })).status, 200);
  assert.equal((await preview({ from: '0001-01-01T00:00:00Z' })).status, 200);
  assert.deepEqual(await times({ from: '9999-12-31T23:30:00Z' }), []);
});

test('preview: nothing is stored', async () => {
  assert.deepEqual((await service.call('GET', '/v1/schedule')).body.items, []);
});

test('preview: 400 for what is missing, unknown, out of bounds or no date', async () => {
  for (const [body, sentence] of [
    [{ interval: undefined }, /^interval is required/],
    [{ timezone: undefined }, /^timezone is required/],
    [{ interval: '60 * * * *' }, /interval/],
    [{ timezone: 'utc' }, /timezone/],
    [{ count: 0 }, /^count must be at least 1/],
    [{ count: 101 }, /^count must be at most 100/],
    [{ count: '5' }, /^count must be an integer/],
    [{ count: null }, /^count must be an integer/],
    [{ to: 'x' }, /"to"/],
    [{ from: 1 }, /^from must be a string/],
  ] as const) {
    assertError(await preview(body), 400, sentence);
  }
  for (const from of [
    '',
    'now',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01 00:00:00Z',
    '+012026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z[Europe/Berlin]',
    '1767225600000',
  ]) {
    assertError(await preview({ from }), 400, /^from must be an ISO 8601 date-time/);
  }
});

// GET /v1/schedule/{id}/next

test('next: times that were sent while the clock was ahead are left out, however many', async () => {
  const { id } = await service.create({ interval: '* * * * *' });
  const minute = (count: number) => Date.UTC(2026, 2, 28, 23, 30 + count);
  const told = async (count: number) =>
    (await next(id, `?count=${count}`)).body.times.map((time: string) => Date.parse(time));
  const claim = await claimOne(service.store, minute(1));
  const missed = { count: 2, from: minute(4), to: minute(5) };
  const sent = Array.from({ length: 1_500 }, (_, index) => aRecord(id, minute(6 + index)));
  const records = [
    aRecord(id, minute(2)),
    aRecord(id, minute(3), { status: 'skipped', reason: 'One was going.' }),
    aRecord(id, minute(4), { status: 'missed', missed, reason: 'It was down.' }),
    ...sent,
  ];
  await settled(service.store, claim, null, { records });
  const unsent = [1, 3, 4, 5].map(minute);
  assert.deepEqual(await told(3), unsent.slice(0, 3));
  assert.deepEqual(await told(6), [...unsent, minute(1_506), minute(1_507)]);
});

test('next: times that come while a slow store is asked are none of them, sent or not', async () => {
  const slow = new ManualClock('2026-03-28T23:30:00Z');
  const minute = (count: number) => Date.UTC(2026, 2, 28, 23, 30 + count);
  const schedule = { interval: '* * * * *', timezone: 'UTC' };
  let asked = 0;
  const sentIn = async () => {
    asked += 1;
    if (asked === 1) await slow.advance(2 * 60_000);
    return new Set([minute(2)]);
  };
  const told = await unsentTimesAfter(schedule, () => slow.now(), 3, sentIn);
  assert.deepEqual(told.map(Date.parse), [3, 4, 5].map(minute));
});

test('next: the times after now of a stored schedule', async () => {
  const { id } = await service.create({ interval: '0 * * * *' });
  assert.deepEqual((await next(id, '?count=2')).body, {
    times: ['2026-03-29T00:00:00.000Z', '2026-03-29T01:00:00.000Z'],
  });
  assert.equal((await next(id)).body.times.length, 5);
  assert.equal((await next(id, '?count=100')).body.times.length, 100);
});

test('next: none of a schedule that is not enabled', async () => {
  const { id } = await service.create({ status: 'disabled' });
  assert.deepEqual((await next(id)).body, { times: [] });
});

test('next: 400 for a count that is not 1 to 100, 404 for an unknown id', async () => {
  const { id } = await service.create();
  for (const count of ['0', '101', 'x', '1&count=2']) {
    assertError(await next(id, `?count=${count}`), 400, /count/);
  }
  const theirs = await service.create({}, service.theirs);
  for (const other of [theirs.id, 'x']) assertError(await next(other), 404);
});

test("preview: by the rules of the IANA database's release 2026f, which the runtime may not have", async () => {
  const noon = { interval: '0 12 * * *', from: '2026-11-24T00:00:00Z', count: 1 };
  const at = async (timezone: string) => (await preview({ ...noon, timezone })).body.times;
  assert.deepEqual(await at('America/Winnipeg'), ['2026-11-24T17:00:00.000Z']);
  assert.deepEqual(await at('Cuba'), ['2026-11-24T16:00:00.000Z']);
});

// GET /v1/offsets

test('offsets: what the clock of a zone shows by the rules that are used, and which these are', async () => {
  const { body } = await service.call('GET', '/v1/offsets?timezone=America/Winnipeg');
  const { timezone, tzdata, until, offsets } = body;
  assert.deepEqual([timezone, tzdata], ['America/Winnipeg', BUILT_IN.release]);
  assert.deepEqual(offsets.at(0), { from: '1970-01-01T00:00:00.000Z', offsetSeconds: -21_600 });
  assert.deepEqual(offsets.at(-1), { from: '2026-03-08T08:00:00.000Z', offsetSeconds: -18_000 });
  assert.equal(until, '2100-01-01T00:00:00.000Z');
});

test('offsets: 400 for a name that is not on the list, or none', async () => {
  assertError(await service.call('GET', '/v1/offsets'), 400, /timezone is required/);
  for (const name of ['PST', 'utc', '']) {
    assertError(await service.call('GET', `/v1/offsets?timezone=${name}`), 400, /GET \/timezones/);
  }
});

// GET /timezones

test('timezones: a sorted array, without authentication, of what a schedule may have', async () => {
  const answer = await service.call('GET', '/timezones', {
    headers: { ClientId: null, ApiKey: null },
  });
  assertOk(answer);
  const names: string[] = answer.body;
  assert.deepEqual(names, [...names].sort());
  assert.equal(new Set(names).size, names.length);
  for (const name of ['UTC', 'Europe/Berlin', 'Etc/GMT+12', 'US/Pacific', 'WET']) {
    assert.ok(names.includes(name), name);
  }
  for (const timezone of names) {
    const { body } = await preview({ timezone, count: 1 });
    assert.equal(body.times?.length, 1, timezone);
  }
});
