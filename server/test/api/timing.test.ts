import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { offsetMsOf } from '../../src/domain/calendar/window.ts';
import { fenceOf } from '../../src/engine/delivery/settlement.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { claimOne } from '../support/store/backend.ts';

/** One-offs, rates, bounds, pauses, windows and calendars over HTTP, on a clock that the test moves. */

const clock = new ManualClock('2026-06-01T12:00:00Z');
const service = await startService({ clock });
after(() => service.close());

const by = (method: string, id: string, body?: unknown, below = '') =>
  service.call(method, `/v1/schedule/${id}${below}`, { ...(body !== undefined && { body }) });
const create = (change: object) =>
  service.call('POST', '/v1/schedule', { body: { ...valid, ...change } });
const nextOf = async (id: string, count = 5): Promise<string[]> =>
  (await by('GET', id, undefined, `/next?count=${count}`)).body.times;
const preview = async (body: object) => {
  const answer = await service.call('POST', '/v1/preview', { body: { timezone: 'UTC', ...body } });
  assertOk(answer);
  return answer.body.times;
};
const putCalendar = async (name: string, ...periods: [from: string, to: string][]) =>
  assertOk(
    await service.call('PUT', `/v1/calendar/${name}`, {
      body: { periods: periods.map(([from, to]) => ({ from, to, summary: `${name} ${from}` })) },
    }),
  );
const at = (time: string) => `2026-06-${time}.000Z`;
async function atTime(instant: string, work: () => Promise<void>): Promise<void> {
  const before = clock.now();
  await clock.jump(Date.parse(instant));
  await work().finally(() => clock.jump(before));
}

await putCalendar('de', ['2026-06-04', '2026-06-05'], ['2026-06-06', '2026-06-08']);

describe('a plain schedule', () => {
  test('answers have exactly the keys that they had, for who knows none of this', async () => {
    const made = await create({});
    const plain = ['id', 'status', 'url', 'verb', 'interval', 'timezone', 'createdAt', 'label'];
    assert.deepEqual(Object.keys(made.body).sort(), [...plain].sort());
    const { id } = made.body;
    const changed = [...plain, 'updatedAt'].sort();
    assert.deepEqual(Object.keys((await by('PUT', id, valid)).body).sort(), changed);
    assert.deepEqual(Object.keys((await by('GET', id)).body).sort(), changed);
    const listed = (await service.call('GET', '/v1/schedule?limit=1')).body.items[0];
    assert.deepEqual(Object.keys(listed).sort(), changed);
    const check = await service.call('POST', '/v1/check', { body: valid });
    assert.deepEqual(Object.keys(check.body), ['problems', 'times', 'clockNotes']);
    for (const answer of [made, check]) {
      for (const header of ['Idempotent-Replayed', 'Retry-After']) {
        assert.equal(answer.headers.get(header), null);
      }
    }
    assert.deepEqual((await by('DELETE', id)).body, { success: true });
  });
});

describe('200: what is sent is answered', () => {
  test('all fields, instants in UTC; sent back, they change nothing', async () => {
    const sent = {
      ...valid,
      interval: '30 8 * * *',
      externalId: 'all-fields',
      tags: { team: 'billing' },
      body: '{"a":[1,2]}',
      startsAt: '2026-06-02T00:00:00+02:00',
      endsAt: '2027-01-01T00:00:00Z',
      maxRuns: 100,
      pausedUntil: '2026-06-03T00:00:00.5Z',
      windowSeconds: 60,
      exclude: ['de'],
      onExcluded: 'nextDay',
      afterCompletion: 'delete',
    };
    const made = await create(sent);
    assertOk(made);
    const { id, createdAt } = made.body;
    const { startsAt, pausedUntil, endsAt, ...same } = sent;
    assert.deepEqual(made.body, {
      ...same,
      id,
      createdAt,
      status: 'enabled',
      label: '',
      startsAt: '2026-06-01T22:00:00.000Z',
      endsAt: '2027-01-01T00:00:00.000Z',
      pausedUntil: '2026-06-03T00:00:00.500Z',
    });
    assert.deepEqual((await by('GET', id)).body, made.body);
    const times = await nextOf(id);
    const again = await by('PUT', id, made.body);
    assertOk(again);
    assert.deepEqual(again.body, { ...made.body, updatedAt: again.body.updatedAt });
    assert.deepEqual(await nextOf(id), times);
  });

  test('a PUT that leaves a field out removes it, but externalId and pausedUntil stay', async () => {
    const made = await create({
      ...{ externalId: 'put', tags: { a: 'b' }, body: 'x', maxRuns: 1_000_000, windowSeconds: 9 },
      ...{ pausedUntil: '2026-07-01T00:00:00Z', exclude: ['de'], startsAt: '2026-06-01T00:00:00Z' },
    });
    const { id, createdAt } = made.body;
    const { body } = await by('PUT', id, valid);
    assert.deepEqual(body, {
      ...{ ...valid, id, createdAt, status: 'enabled', label: '', externalId: 'put' },
      ...{ pausedUntil: '2026-07-01T00:00:00.000Z', updatedAt: body.updatedAt },
    });
    const patched = await by('PATCH', id, { pausedUntil: null, maxRuns: 7, tags: { c: 'd' } });
    assert.equal('pausedUntil' in patched.body, false);
    assert.deepEqual([patched.body.maxRuns, patched.body.tags], [7, { c: 'd' }]);
  });

  test('a pause leaves the answers once it has passed, and counts as none when it is sent', async () => {
    const { id } = (await create({ pausedUntil: at('01T13:00:00') })).body;
    assert.equal((await nextOf(id))[0], at('01T13:00:00'));
    await atTime(at('01T13:00:00'), async () => {
      assert.equal('pausedUntil' in (await by('GET', id)).body, false);
    });
    const late = await create({ pausedUntil: at('01T12:00:00') });
    assert.equal('pausedUntil' in late.body, false);
  });

  test('statusReason in a body is ignored', async () => {
    const made = await create({ statusReason: 'completed' });
    assertOk(made);
    assert.equal('statusReason' in made.body, false);
  });
});

describe('next and preview', () => {
  test('a one-off has one time, or none', async () => {
    const { id } = (await create({ interval: 'at(2026-06-01T18:00)' })).body;
    assert.deepEqual(await nextOf(id), [at('01T18:00:00')]);
    const interval = 'at(2026-06-01T18:00:00)';
    assert.deepEqual(await preview({ interval, timezone: 'Europe/Berlin' }), [at('01T16:00:00')]);
    assert.deepEqual(await preview({ interval, from: at('01T18:00:00') }), []);
  });

  test('a rate counts from the create; in a preview from `from`, or startsAt', async () => {
    const { id } = (await create({ interval: 'rate(90 minutes)' })).body;
    assert.deepEqual(await nextOf(id, 2), [at('01T13:30:00'), at('01T15:00:00')]);
    const interval = 'rate(90 minutes)';
    const from = '2026-06-02T00:00:00.400Z';
    assert.deepEqual(await preview({ interval, from, count: 1 }), [at('02T01:30:01')]);
    const startsAt = '2026-06-02T00:10:00Z';
    assert.deepEqual(await preview({ interval, from, startsAt, count: 2 }), [
      at('02T00:10:00'),
      at('02T01:40:00'),
    ]);
  });

  test('bounds, maxRuns, a pause and calendars, in this order', async () => {
    const interval = '0 0 * * *';
    assert.deepEqual(
      await preview({ interval, startsAt: at('03T00:00:00'), endsAt: at('05T00:00:00') }),
      [at('03T00:00:00'), at('04T00:00:00')],
    );
    assert.deepEqual(await preview({ interval, maxRuns: 2, from: at('09T12:00:00') }), [
      at('10T00:00:00'),
      at('11T00:00:00'),
    ]);
    const paused = { interval, maxRuns: 3, pausedUntil: at('03T12:00:00') };
    assert.deepEqual(await preview(paused), [at('04T00:00:00')]);
    assert.deepEqual(await preview({ interval, exclude: ['de'], maxRuns: 3 }), [
      at('02T00:00:00'),
      at('03T00:00:00'),
      at('05T00:00:00'),
    ]);
    const moved = { interval, exclude: ['de'], onExcluded: 'nextDay', count: 4 };
    assert.deepEqual(await preview(moved), [
      at('02T00:00:00'),
      at('03T00:00:00'),
      at('05T00:00:00'),
      at('08T00:00:00'),
    ]);
  });

  test('a window: the offset of the external id, and the start without one', async () => {
    const body = { interval: '0 0 * * *', windowSeconds: 3_600, count: 1 };
    assert.deepEqual(await preview(body), [at('02T00:00:00')]);
    const offsetMs = offsetMsOf('spread', 3_600);
    const later = new Date(Date.parse(at('02T00:00:00')) + offsetMs).toISOString();
    assert.deepEqual(await preview({ ...body, externalId: 'spread' }), [later]);
    const { id } = (await create({ ...body, count: undefined, externalId: 'spread' })).body;
    assert.deepEqual(await nextOf(id, 1), [later]);
  });

  test('no time from before the create, wherever its window or a calendar moves it', async () => {
    await atTime('2026-06-04T12:00:30Z', async () => {
      const windowed = { interval: '0 * * * *', windowSeconds: 3_600, externalId: 'late' };
      const offsetMs = offsetMsOf('late', 3_600);
      assert.ok(offsetMs > 30_000);
      const [before, first] = ['04T12:00:00Z', '04T13:00:00Z'].map(time =>
        new Date(Date.parse(`2026-06-${time}`) + offsetMs).toISOString(),
      );
      assert.deepEqual((await preview(windowed))[0], first);
      assert.deepEqual((await preview({ ...windowed, from: '2026-06-04T12:00:30Z' }))[0], before);
      const { id } = (await create(windowed)).body;
      assert.deepEqual(await nextOf(id, 1), [first]);
      const { verdict, sentence } = (await by('GET', id, undefined, `/explain?at=${before}`)).body;
      assert.equal(verdict, 'notCreated');
      assert.equal(
        sentence,
        'It does not fire: without its window it lies before the create, 2026-06-04T12:00:30.000Z.',
      );
      const weekly = { interval: '0 9 * * THU', exclude: ['de'], onExcluded: 'nextDay' };
      const moved = (await create(weekly)).body.id;
      assert.deepEqual(await nextOf(moved, 1), [at('11T09:00:00')]);
      const once = (await create({ ...windowed, externalId: 'late2', maxRuns: 1 })).body.id;
      assert.equal((await nextOf(once)).length, 1);
    });
  });

  test('400: a preview is judged as a create is', async () => {
    for (const [body, sentence] of [
      [{ interval: '@every 90m' }, /rate\(90 minutes\)/],
      [{ interval: '@daily', startsAt: 'x' }, /^startsAt /],
      [{ interval: '@daily', exclude: ['none'] }, /^exclude\[0\]: there is no calendar "none"/],
      [{ interval: '@hourly', exclude: ['de'], onExcluded: 'nextDay' }, /^onExcluded /],
      [{ interval: '@daily', externalId: 'a b' }, /^externalId /],
      [{ interval: '@daily', endsAt: at('01T00:00:00'), startsAt: at('02T00:00:00') }, /^endsAt /],
    ] as const) {
      const answer = await service.call('POST', '/v1/preview', {
        body: { timezone: 'UTC', ...body },
      });
      assertError(answer, 400, sentence);
    }
  });
});

describe('check', () => {
  const check = async (change: object) => {
    const answer = await service.call('POST', '/v1/check', { body: { ...valid, ...change } });
    assertOk(answer);
    return answer.body;
  };
  const where = ({ problems }: { problems: { where: string }[] }) =>
    problems.map(problem => problem.where);

  test('all problems at once, each with the sentence of a create', async () => {
    const wrong = {
      url: 'ftp://x',
      interval: 'rate(0 days)',
      externalId: 'a b',
      tags: { Team: 'x' },
      verb: 'GET',
      body: 'x',
      startsAt: 'soon',
      endsAt: '2026-13-01T00:00:00Z',
      pausedUntil: '2026-06-01',
      exclude: ['de', 'none', 'de'],
    };
    const checked = await check(wrong);
    assert.deepEqual(where(checked), [
      ...['url', 'interval', 'externalId', 'tags', 'body', 'startsAt', 'endsAt', 'pausedUntil'],
      ...['exclude[1]', 'exclude[2]'],
    ]);
    assert.deepEqual(checked.times, []);
    for (const [index, field] of where(checked).entries()) {
      const name = field.split('[')[0] as keyof typeof wrong;
      if (name === 'exclude') continue;
      const only = { ...valid, ...(name === 'body' && { verb: 'GET' }), [name]: wrong[name] };
      assert.equal((await create(only)).body.error, checked.problems[index].sentence);
    }
  });

  test('fields that do not fit together, each once', async () => {
    const [early, late] = [at('02T00:00:00'), at('03T00:00:00')];
    assert.deepEqual(where(await check({ startsAt: late, endsAt: early })), ['endsAt']);
    assert.deepEqual(where(await check({ startsAt: 'x', endsAt: early })), ['startsAt']);
    const often = { interval: '* * * * *', exclude: ['de'], onExcluded: 'nextDay' };
    assert.deepEqual(where(await check(often)), ['onExcluded']);
    assert.deepEqual(where(await check({ body: 'x', data: { a: 'b' } })), ['body']);
  });

  test('no time to come, and a one-off that has passed', async () => {
    const passed = await check({ interval: 'at(2026-06-01T12:00:00Z)' });
    assert.deepEqual(passed.problems, [
      { where: 'interval', sentence: 'interval: at(2026-06-01T12:00:00Z) has passed.' },
    ]);
    const ended = await check({ url: 'x', endsAt: at('01T12:00:00') });
    assert.deepEqual(where(ended), ['url', 'endsAt']);
    assert.match(ended.problems[1].sentence, /no time to come: endsAt has passed\.$/);
    const resting = await check({ endsAt: at('01T12:00:00'), status: 'disabled' });
    assert.deepEqual(resting.problems, []);
    const never = await check({ interval: 'at(2026-06-04T10:00:00)', exclude: ['de'] });
    assert.deepEqual(where(never), ['exclude']);
  });

  test('the next five times that calendars take away, and by which entry', async () => {
    const { times, excluded } = await check({ interval: '0 */8 * * *', exclude: ['de'] });
    assert.deepEqual(times.slice(6, 8), [at('03T16:00:00'), at('05T00:00:00')]);
    const entry = { calendar: 'de', summary: 'de 2026-06-04' };
    assert.deepEqual(excluded, [
      { at: at('04T00:00:00'), ...entry },
      { at: at('04T08:00:00'), ...entry },
      { at: at('04T16:00:00'), ...entry },
      { at: at('06T00:00:00'), calendar: 'de', summary: 'de 2026-06-06' },
      { at: at('06T08:00:00'), calendar: 'de', summary: 'de 2026-06-06' },
    ]);
  });

  test('times are told where something else is wrong', async () => {
    const { problems, times } = await check({ url: 'x', externalId: 'a b', exclude: ['de'] });
    assert.deepEqual([problems.length, times.length], [2, 10]);
  });

  test('moved ones say where to; none outside bounds and pauses', async () => {
    const daily = { interval: '0 9 * * *', exclude: ['de'], onExcluded: 'previousDay' };
    const { excluded } = await check(daily);
    assert.deepEqual(
      excluded.map((one: { at: string; movedTo: string }) => [one.at, one.movedTo]),
      [
        [at('04T09:00:00'), at('03T09:00:00')],
        [at('06T09:00:00'), at('05T09:00:00')],
        [at('07T09:00:00'), at('05T09:00:00')],
      ],
    );
    const bounded = { ...daily, pausedUntil: at('05T00:00:00'), endsAt: at('07T00:00:00') };
    assert.deepEqual(
      (await check(bounded)).excluded.map((one: { at: string }) => one.at),
      [at('06T09:00:00')],
    );
    assert.equal('excluded' in (await check({ ...daily, startsAt: at('08T00:00:00') })), false);
  });

  test('notes on the clock are told of times that fire, and of no others', async () => {
    await putCalendar('autumn', ['2026-10-25', '2026-10-26']);
    const notesOf = async (change: object) => {
      const nightly = { interval: '30 2 * * *', timezone: 'Europe/Berlin' };
      const { body } = await service.call('POST', '/v1/check', {
        body: { ...valid, ...nightly, ...change },
      });
      return body.clockNotes.map(({ kind }: { kind: string }) => kind);
    };
    assert.deepEqual(await notesOf({}), ['once', 'moved']);
    assert.deepEqual(await notesOf({ maxRuns: 10 }), []);
    assert.deepEqual(await notesOf({ pausedUntil: '2026-11-01T00:00:00Z' }), ['moved']);
    assert.deepEqual(await notesOf({ exclude: ['autumn'] }), ['moved']);
    const running = { interval: '*/30 2 * * *' };
    assert.deepEqual(await notesOf(running), ['twice', 'dropped']);
    assert.deepEqual(await notesOf({ ...running, exclude: ['autumn'] }), ['dropped']);
    // The second pass begins at 01:00 UTC.
    assert.deepEqual(await notesOf({ ...running, endsAt: '2026-10-25T01:00:00Z' }), []);
  });

  test('a freeze of a year under an interval of every second costs no more than another', async () => {
    await putCalendar('freeze', ['2026-06-01', '2027-06-01']);
    const startedAt = cpuMs();
    const often = await check({ interval: '* * * * * *', exclude: ['freeze'] });
    assert.equal(often.times[0], '2027-06-01T00:00:00.000Z');
    assert.deepEqual(
      often.excluded.map((one: { at: string }) => one.at),
      [1, 2, 3, 4, 5].map(second => at(`01T12:00:0${second}`)),
    );
    const rare = await check({ interval: '0 0 29 2 *', exclude: ['freeze'] });
    assert.equal('excluded' in rare, false);
    await putCalendar('later', ['2026-12-01', '2027-12-01']);
    const later = await check({ interval: '* * * * * *', exclude: ['later'] });
    assert.equal(later.excluded[4].at, '2026-12-01T00:00:04.000Z');
    assert.ok(cpuMs() - startedAt < 2_000);
  });
});

describe('completion', () => {
  test('400: no time to come where times change or it is enabled; 200 where neither does', async () => {
    const bounded = { endsAt: at('01T13:00:00') };
    const { id } = (await create(bounded)).body;
    await atTime(at('01T13:00:00'), async () => {
      assertError(await create(bounded), 400, /has no time to come: endsAt has passed\.$/);
      const same = { ...valid, ...bounded };
      assertOk(await by('PUT', id, { ...same, label: 'the same times' }));
      assertError(await by('PATCH', id, { interval: '@hourly' }), 400, /no time to come/);
      assertOk(await by('PATCH', id, { status: 'disabled' }));
      assertError(await by('PATCH', id, { status: 'enabled' }), 400, /no time to come/);
    });
  });

  test('a one-off that has passed is refused where it is new, and accepted unchanged', async () => {
    const interval = 'at(2026-06-01T13:00:00)';
    const { id } = (await create({ interval })).body;
    await atTime(at('01T14:00:00'), async () => {
      assertError(await create({ interval }), 400, /^interval: at\(.*\) has passed\.$/);
      const { body } = await by('GET', id);
      assertOk(await by('PUT', id, { ...body, label: 'b' }));
      assertError(await by('PATCH', id, { timezone: 'Europe/Berlin' }), 400, /has passed/);
    });
  });

  test('a pause that leaves no time completes it at once: disabled, or deleted', async () => {
    const bounds = { endsAt: at('02T00:00:00'), pausedUntil: at('03T00:00:00') };
    const { body } = await create(bounds);
    assert.deepEqual([body.status, body.statusReason], ['disabled', 'completed']);
    assert.deepEqual(await nextOf(body.id), []);
    const { id } = (await create({ endsAt: bounds.endsAt, afterCompletion: 'delete' })).body;
    service.told.length = 0;
    const paused = await by('PATCH', id, { pausedUntil: bounds.pausedUntil });
    assert.deepEqual([paused.body.status, paused.body.statusReason], ['deleted', 'completed']);
    assert.deepEqual(service.told, [{ scheduleId: id, changedAt: clock.now() }]);
    assert.deepEqual((await by('GET', id)).body, paused.body);
    const resumed = await by('PATCH', body.id, { status: 'enabled', pausedUntil: null });
    assert.equal(resumed.body.status, 'enabled');
    assert.equal('statusReason' in resumed.body, false);
  });

  test('a schedule that the engine completed is told as completed', async t => {
    const own = await startService({ clock });
    t.after(() => own.close());
    const { id } = await own.create({ interval: 'at(2026-06-01T12:30:00)' });
    const claim = await claimOne(own.store, Date.parse(at('01T12:30:00')));
    const { scheduleRowId, clientRowId } = claim;
    await own.store.queue.settle([
      {
        ...{ scheduleRowId, clientRowId, fence: fenceOf(claim) },
        ...{ records: [], callbacks: [], row: null },
        change: {
          at: Date.parse(at('01T12:30:01')),
          status: 'disabled',
          statusReason: 'completed',
        },
      },
    ]);
    const { body } = await own.call('GET', `/v1/schedule/${id}`);
    assert.deepEqual(
      [body.status, body.statusReason, body.updatedAt],
      ['disabled', 'completed', at('01T12:30:01')],
    );
  });

  test('explain says that a schedule had completed', async () => {
    const paused = { endsAt: at('02T00:00:00'), pausedUntil: at('03T00:00:00') };
    const { id } = (await create(paused)).body;
    const { body } = await by('GET', id, undefined, `/explain?at=${at('01T13:00:00')}`);
    assert.equal(body.verdict, 'completed');
  });
});

describe('calendars', () => {
  test('explain names what took a time away, and where it was moved', async () => {
    const daily = { interval: '0 9 * * *', exclude: ['de'] };
    const { id } = (await create(daily)).body;
    const rolled = (await create({ ...daily, onExcluded: 'nextDay' })).body;
    const explain = async (of: string, time: string) =>
      (await by('GET', of, undefined, `/explain?at=${at(time)}`)).body;
    const excluded = await explain(id, '04T09:00:00');
    assert.equal(excluded.verdict, 'excluded');
    assert.match(excluded.sentence, /de.*de 2026-06-04/);
    const moved = await explain(rolled.id, '06T09:00:00');
    assert.deepEqual([moved.verdict, moved.movedTo], ['rolled', at('08T09:00:00')]);
    assert.equal((await explain(id, '05T09:00:00')).verdict, 'upcoming');
    const bounded = (await create({ startsAt: at('02T00:00:00'), endsAt: at('03T00:00:00') })).body;
    assert.equal((await explain(bounded.id, '01T15:00:00')).verdict, 'beforeStart');
    assert.equal((await explain(bounded.id, '03T15:00:00')).verdict, 'afterEnd');
  });

  test('400: a name that is not there, in each operation that takes a schedule', async () => {
    const { id } = await service.create();
    const body = { ...valid, exclude: ['de', 'none'] };
    const unknown = /exclude\[1\]: there is no calendar "none"\.$/;
    for (const answer of [
      await create(body),
      await by('PUT', id, body),
      await by('PATCH', id, { exclude: body.exclude }),
      await service.call('PUT', '/v1/schedule/ext:unknown', { body }),
      await service.call('POST', '/v1/schedule/batch', { body: { items: [valid, body] } }),
      await service.call('POST', '/v1/try', { body }),
    ]) {
      assertError(answer, 400, unknown);
      assert.equal(answer.headers.get('Punctual-Error-Code'), 'reference_unknown');
    }
    const theirs = await service.call('POST', '/v1/schedule', {
      body: { ...valid, exclude: ['de'] },
      as: service.theirs,
    });
    assertError(theirs, 400, /no calendar "de"/);
  });

  test('a calendar that is replaced while a schedule is written has it counted anew', async t => {
    const store = openSqlite(':memory:');
    let put: (() => Promise<unknown>) | undefined;
    const insert: typeof store.schedules.insert = async (...asked) => {
      await put?.();
      return store.schedules.insert(...asked);
    };
    const update: typeof store.schedules.update = async (...asked) => {
      await put?.();
      return store.schedules.update(...asked);
    };
    const schedules = { ...store.schedules, insert, update };
    const racing = await startService({ store: { ...store, schedules } });
    t.after(() => racing.close());
    const calendar = (to: string) =>
      racing.call('PUT', '/v1/calendar/de', { body: { periods: [{ from: '2026-01-01', to }] } });
    await calendar('2026-01-02');
    const counted = async () => {
      const found = await store.calendars.nextRecount();
      if (found !== null) await store.calendars.recounted(found, null);
      return found?.name;
    };
    await counted();
    const body = { ...valid, exclude: ['de'] };
    racing.told.length = 0;
    const { id } = (await racing.call('POST', '/v1/schedule', { body })).body;
    assert.deepEqual([await counted(), racing.told.includes('calendars')], [undefined, false]);
    for (const [to, write] of [
      ['2026-01-03', () => racing.call('POST', '/v1/schedule', { body })],
      ['2026-01-04', () => racing.call('PUT', `/v1/schedule/${id}`, { body })],
      ['2026-01-05', () => racing.call('PATCH', `/v1/schedule/${id}`, { body: { label: 'b' } })],
    ] as const) {
      put = async () => {
        put = undefined;
        await calendar(to);
        await counted();
        racing.told.length = 0;
      };
      assertOk(await write());
      assert.equal(await counted(), 'de', to);
      assert.ok(racing.told.includes('calendars'));
    }
  });
});
