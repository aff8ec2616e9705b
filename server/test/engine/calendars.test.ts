import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { CalendarSource } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import { newId } from '../../src/domain/id.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { CalendarReader } from '../../src/engine/calendar-reader.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { CalendarRefresher } from '../../src/engine/services/calendar-refresher.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { ManualClock, quiet } from '../support/clock.ts';
import { World } from '../support/engine/world.ts';
import { aClient } from '../support/store/backend.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const START = '2026-03-02T12:00:00.500Z';
const EACH_MINUTE = { interval: '* * * * *' };
const TODAY = { from: '2026-03-02', to: '2026-03-03', summary: 'Freeze' };
const LONG_AGO = { from: '2020-01-01', to: '2020-01-02' };
const URL_OF_CALENDAR = 'https://calendars.example/holidays.ics';

/** A text with a whole day. */
function textOf(...days: string[]): string {
  const events = days.flatMap(day => [
    ...['BEGIN:VEVENT', `UID:${day}`, 'DTSTAMP:20260101T000000Z'],
    ...[`DTSTART;VALUE=DATE:${day}`, `SUMMARY:${day}`, 'END:VEVENT'],
  ]);
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//t//t//EN',
    ...events,
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

const versionOf = async (world: World, name: string) =>
  (await world.store.calendars.find(world.clientRowId, name))!.version;

/** Waits until no schedule is left to be counted. */
async function counted({ store, clock }: World): Promise<void> {
  for (let looks = 0; (await store.calendars.nextRecount()) !== null; looks += 1) {
    assert.ok(looks < 10_000, 'the count ends');
    await quiet();
    await clock.advance(0);
  }
}

describe('a change of a calendar', () => {
  test('a freeze put over a schedule stops it at once, and lifted it fires again', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    const { id, updatedAt } = await world.schedule({
      ...EACH_MINUTE,
      timing: { exclude: ['freeze'] },
    });
    await world.schedule({ ...EACH_MINUTE, url: 'https://example.com/free' });
    await world.clock.advanceTo('2026-03-02T12:02:30Z');
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00']);
    await world.calendar('freeze', TODAY);
    await counted(world);
    await world.clock.advanceTo('2026-03-02T12:04:30Z');
    const own = () => world.sent.filter(sent => sent.headers['punctual-schedule-id'] === id).length;
    assert.equal(own(), 2);
    assert.equal(world.times('https://example.com/free').length, 4);
    const frozen = (await world.found(id))!;
    assert.deepEqual(frozen.timing!.calendars, [await versionOf(world, 'freeze')]);
    assert.equal(frozen.updatedAt, updatedAt);
    await world.calendar('freeze', LONG_AGO);
    await counted(world);
    await world.clock.advanceTo('2026-03-02T12:06:30Z');
    assert.equal(own(), 4);
  });

  test('a request that is claimed ahead and has not started does not start', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    await world.schedule({ ...EACH_MINUTE, timing: { exclude: ['freeze'] } });
    await world.clock.advanceTo('2026-03-02T12:00:59.500Z');
    await world.calendar('freeze', TODAY);
    await counted(world);
    await world.clock.advanceTo('2026-03-02T12:03:00Z');
    assert.deepEqual(world.sent, []);
  });

  test('a time that waits for its turn fires where the times to come are the same', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    await world.schedule({ interval: '*/5 * * * *', timing: { exclude: ['freeze'] } });
    world.congested = true;
    await world.clock.advanceTo('2026-03-02T12:05:01Z');
    await world.calendar('freeze', LONG_AGO, { from: '2031-01-01', to: '2031-01-02' });
    await counted(world);
    await world.decongest();
    await world.clock.advanceTo('2026-03-02T12:05:05Z');
    assert.deepEqual(await world.history(), ['12:05:00 succeeded']);
    await world.clock.advanceTo('2026-03-02T12:10:05Z');
    assert.deepEqual(await world.history(), ['12:05:00 succeeded', '12:10:00 succeeded']);
  });

  describe('while the store answers the claim of a start late', () => {
    async function started(): Promise<{ world: World; late: PromiseWithResolvers<void> }> {
      const world = await World.start(START);
      await world.calendar('freeze', { from: '2026-03-02T12:03:00Z', to: '2026-03-02T12:04:00Z' });
      await world.schedule({ ...EACH_MINUTE, timing: { exclude: ['freeze'] } });
      const late = Promise.withResolvers<void>();
      const { queue } = world.store;
      const claim = queue.claim.bind(queue);
      queue.claim = async (...parameters) => {
        const taken = await claim(...parameters);
        await late.promise;
        return taken;
      };
      await world.crash(5 * MINUTE);
      await world.calendar('freeze', LONG_AGO);
      return { world, late };
    }

    test('times that have passed go by the version before', async () => {
      const { world, late } = await started();
      await world.clock.advance(100);
      late.resolve();
      await quiet();
      await world.clock.advance(50);
      assert.equal(await world.store.calendars.nextRecount(), null);
      const missed = ['12:01:00 missed', '12:02:00 missed', '12:04:00 missed'];
      assert.deepEqual(await world.history(), [...missed, '12:05:00 succeeded']);
    });

    test('the count does not wait for it for long, and drops them where the new version has others', async () => {
      const { world, late } = await started();
      await world.clock.advance(200);
      assert.notEqual(await world.store.calendars.nextRecount(), null);
      await world.clock.advance(100);
      assert.equal(await world.store.calendars.nextRecount(), null);
      late.resolve();
      await world.clock.advanceTo('2026-03-02T12:06:30Z');
      assert.deepEqual(await world.history(), ['12:06:00 succeeded']);
    });
  });

  test('a run in flight goes on to the times of the new version, also where its next time is the same', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    await world.schedule({ ...EACH_MINUTE, timing: { exclude: ['freeze'] } });
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-02T12:01:10Z');
    await world.calendar('freeze', { from: '2026-03-02T12:03:00Z', to: '2026-03-02T12:04:00Z' });
    await counted(world);
    await world.clock.advanceTo('2026-03-02T12:02:30Z');
    world.answer = () => 200;
    await world.release();
    await world.clock.advanceTo('2026-03-02T12:04:30Z');
    const history = ['12:01:00 succeeded', '12:02:00 skipped', '12:04:00 succeeded'];
    assert.deepEqual(await world.history(), history);
  });

  test('a schedule that has no time left completes, as it asks for', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    const timing = { exclude: ['freeze'], endsAt: Date.parse('2026-03-02T18:00Z') };
    const disabled = await world.schedule({ ...EACH_MINUTE, timing });
    const afterCompletion = 'delete' as const;
    const deleted = await world.schedule({
      ...EACH_MINUTE,
      timing: { ...timing, afterCompletion },
    });
    const off = await world.schedule({ ...EACH_MINUTE, timing, status: 'disabled' });
    await world.calendar('freeze', TODAY);
    await counted(world);
    const standing = async ({ id }: Schedule) => {
      const { status, statusReason, updatedAt } = (await world.found(id))!;
      return [status, statusReason, updatedAt === undefined];
    };
    assert.deepEqual(await standing(disabled), ['disabled', 'completed', false]);
    assert.deepEqual(await standing(deleted), ['deleted', 'completed', false]);
    assert.deepEqual(await standing(off), ['disabled', undefined, true]);
    assert.equal(await world.store.queue.nextDueAt(), null);
  });

  test('a run that has begun goes on, and its end completes the schedule', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    const timing = { exclude: ['freeze'], endsAt: Date.parse('2026-03-02T18:00Z') };
    world.answer = () => 'hang';
    const { id } = await world.schedule({ ...EACH_MINUTE, timing });
    await world.clock.advanceTo('2026-03-02T12:01:10Z');
    await world.calendar('freeze', TODAY);
    await counted(world);
    assert.equal((await world.found(id))!.status, 'enabled');
    world.answer = () => 200;
    await world.release(500);
    await world.clock.advanceTo('2026-03-02T12:01:40Z');
    assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
    assert.equal(world.sent.length, 2);
    const { status, statusReason } = (await world.found(id))!;
    assert.deepEqual([status, statusReason], ['disabled', 'completed']);
  });

  test('maxRuns counts by the new version', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', LONG_AGO);
    const timing = { exclude: ['freeze'], maxRuns: 3 };
    const { id } = await world.schedule({ interval: '0 0 * * *', timing });
    assert.equal((await world.found(id))!.timing!.lastAt, Date.parse('2026-03-05T00:00Z'));
    await world.calendar('freeze', { from: '2026-03-04', to: '2026-03-10' });
    await counted(world);
    assert.equal((await world.found(id))!.timing!.lastAt, Date.parse('2026-03-11T00:00Z'));
  });

  test('2,500 schedules are counted in bites, newest first, and a process that dies is gone on from', async () => {
    const world = await World.start(START);
    const { store, clock, clientRowId } = world;
    await world.calendar('freeze', LONG_AGO);
    const first = await world.schedule({ ...EACH_MINUTE, timing: { exclude: ['freeze'] } });
    const made = Array.from({ length: 2_499 }, () => ({
      schedule: { ...first, id: newId(clock.now()) },
      start: { first: clock.now() + DAY, second: null },
    }));
    await store.schedules.insert(clientRowId, made);
    const ids = [first.id, ...made.map(({ schedule: { id } }) => id)];
    const freshOf = async () => {
      const present = await versionOf(world, 'freeze');
      const found = await store.schedules.findAll(clientRowId, ids);
      const fresh = found.filter(({ schedule }) => schedule.timing!.calendars![0] === present);
      return fresh.map(({ schedule }) => schedule.id).sort();
    };
    const { recounted } = store.calendars;
    const noted: (number | null)[] = [];
    let died = Promise.withResolvers<void>();
    store.calendars.recounted = async (recount, before) => {
      await recounted(recount, before);
      noted.push(before);
      if (noted.length === 1) died.resolve();
    };
    await world.calendar('freeze', TODAY);
    await Promise.race([died.promise, counted(world)]);
    await world.crash();
    const before = await freshOf();
    assert.ok(before.length >= 1_000 && before.length < 2_500, `${before.length}`);
    assert.deepEqual(before, ids.sort().slice(-before.length));
    await counted(world);
    assert.equal((await freshOf()).length, 2_500);
    assert.deepEqual([noted.length, noted.at(-1)], [3, null]);
    await clock.advanceTo('2026-03-02T12:02:00Z');
    assert.deepEqual(world.sent, []);
    died = Promise.withResolvers();
  });

  test('a version that this process has never seen is read before a time is counted', async () => {
    const world = await World.start(START);
    const { store, clock, clientRowId } = world;
    const now = clock.now();
    const version = newId(now);
    const from = Date.parse('2026-03-02T12:02:00Z');
    const periods = [{ from, to: from + 2 * MINUTE, isLocal: false, summary: '' }];
    const source: CalendarSource = { kind: 'periods', periods: [] };
    await store.calendars.put(clientRowId, { version, name: 'x', periods, source }, now, now + DAY);
    const schedule: Schedule = {
      ...{ id: newId(now), status: 'enabled', url: 'https://example.com/hook', verb: 'POST' },
      ...{ interval: '* * * * *', timezone: 'UTC', createdAt: now, label: '' },
      timing: { exclude: ['x'], calendars: [version] },
    };
    const start = { first: Date.parse('2026-03-02T12:01:00Z'), second: from };
    await store.schedules.insert(clientRowId, [{ schedule, start }]);
    world.engine.wake(start.first);
    await clock.advanceTo('2026-03-02T12:05:30Z');
    assert.deepEqual(
      world.told.filter(line => line.startsWith('row')),
      [],
    );
    assert.equal(world.times().includes('12:03:00'), false);
    assert.deepEqual(world.times().slice(-2), ['12:04:00', '12:05:00']);
  });
});

describe('a calendar with a url', () => {
  let clock: ManualClock;
  let store: Store;
  let clientRowId: number;
  let refresher: CalendarRefresher;
  let reader: CalendarReader;
  let fetchText: (url: string) => Promise<string>;
  let asked: string[];
  let told: string[];

  beforeEach(async () => {
    clock = new ManualClock(START);
    store = openSqlite(':memory:');
    ({ clientRowId } = await aClient(store));
    [asked, told] = [[], []];
    const { calendars } = store;
    fetchText = async () => textOf('20260310');
    const fetch = (url: string) => {
      asked.push(url);
      return fetchText(url);
    };
    reader = new CalendarReader({ calendars, clock, fetchText: fetch, expand: periodsOf });
    const observer = {
      calendarFailed: (name: string, fault: string) => told.push(`${name}: ${fault}`),
      storeFailed: (error: unknown) => told.push(String(error)),
    } satisfies Partial<EngineObserver>;
    const changed = () => told.push('changed');
    refresher = new CalendarRefresher({
      ...{ calendars, reader, clock, changed },
      observer: observer as Partial<EngineObserver> as EngineObserver,
    });
    await reader.put(clientRowId, 'holidays', { kind: 'url', url: URL_OF_CALENDAR });
    asked.length = 0;
    refresher.start();
    await quiet();
  });
  afterEach(async () => {
    await refresher.stop();
    await store.close();
  });

  const stored = async () => (await store.calendars.find(clientRowId, 'holidays'))!;
  /** Each of them with a look at its end. */
  const days = async (count: number) => {
    for (let day = 0; day < count; day += 1) {
      await clock.jump(clock.now() + DAY);
      await clock.advance(MINUTE);
    }
  };
  const faults = async () => {
    const { staleSince, fault } = await stored();
    return { staleSince, fault };
  };

  test('is read daily, and told where it says something else', async () => {
    const { version } = await stored();
    fetchText = async () => textOf('20260310', '20260304');
    await clock.advance(DAY - MINUTE);
    assert.deepEqual(asked, []);
    await clock.advance(2 * MINUTE);
    assert.deepEqual([asked, told], [[URL_OF_CALENDAR], ['changed']]);
    const anew = await stored();
    assert.notEqual(anew.version, version);
    assert.ok(anew.updatedAt! > anew.createdAt);
    const [said] = await store.calendars.versions([anew.version]);
    assert.equal(said!.periods.length, 2);
    await clock.advance(2 * DAY);
    assert.deepEqual([asked.length, told], [3, ['changed']]);
    assert.deepEqual(await stored(), anew);
  });

  test('that cannot be read keeps its last good version, and is tried again each hour', async () => {
    const { version } = await stored();
    fetchText = async () => {
      throw new PunctualError('calendar_invalid', `It failed ${asked.length} times.`);
    };
    await clock.advanceTo('2026-03-03T12:02Z');
    assert.equal(asked.length, 1);
    const { staleSince } = await stored();
    assert.ok(staleSince! >= Date.parse('2026-03-03T12:00Z') && staleSince! <= clock.now());
    await clock.advance(2 * HOUR + MINUTE);
    assert.deepEqual(await faults(), { staleSince, fault: 'It failed 3 times.' });
    assert.equal((await stored()).version, version);
    assert.equal(await store.calendars.stale(), 1);
    assert.deepEqual(
      told,
      [1, 2, 3].map(times => `holidays: It failed ${times} times.`),
    );
    fetchText = async () => textOf('20260310');
    await clock.advance(HOUR + MINUTE);
    assert.deepEqual(await faults(), { staleSince: undefined, fault: undefined });
    assert.equal((await stored()).version, version);
  });

  test('whose text is no calendar any more is stale too', async () => {
    fetchText = async () => '<html>moved</html>';
    await clock.advance(DAY + 2 * MINUTE);
    assert.match((await stored()).fault!, /^\S.*\.$/);
  });

  test('that says the same for 30 days gets a version that reaches further', async () => {
    const { version } = await stored();
    await days(29);
    assert.deepEqual([asked.length, (await stored()).version], [29, version]);
    await days(1);
    assert.notEqual((await stored()).version, version);
  });

  test('that is replaced while it is read stays replaced', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    fetchText = () => promise;
    await clock.advance(DAY + MINUTE);
    const periods = [LONG_AGO];
    await reader.put(clientRowId, 'holidays', { kind: 'periods', periods });
    resolve(textOf('20260304'));
    await quiet();
    assert.equal((await stored()).kind, 'periods');
    const [said] = await store.calendars.versions([(await stored()).version]);
    assert.equal(said!.periods.length, 1);
  });

  test('is expanded anew daily where it is a text, and never where it is periods', async () => {
    await reader.put(clientRowId, 'holidays', { kind: 'periods', periods: [LONG_AGO] });
    assert.ok((await store.calendars.nextDueAt())! > clock.now() + 10_000 * DAY);
    const yearly = textOf('20260310').replace('SUMMARY', 'RRULE:FREQ=YEARLY\r\nSUMMARY');
    await reader.put(clientRowId, 'holidays', { kind: 'ics', ics: yearly });
    const lastOf = async () => {
      const [said] = await store.calendars.versions([(await stored()).version]);
      return new Date(said!.periods.at(-1)!.from).getUTCFullYear();
    };
    assert.equal(await lastOf(), 2030);
    await days(31);
    assert.deepEqual([asked, await lastOf()], [[], 2031]);
  });
});
