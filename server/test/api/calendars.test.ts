import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import { CalendarReader } from '../../src/engine/calendar-reader.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { type Service, startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const NOW = '2026-12-01T12:00:00.000Z';
const FREEZE = { from: '2026-12-24', to: '2027-01-02', summary: 'Freeze' };
const ICS = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//test//test//EN',
  ...['BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20260101T000000Z', 'DTSTART;VALUE=DATE:20261225'],
  ...['RRULE:FREQ=YEARLY;COUNT=3', 'SUMMARY:Christmas', 'END:VEVENT'],
  ...['BEGIN:VEVENT', 'UID:2', 'DTSTAMP:20260101T000000Z', 'DTSTART:20261210T090000Z'],
  ...['DTEND:20261210T103000Z', 'SUMMARY:Meeting', 'END:VEVENT'],
  ...['BEGIN:VEVENT', 'UID:3', 'DTSTAMP:20260101T000000Z', 'DTSTART:20261211T090000'],
  ...['DTEND:20261211T103000', 'SUMMARY:Floating', 'END:VEVENT'],
  'END:VCALENDAR',
  '',
].join('\r\n');

describe('calendars', () => {
  const clock = new ManualClock(NOW);
  let service: Service;
  let texts: Map<string, string>;
  before(async () => {
    const store = openSqlite(':memory:');
    texts = new Map();
    const fetchText = async (url: string) => {
      const text = texts.get(url);
      if (text !== undefined) return text;
      throw new PunctualError('calendar_invalid', 'The url answered with the status 500.');
    };
    const calendarPort = new CalendarReader({
      calendars: store.calendars,
      clock,
      fetchText,
      expand: periodsOf,
    });
    service = await startService({ store, clock, calendarPort });
  });
  after(() => service.close());

  const put = (name: string, body: object, as = service.mine) =>
    service.call('PUT', `/v1/calendar/${name}`, { body, as });
  const get = (name: string) => service.call('GET', `/v1/calendar/${name}`);
  const errorOf = ({ status, headers, body }: Awaited<ReturnType<typeof put>>) => [
    status,
    headers.get('punctual-error-code'),
    body.error,
  ];

  test('one of periods is made, read, and replaced', async () => {
    const made = await put('freeze', { periods: [FREEZE] });
    const calendar = { name: 'freeze', createdAt: NOW, usedBy: 0, entries: [FREEZE] };
    assert.deepEqual([made.status, made.body], [200, calendar]);
    assert.deepEqual((await get('freeze')).body, calendar);
    assert.equal(service.told.at(-1), 'calendars');
    await clock.jump(clock.now() + 1_000);
    const periods = [{ from: '2026-12-02T10:00:00+01:00', to: '2026-12-02T12:30:00+01:00' }];
    const replaced = await put('freeze', { periods });
    assert.deepEqual(replaced.body, {
      ...{ name: 'freeze', createdAt: NOW, updatedAt: '2026-12-01T12:00:01.000Z', usedBy: 0 },
      entries: [{ from: '2026-12-02T09:00:00.000Z', to: '2026-12-02T11:30:00.000Z', summary: '' }],
    });
  });

  test('one of text is expanded: days, instants and floating times', async () => {
    const { status, body } = await put('holidays', { ics: ICS });
    assert.equal(status, 200);
    assert.deepEqual(body.entries, [
      { from: '2026-12-10T09:00:00.000Z', to: '2026-12-10T10:30:00.000Z', summary: 'Meeting' },
      { from: '2026-12-11T09:00:00', to: '2026-12-11T10:30:00', summary: 'Floating' },
      { from: '2026-12-25', to: '2026-12-26', summary: 'Christmas' },
      { from: '2027-12-25', to: '2027-12-26', summary: 'Christmas' },
      { from: '2028-12-25', to: '2028-12-26', summary: 'Christmas' },
    ]);
    assert.equal('ics' in body, false);
  });

  test('the next 20 entries that have not ended are shown', async () => {
    const day = (count: number) =>
      new Date(Date.UTC(2026, 10, 1 + count)).toISOString().slice(0, 10);
    const periods = Array.from({ length: 60 }, (_, at) => ({
      from: day(59 - at),
      to: day(60 - at),
    }));
    const { entries } = (await put('days', { periods })).body;
    assert.equal(entries.length, 20);
    assert.deepEqual([entries[0].from, entries[19].from], ['2026-12-01', '2026-12-20']);
  });

  test('what was read may be sent back with a url, its read-only fields ignored', async () => {
    const url = 'https://calendars.example/back.ics';
    texts.set(url, ICS);
    const { body } = await put('back', { url });
    assert.equal(body.url, url);
    assert.equal((await put('back', body)).status, 200);
  });

  test('the body has exactly one source, and nothing else', async () => {
    const exactlyOne = 'The body must have exactly one of ics, url and periods.';
    assert.deepEqual(errorOf(await put('x', {})), [400, 'body_invalid', exactlyOne]);
    const both = { periods: [FREEZE], ics: ICS };
    assert.deepEqual(errorOf(await put('x', both)), [400, 'body_invalid', exactlyOne]);
    const unknown = await put('x', { periods: [FREEZE], days: [] });
    assert.deepEqual(unknown.status, 400);
    assert.match(unknown.body.error, /days/);
    const summary = await put('x', { periods: [{ ...FREEZE, summary: 'x'.repeat(501) }] });
    assert.match(summary.body.error, /periods\[0\]\.summary must have at most 500 characters/);
    assert.equal((await get('x')).status, 404);
  });

  test('a source that cannot be read is refused with its sentence, and nothing is kept', async () => {
    for (const [body, sentence] of [
      [{ periods: [{ from: '2026-12-24', to: '2026-12-24' }] }, /^periods\[0\]\.to must be after/],
      [{ periods: Array(5_001).fill(FREEZE) }, /^periods has more than 5,000 entries/],
      [{ ics: 'BEGIN:VCARD' }, /./],
      [{ ics: `${ICS}${' '.repeat(1024 * 1024)}` }, /^ics must be at most 1 MiB/],
      [{ url: 'https://calendars.example/gone.ics' }, /^The url answered with the status 500\.$/],
    ] as const) {
      const [status, code, error] = errorOf(await put('x', body));
      assert.deepEqual([status, code], [400, 'calendar_invalid']);
      assert.match(error, sentence);
    }
    assert.equal((await get('x')).status, 404);
  });

  test('a MiB of text fits into the body', async () => {
    const padding = 'X-NOTE:"quoted"\r\n'.repeat(60_000);
    const ics = ICS.replace('END:VCALENDAR', `${padding}END:VCALENDAR`);
    assert.ok(ics.length > 1_000_000 && ics.length < 1024 * 1024);
    assert.equal((await put('large', { ics })).status, 200);
  });

  test('the body has 2 MiB at most', async () => {
    const body = JSON.stringify({ periods: [FREEZE] }).padEnd(2 * 1024 * 1024, ' ');
    const send = (text: string) => service.call('PUT', '/v1/calendar/padded', { body: text });
    assert.equal((await send(body)).status, 200);
    const [status, code] = errorOf(await send(`${body} `));
    assert.deepEqual([status, code], [400, 'body_too_large']);
  });

  test('a url is judged as every target is', async () => {
    for (const [url, code] of [
      ['http://127.0.0.1/x.ics', 'target_refused'],
      ['ftp://a.example/x.ics', 'target_invalid'],
      ['https://user:password@a.example/x.ics', 'target_invalid'],
    ]) {
      const [status, found, error] = errorOf(await put('x', { url }));
      assert.deepEqual([status, found], [400, code]);
      assert.match(error, /url/);
    }
  });

  test('a name that cannot be one is a 400 where it is put, and a 404 where it is read', async () => {
    for (const name of ['Freeze', '-x', 'a_b', 'a'.repeat(64), '%C3%A4', 'a%2Fb', 'x.ics']) {
      const [status, code] = errorOf(await put(name, { periods: [FREEZE] }));
      assert.deepEqual([status, code], [400, 'request_invalid'], name);
      assert.equal((await get(name)).status, 404, name);
      assert.equal((await service.call('DELETE', `/v1/calendar/${name}`)).status, 404, name);
    }
    assert.equal((await put('a'.repeat(63), { periods: [] })).status, 200);
    assert.equal((await put('0', { periods: [] })).status, 200);
  });

  test('calendars are listed by name, page by page, and those of others are not', async () => {
    const as = service.theirs;
    for (const name of ['c', 'a', 'b-1', 'b']) await put(name, { periods: [FREEZE] }, as);
    const list = async (query: string) =>
      (await service.call('GET', `/v1/calendar${query}`, { as })).body;
    const first = await list('?limit=3');
    assert.deepEqual(
      first.items.map(({ name }: { name: string }) => name),
      ['a', 'b', 'b-1'],
    );
    const second = await list(`?limit=3&cursor=${first.nextCursor}`);
    assert.deepEqual([second.items.length, second.items[0].name], [1, 'c']);
    assert.equal('nextCursor' in second, false);
    assert.deepEqual(second.items[0].entries, [FREEZE]);
    const broken = await service.call('GET', '/v1/calendar?cursor=x');
    assert.deepEqual(errorOf(broken).slice(0, 2), [400, 'cursor_invalid']);
    assert.equal((await get('b-1')).status, 404);
  });

  test('one is deleted once', async () => {
    await put('gone', { periods: [FREEZE] });
    const remove = () => service.call('DELETE', '/v1/calendar/gone');
    assert.deepEqual((await remove()).body, { success: true });
    assert.deepEqual(errorOf(await remove()), [
      404,
      'not_found',
      'There is no calendar with this name.',
    ]);
    assert.equal((await get('gone')).status, 404);
  });

  test('one that a schedule names is counted, and not deleted', async () => {
    await put('used', { periods: [FREEZE] });
    const { id } = await service.create({ exclude: ['used'] });
    assert.equal((await get('used')).body.usedBy, 1);
    const remove = () => service.call('DELETE', '/v1/calendar/used');
    assert.deepEqual(errorOf(await remove()).slice(0, 2), [400, 'in_use']);
    await service.call('DELETE', `/v1/schedule/${id}`);
    assert.equal((await get('used')).body.usedBy, 0);
    assert.equal((await remove()).status, 200);
  });

  test('a refresh reads the url now, and tells why it cannot', async () => {
    const url = 'https://calendars.example/read.ics';
    const refresh = () => service.call('POST', '/v1/calendar/read/refresh');
    assert.equal((await refresh()).status, 404);
    texts.set(url, ICS);
    await put('read', { url });
    const before = (await get('read')).body;
    await clock.jump(clock.now() + 1_000);
    assert.deepEqual((await refresh()).body, before);
    texts.delete(url);
    const stale = await refresh();
    const staleSince = new Date(clock.now()).toISOString();
    const fault = 'The url answered with the status 500.';
    assert.deepEqual([stale.status, stale.body], [200, { ...before, staleSince, fault }]);
    texts.set(url, ICS.replace('Christmas', 'Xmas'));
    await clock.jump(clock.now() + 1_000);
    const { body } = await refresh();
    assert.deepEqual(body.entries[2].summary, 'Xmas');
    assert.deepEqual(
      [body.updatedAt, body.staleSince, body.fault],
      [new Date(clock.now()).toISOString(), undefined, undefined],
    );
  });

  test('without a key nothing is told', async () => {
    const headers = { ApiKey: null };
    for (const [method, path] of [
      ['GET', '/v1/calendar'],
      ['GET', '/v1/calendar/freeze'],
      ['POST', '/v1/calendar/freeze/refresh'],
      ['DELETE', '/v1/calendar/freeze'],
    ] as const) {
      assert.equal((await service.call(method, path, { headers })).status, 401);
    }
  });
});
