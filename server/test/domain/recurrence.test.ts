import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Effort } from '../../src/domain/calendar/exclusion/effort.ts';
import { expand } from '../../src/domain/calendar/exclusion/recurrence.ts';
import { readRule } from '../../src/domain/calendar/exclusion/recurrence-rule.ts';
import vectors from '../data/recurrence-vectors.json' with { type: 'json' };

const DAY_MS = 86_400_000;

const read = (value: string) =>
  readRule({ name: 'RRULE', parameters: new Map(), value, line: 7 }, instant => instant);

/** `20261224T180000`, on the local time line. */
function local(text: string): number {
  const [, date, time] = /^(\d{8})T?(\d{6})?$/.exec(text)!;
  return Temporal.PlainDateTime.from(`${date}T${time ?? '000000'}`).toZonedDateTime('UTC')
    .epochMilliseconds;
}

function shown(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '');
}

function times(rule: string, start: string, from: string, to: string, isDate = false): string[] {
  const bounds = { start: local(start), isDate, from: local(from), to: local(to) };
  return [...expand(read(rule), bounds, new Effort())].map(shown);
}

const until2036 = (rule: string, start: string) => times(rule, start, start, '20360101');

test('rules of every kind give the times that python-dateutil 2.9 gives', () => {
  for (const { start, rule, times: expected } of vectors) {
    const bounds = {
      start: local(start),
      isDate: false,
      from: local(start),
      to: local('20360101'),
    };
    const found: string[] = [];
    for (const time of expand(read(rule), bounds, new Effort())) {
      found.push(shown(time));
      if (found.length === 12) break;
    }
    assert.deepEqual(found, expected, `${start} ${rule}`);
  }
});

test('the search may begin anywhere: the times from there on are the same', () => {
  for (const { start, rule, times: expected } of vectors) {
    for (const from of expected.slice(1)) {
      const bounds = {
        start: local(start),
        isDate: false,
        from: local(from),
        to: local('20360101'),
      };
      const [found] = expand(read(rule), bounds, new Effort());
      assert.equal(shown(found!), from, `${start} ${rule}`);
    }
  }
});

// RFC 5545, 3.8.5.3, with dates of this decade.
test('the examples of the standard', () => {
  assert.deepEqual(until2036('FREQ=MONTHLY;COUNT=4;BYDAY=-2MO', '20260119T090000'), [
    '20260216T090000',
    '20260323T090000',
    '20260420T090000',
  ]);
  assert.deepEqual(
    times('FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '20260101', '20260101', '20270101'),
    ['20260213T000000', '20260313T000000', '20261113T000000'],
  );
  assert.deepEqual(until2036('FREQ=YEARLY;BYDAY=20MO;COUNT=4', '20260518'), [
    '20270517T000000',
    '20280515T000000',
    '20290514T000000',
  ]);
  assert.deepEqual(until2036('FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3', '20260511'), [
    '20270517T000000',
    '20280515T000000',
  ]);
  assert.deepEqual(until2036('FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '20260106'), [
    '20260111T000000',
    '20260120T000000',
    '20260125T000000',
  ]);
  assert.deepEqual(until2036('FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '20260106'), [
    '20260118T000000',
    '20260120T000000',
    '20260201T000000',
  ]);
  assert.deepEqual(until2036('FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '20260115T090000'), [
    '20260130T090000',
    '20260215T090000',
    '20260315T090000',
    '20260330T090000',
  ]);
  assert.deepEqual(
    until2036('FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10;COUNT=7', '20260115T090000').map(each =>
      each.slice(9, 13),
    ),
    ['0920', '0940', '1000', '1020', '1040', '0900'],
  );
});

test('days that a month or a year lacks are left out, not moved', () => {
  assert.deepEqual(times('FREQ=MONTHLY', '20260131', '20260101', '20260801'), [
    '20260331T000000',
    '20260531T000000',
    '20260731T000000',
  ]);
  assert.deepEqual(until2036('FREQ=YEARLY', '20240229'), ['20280229T000000', '20320229T000000']);
});

test('a week is the fifty-third of its own year', () => {
  // The 1st and 2nd of January 2022 belong to week 52 of 2021, which has no more.
  assert.deepEqual(times('FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU', '20200101', '20200101', '20270105'), [
    '20210103T000000',
    '20270103T000000',
  ]);
  assert.deepEqual(times('FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU', '20200101', '20200101', '20230105'), [
    '20210103T000000',
    '20220102T000000',
    '20230101T000000',
  ]);
});

test('a position counts among all times of an interval, also those before the start and behind the end', () => {
  assert.deepEqual(until2036('FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1;COUNT=3', '20260107'), [
    '20260112T000000',
    '20260119T000000',
  ]);
  assert.deepEqual(
    until2036('FREQ=YEARLY;BYMONTH=4,11;BYDAY=WE;BYSETPOS=-1;UNTIL=20270502', '20260101'),
    ['20261125T000000'],
  );
});

test('UNTIL is inclusive, and a date means the whole day', () => {
  const start = '20260101T090000';
  assert.equal(until2036('FREQ=DAILY;UNTIL=20260103T090000', start).length, 2);
  assert.equal(until2036('FREQ=DAILY;UNTIL=20260103T085959', start).length, 1);
  assert.equal(until2036('FREQ=DAILY;UNTIL=20260103', start).length, 2);
  assert.equal(until2036('FREQ=DAILY;UNTIL=20251231', start).length, 0);
});

test('the start is the first of COUNT, also where the rule does not name it', () => {
  assert.deepEqual(until2036('FREQ=WEEKLY;BYDAY=MO;COUNT=2', '20260101'), ['20260105T000000']);
  assert.deepEqual(until2036('FREQ=DAILY;COUNT=1', '20260101'), []);
});

test('of a whole day the times of day do not count', () => {
  assert.deepEqual(
    times('FREQ=DAILY;COUNT=3;BYHOUR=9,10;BYMINUTE=30', '20260101', '20260101', '20270101', true),
    ['20260102T000000', '20260103T000000'],
  );
});

test('numbers and letters are read as people write them', () => {
  assert.deepEqual(until2036('freq=monthly;byday=+1mo,1MO;count=2;interval=0;', '20260105'), [
    '20260202T000000',
  ]);
  assert.deepEqual(until2036('FREQ=MINUTELY;BYSECOND=60,59;COUNT=2', '20260105T000059'), [
    '20260105T000159',
  ]);
});

for (const rule of [
  'COUNT=3',
  'FREQ=FORTNIGHTLY',
  'FREQ=DAILY;BYMONTH=13',
  'FREQ=DAILY;BYMONTHDAY=0',
  'FREQ=DAILY;BYDAY=XX',
  'FREQ=DAILY;BYDAY=',
  'FREQ=DAILY;BYDAY=100MO',
  'FREQ=DAILY;COUNT=-1',
  'FREQ=DAILY;COUNT=x',
  'FREQ=DAILY;INTERVAL=1.5',
  'FREQ=DAILY;UNTIL=soon',
  'FREQ=DAILY;UNTIL=20260231',
  'FREQ=DAILY;WKST=1',
  'FREQ=DAILY;BYHOUR=24',
  'D1 #0',
  '',
]) {
  test(`a rule is refused: ${JSON.stringify(rule)}`, () => {
    assert.throws(() => read(rule), {
      name: 'PunctualError',
      code: 'calendar_invalid',
      message:
        /^Line 7 of the calendar has no valid (rule: see "\S*" in RRULE|date or time: .+)\.$|"D1 #0" in RRULE\.$/,
    });
  });
}

interface DayRule {
  frequency: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY';
  interval: number;
  months: number[];
  monthDays: number[];
  days: { nth: number; name: string }[];
  weeks: number[];
  startDay: number;
}

const NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const FIRST_DAY = Date.UTC(2024, 0, 1) / DAY_MS;

function textOf({ frequency, interval, months, monthDays, days, weeks }: DayRule): string {
  const parts = [`FREQ=${frequency}`, `INTERVAL=${interval}`];
  if (months.length > 0) parts.push(`BYMONTH=${months}`);
  if (monthDays.length > 0) parts.push(`BYMONTHDAY=${monthDays}`);
  if (weeks.length > 0) parts.push(`BYWEEKNO=${weeks}`);
  if (days.length > 0) parts.push(`BYDAY=${days.map(({ nth, name }) => `${nth || ''}${name}`)}`);
  return parts.join(';');
}

const dateOf = (day: number) => Temporal.PlainDate.from('1970-01-01').add({ days: day });

/** The standard's table (RFC 5545, 3.3.10) for one day, by Temporal and by counting. */
function hasDay(rule: DayRule, day: number): boolean {
  const date = dateOf(day);
  const start = dateOf(rule.startDay);
  const monday = (of: Temporal.PlainDate) => of.subtract({ days: of.dayOfWeek - 1 });
  const passed = {
    YEARLY: date.year - start.year,
    MONTHLY: (date.year - start.year) * 12 + date.month - start.month,
    WEEKLY: monday(start).until(monday(date)).days / 7,
    DAILY: day - rule.startDay,
  }[rule.frequency];
  if (passed % rule.interval !== 0) return false;
  const isAmong = (list: number[], nth: number, length: number) =>
    list.length === 0 || list.includes(nth) || list.includes(nth - length - 1);
  const { frequency, months, monthDays, days, weeks } = rule;
  if (!isAmong(months, date.month, 1e6)) return false;
  if (!isAmong(monthDays, date.day, date.daysInMonth)) return false;
  const lastWeek = Temporal.PlainDate.from({ year: date.yearOfWeek!, month: 12, day: 28 });
  if (!isAmong(weeks, date.weekOfYear!, lastWeek.weekOfYear!)) return false;
  if (days.length > 0) {
    return days.some(({ nth, name }) => {
      if (NAMES[date.dayOfWeek - 1] !== name) return false;
      if (nth === 0) return true;
      const isByMonth = frequency === 'MONTHLY' || months.length > 0;
      const same = (other: Temporal.PlainDate) =>
        other.year === date.year && (!isByMonth || other.month === date.month);
      let place = 0;
      const step = nth > 0 ? -7 : 7;
      for (let at = date; same(at); at = at.add({ days: step })) place += 1;
      return place === Math.abs(nth);
    });
  }
  if (monthDays.length > 0) return true;
  if (weeks.length > 0 || frequency === 'WEEKLY') return date.dayOfWeek === start.dayOfWeek;
  if (frequency === 'DAILY') return true;
  const isMonth = frequency === 'MONTHLY' || months.length > 0 || date.month === start.month;
  return isMonth && date.day === start.day;
}

const some = (list: number[], maxLength: number): fc.Arbitrary<number[]> =>
  fc.oneof(fc.subarray(list, { maxLength }), fc.constant<number[]>([]));

const dayRules: fc.Arbitrary<DayRule> = fc
  .constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY')
  .chain(frequency => {
    const mayCount = frequency === 'YEARLY' || frequency === 'MONTHLY';
    const nth = mayCount ? fc.constantFrom(0, 0, 1, 2, 5, -1, -4) : fc.constant(0);
    return fc.record({
      frequency: fc.constant(frequency as DayRule['frequency']),
      interval: fc.constantFrom(1, 1, 2, 3, 5),
      months: some([1, 2, 3, 6, 10, 11, 12], 3),
      monthDays:
        frequency === 'WEEKLY' ? fc.constant<number[]>([]) : some([1, 13, 28, 29, 31, -1, -31], 3),
      days: fc.array(fc.record({ nth, name: fc.constantFrom(...NAMES) }), { maxLength: 3 }),
      weeks: frequency === 'YEARLY' ? some([1, 20, 52, 53, -1], 2) : fc.constant<number[]>([]),
      startDay: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + 800 }),
    });
  })
  // A number beside weeks has no meaning.
  .filter(({ weeks, days }) => weeks.length === 0 || days.every(({ nth }) => nth === 0));

test('a rule by days has exactly the days that a look at every day finds', () => {
  fc.assert(
    fc.property(dayRules, rule => {
      const bounds = {
        start: rule.startDay * DAY_MS,
        isDate: true,
        from: rule.startDay * DAY_MS,
        to: (rule.startDay + 900) * DAY_MS,
      };
      const found = [...expand(read(textOf(rule)), bounds, new Effort())];
      const expected: number[] = [];
      for (let day = rule.startDay + 1; day < rule.startDay + 900; day += 1) {
        if (hasDay(rule, day)) expected.push(day * DAY_MS);
      }
      assert.deepEqual(found.map(shown), expected.map(shown), textOf(rule));
    }),
    { numRuns: 150 },
  );
});
