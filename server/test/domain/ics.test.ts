import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { periodsOfIcs } from '../../src/domain/calendar/exclusion/ics.ts';
import type { Period } from '../../src/domain/calendar/exclusion/period.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import { casesOf } from '../support/long.ts';

const DATA = join(import.meta.dirname, '../data/calendars');
const CALENDARS = readdirSync(DATA)
  .filter(file => file.endsWith('.ics'))
  .map(file => file.slice(0, -'.ics'.length));
const WINDOW = { from: Date.UTC(2025, 0), to: Date.UTC(2032, 0) };

const text = (name: string) => readFileSync(join(DATA, `${name}.ics`), 'utf8');

interface Expected {
  from: string;
  to: string;
  summary: string;
}

/** As people write them: a date is a local day, a time without Z is local, one with Z is an instant. */
function shown({ from, to, isLocal, summary }: Period): Expected {
  const isDays = isLocal && from % 86_400_000 === 0 && to % 86_400_000 === 0;
  const end = (time: number) => {
    const iso = new Date(time).toISOString();
    if (isDays) return iso.slice(0, 10);
    return isLocal ? iso.slice(0, 16) : `${iso.slice(0, 19)}Z`;
  };
  return { from: end(from), to: end(to), summary };
}

for (const name of CALENDARS) {
  test(`a calendar as it is written: ${name}`, () => {
    const expected = JSON.parse(readFileSync(join(DATA, `${name}.json`), 'utf8')) as Expected[];
    assert.ok(expected.length > 7);
    assert.deepEqual(periodsOfIcs(text(name), WINDOW).map(shown), expected);
  });
}

test('Easter is right in each year of the calendars', () => {
  const sundays = ['04-20', '04-05', '03-28', '04-16', '04-01', '04-21', '04-13'];
  const found = periodsOfIcs(text('holidays-us'), WINDOW).map(shown);
  assert.deepEqual(
    found.filter(({ summary }) => summary === 'Easter Sunday').map(({ from }) => from),
    sundays.map((day, index) => `${2025 + index}-${day}`),
  );
});

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR'].join('\r\n');
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n');
const read = (...lines: string[]) => periodsOfIcs(calendar(event(...lines)), WINDOW);
const spans = (...lines: string[]) =>
  read(...lines).map(each => `${shown(each).from}/${shown(each).to}`);

test('a date without an end lasts one day, also where it ends on itself', () => {
  assert.deepEqual(spans('DTSTART;VALUE=DATE:20261224'), ['2026-12-24/2026-12-25']);
  assert.deepEqual(spans('DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261224'), [
    '2026-12-24/2026-12-25',
  ]);
  assert.deepEqual(spans('DTSTART:20261224'), ['2026-12-24/2026-12-25']);
  assert.deepEqual(spans('DTSTART;VALUE=DATE:20261224', 'DURATION:P1W'), ['2026-12-24/2026-12-31']);
});

test('a time without an end, or that ends on itself, is left out', () => {
  assert.deepEqual(spans('DTSTART:20261224T180000Z'), []);
  assert.deepEqual(spans('DTSTART:20261224T180000Z', 'DTEND:20261224T180000Z'), []);
});

test('a time is local without a zone, and an instant with Z or a TZID', () => {
  const end = 'DURATION:PT1H';
  assert.deepEqual(spans('DTSTART:20261224T180000', end), ['2026-12-24T18:00/2026-12-24T19:00']);
  assert.deepEqual(spans('DTSTART:20261224T180000Z', end), [
    '2026-12-24T18:00:00Z/2026-12-24T19:00:00Z',
  ]);
  for (const name of [
    'Europe/Berlin',
    '"Europe/Berlin"',
    '/freeassociation.sourceforge.net/Europe/Berlin',
    '/freeassociation.sourceforge.net/Tzfile/Europe/Berlin',
    '/mozilla.org/20050126_1/Europe/Berlin',
    '/softwarestudio.org/Olson_20011030_5/Europe/Berlin',
  ]) {
    assert.deepEqual(spans(`DTSTART;TZID=${name}:20261224T180000`, end), [
      '2026-12-24T17:00:00Z/2026-12-24T18:00:00Z',
    ]);
  }
  assert.deepEqual(spans('DTSTART;TZID=/x/America/Argentina/Buenos_Aires:20261224T180000', end), [
    '2026-12-24T21:00:00Z/2026-12-24T22:00:00Z',
  ]);
});

const zone = (name: string, ...rules: string[]) =>
  ['BEGIN:VTIMEZONE', `TZID:${name}`, ...rules, 'END:VTIMEZONE'].join('\r\n');
const observance = (from: string, to: string, ...lines: string[]) =>
  ['BEGIN:STANDARD', `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, ...lines, 'END:STANDARD'].join(
    '\r\n',
  );
const at = (name: string, time: string) =>
  event(`DTSTART;TZID=${name}:${time}`, 'DURATION:PT1H', `SUMMARY:${time}`);
const starts = (...parts: string[]) =>
  periodsOfIcs(calendar(...parts), WINDOW).map(each => shown(each).from);

test("for a name of IANA's its rules count, whatever the VTIMEZONE says", () => {
  const wrong = zone('Europe/Berlin', observance('+0900', '+0900', 'DTSTART:20000101T000000'));
  assert.deepEqual(starts(wrong, at('Europe/Berlin', '20260701T120000')), ['2026-07-01T10:00:00Z']);
  const located = zone(
    'My zone',
    'X-LIC-LOCATION:Europe/Berlin',
    observance('+0900', '+0900', 'DTSTART:20000101T000000'),
  );
  assert.deepEqual(starts(located, at('My zone', '20260701T120000')), ['2026-07-01T10:00:00Z']);
});

test('any other name is what its VTIMEZONE says', () => {
  const own = zone(
    'Ours',
    observance('+0000', '+0100', 'DTSTART:20260301T000000'),
    observance(
      '+0100',
      '+023015',
      'DTSTART:20260601T000000',
      'RDATE:20270601T000000,20280601T000000',
    ),
    observance(
      '+023015',
      '+0100',
      'DTSTART:20261001T000000',
      'RRULE:FREQ=YEARLY;UNTIL=20271231T000000Z',
    ),
  );
  assert.deepEqual(
    starts(
      own,
      ...['20260201', '20260501', '20260701', '20261101', '20270701', '20271101', '20300101'].map(
        day => at('Ours', `${day}T120000`),
      ),
    ),
    [
      '2026-02-01T12:00:00Z',
      '2026-05-01T11:00:00Z',
      '2026-07-01T09:29:45Z',
      '2026-11-01T11:00:00Z',
      '2027-07-01T09:29:45Z',
      '2027-11-01T11:00:00Z',
      // The last change counts for good.
      '2030-01-01T09:29:45Z',
    ],
  );
});

test('in a gap the offset before it counts, and of a time that comes twice the first', () => {
  assert.deepEqual(starts(at('Europe/Berlin', '20260329T023000')), ['2026-03-29T01:30:00Z']);
  assert.deepEqual(starts(at('Europe/Berlin', '20261025T023000')), ['2026-10-25T00:30:00Z']);
});

test('an end is a length in elapsed time; days of a duration are those of the wall clock', () => {
  const start = 'DTSTART;TZID=Europe/Berlin:20260327T120000';
  const rule = 'RRULE:FREQ=WEEKLY;COUNT=2';
  assert.deepEqual(spans(start, 'DURATION:P3D', rule), [
    '2026-03-27T11:00:00Z/2026-03-30T10:00:00Z',
    '2026-04-03T10:00:00Z/2026-04-06T10:00:00Z',
  ]);
  assert.deepEqual(spans(start, 'DTEND;TZID=Europe/Berlin:20260330T120000', rule), [
    '2026-03-27T11:00:00Z/2026-03-30T10:00:00Z',
    '2026-04-03T10:00:00Z/2026-04-06T09:00:00Z',
  ]);
  assert.deepEqual(spans(start, 'DTEND;TZID=America/New_York:20260327T080000'), [
    '2026-03-27T11:00:00Z/2026-03-27T12:00:00Z',
  ]);
});

test('an exception takes a time away, in any zone, and a date the whole day', () => {
  const series = [
    'DTSTART;TZID=Europe/Berlin:20260302T090000',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=4',
  ];
  const left = (...exceptions: string[]) =>
    spans(...series, ...exceptions).map(each => each.slice(8, 10));
  assert.deepEqual(left('EXDATE;TZID=Europe/Berlin:20260303T090000'), ['02', '04', '05']);
  assert.deepEqual(left('EXDATE:20260303T080000Z,20260305T080000Z'), ['02', '04']);
  assert.deepEqual(left('EXDATE;VALUE=DATE:20260302'), ['03', '04', '05']);
  assert.deepEqual(left('EXDATE;TZID=Europe/Berlin:20260303T100000'), ['02', '03', '04', '05']);
  assert.deepEqual(
    spans('DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260303T000000'),
    ['2026-03-02/2026-03-03', '2026-03-04/2026-03-05'],
  );
});

test('a changed instance may come from outside of the window, or leave it', () => {
  const series = event('UID:a', 'DTSTART;VALUE=DATE:20240101', 'RRULE:FREQ=YEARLY');
  const moved = event('UID:a', 'DTSTART;VALUE=DATE:20250301', 'RECURRENCE-ID;VALUE=DATE:20240101');
  const left = event('UID:a', 'DTSTART;VALUE=DATE:20400101', 'RECURRENCE-ID;VALUE=DATE:20260101');
  assert.deepEqual(starts(series, moved, left), [
    '2025-01-01',
    '2025-03-01',
    ...['2027-01-01', '2028-01-01', '2029-01-01', '2030-01-01', '2031-01-01', '2032-01-01'],
  ]);
});

test('of two versions of an instance the later one counts', () => {
  const series = event('UID:a', 'DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=DAILY;COUNT=2');
  const change = (sequence: number, ...lines: string[]) =>
    event('UID:a', 'RECURRENCE-ID;VALUE=DATE:20260102', `SEQUENCE:${sequence}`, ...lines);
  const cancelled = change(2, 'STATUS:CANCELLED');
  const older = change(1, 'DTSTART;VALUE=DATE:20260110');
  assert.deepEqual(starts(series, cancelled, older), ['2026-01-01']);
  assert.deepEqual(starts(series, older, cancelled), ['2026-01-01']);
});

test('a series may end early: its later instances are cancelled', () => {
  const series = event('UID:a', 'DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=DAILY;COUNT=9');
  const end = event(
    'UID:a',
    'RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20260103',
    'STATUS:CANCELLED',
  );
  assert.deepEqual(starts(series, end), ['2026-01-01', '2026-01-02']);
});

test('only what touches the window is there; of a local period within a day, as zones may have it', () => {
  const window = { from: Date.UTC(2026, 5, 10), to: Date.UTC(2026, 5, 12) };
  const within = (...lines: string[]) =>
    periodsOfIcs(calendar(event(...lines)), window).map(each => shown(each).from);
  const daily = 'RRULE:FREQ=DAILY';
  assert.deepEqual(within('DTSTART:20260601T000000Z', 'DURATION:PT1H', daily), [
    '2026-06-10T00:00:00Z',
    '2026-06-11T00:00:00Z',
  ]);
  assert.deepEqual(
    within('DTSTART:20260601T000000Z', 'DURATION:PT24H', 'RRULE:FREQ=DAILY;COUNT=9'),
    [
      // The one that ends as the window begins is not.
    ],
  );
  assert.deepEqual(within('DTSTART;VALUE=DATE:20260601', daily), [
    '2026-06-09',
    '2026-06-10',
    '2026-06-11',
    '2026-06-12',
  ]);
  assert.deepEqual(within('DTSTART:20200101T000000Z', 'DTEND:20300101T000000Z'), [
    '2020-01-01T00:00:00Z',
  ]);
});

test('they are in order, and each is there once', () => {
  const one = event('DTSTART;VALUE=DATE:20260105', 'SUMMARY:One');
  const long = event('DTSTART;VALUE=DATE:20260105', 'DURATION:P2D', 'SUMMARY:Long');
  const early = event('DTSTART:20260101T000000Z', 'DURATION:PT1H');
  assert.deepEqual(
    periodsOfIcs(calendar(long, one, one, early), WINDOW).map(each => each.summary),
    ['', 'One', 'Long'],
  );
});

test('a summary is one line of at most 200 characters', () => {
  const summary = (value: string) => read('DTSTART:20260105', `SUMMARY:${value}`)[0]!.summary;
  assert.equal(summary('a\\, b\\; c\\\\n\\nd\\Ne'), 'a, b; c\\n d e');
  assert.equal(summary('\u0000a\u0007 '), 'a');
  assert.equal(summary('😀'.repeat(300)), `${'😀'.repeat(199)}…`);
  assert.ok(summary(`${'x'.repeat(799)}😀`).isWellFormed());
  assert.equal(read('DTSTART:20260105')[0]!.summary, '');
});

test('the form of the text may be any that programs write', () => {
  const plain = calendar(event('DTSTART;VALUE=DATE:20260105', 'SUMMARY:Folded here'));
  const expected = periodsOfIcs(plain, WINDOW);
  assert.equal(expected.length, 1);
  for (const other of [
    plain.replaceAll('\r\n', '\n'),
    plain.replaceAll('\r\n', '\r'),
    `\uFEFF${plain}`,
    `\r\n\r\n${plain}\r\n\r\n`,
    plain.replace('Folded', 'Fol\r\n ded'),
    plain.replace('Folded', 'Fol\r\n\tded'),
    plain.replace('DATE:2026', 'DA\r\n TE:20\r\n 26'),
    plain.replaceAll('BEGIN', 'begin').replaceAll('END', 'end').replace('DTSTART', 'dtstart'),
    plain.replace('SUMMARY', 'this line is no property\r\nSUMMARY'),
    plain.replace('SUMMARY', 'X-BROKEN;A="B:no end\r\nSUMMARY'),
    `${plain}\r\n${calendar()}`,
  ]) {
    assert.deepEqual(periodsOfIcs(other, WINDOW), expected, JSON.stringify(other));
  }
});

test('a calendar without events is one', () => {
  assert.deepEqual(periodsOfIcs(calendar(), WINDOW), []);
});

const GOOD = event('DTSTART:20260105');

for (const [broken, sentence] of [
  ['', /^The text is no calendar: it does not begin with BEGIN:VCALENDAR\.$/],
  ['<!DOCTYPE html><title>Sign in</title>', /^The text is no calendar/],
  [GOOD, /^The text is no calendar/],
  [`${calendar()}\n${GOOD}`, /^Line 4 stands in no VCALENDAR\.$/],
  [
    calendar(GOOD).slice(0, -'\r\nEND:VCALENDAR'.length),
    /^The calendar breaks off: the VCALENDAR that begins at line 1 has no end\.$/,
  ],
  [
    calendar(GOOD).split('END:VEVENT')[0]!,
    /^The calendar breaks off: the VEVENT that begins at line 3 has no end\.$/,
  ],
  [
    calendar(GOOD.replace('END:VEVENT', '')),
    /^Line 6 of the calendar ends another component than the VEVENT of line 3\.$/,
  ],
  [`${calendar()}\nEND:VCALENDAR`, /^Line 4 of the calendar ends what never began\.$/],
  [calendar(event('SUMMARY:Nothing')), /^The event at line 3 of the calendar has no DTSTART\.$/],
  [calendar(event('DTSTART')), /^Line 4 of the calendar is broken: DTSTART has no value\.$/],
  [calendar(event('DTSTART;TZID="Europe/Berlin:20260101')), /^Line 4 of the calendar is broken/],
  [
    calendar(event('DTSTART:20260231')),
    /^Line 4 of the calendar has no valid date or time: see "20260231" in DTSTART\.$/,
  ],
  [calendar(event('DTSTART:2026-02-03')), /^Line 4 of the calendar has no valid date or time/],
  [
    calendar(event('DTSTART:20260203T250000Z')),
    /^Line 4 of the calendar has no valid date or time/,
  ],
  [calendar(event('DTSTART:00000203')), /^Line 4 of the calendar has no valid date or time/],
  [
    calendar(event('DTSTART:20260105', 'RRULE:FREQ=NEVER')),
    /^Line 5 of the calendar has no valid rule: see "FREQ" in RRULE\.$/,
  ],
  [
    calendar(event('DTSTART:20260105', 'RRULE:FREQ=HOURLY')),
    /^Line 5 of the calendar has a rule by hours for an event of whole days\.$/,
  ],
  [
    calendar(event('DTSTART:20260105', 'EXRULE:FREQ=DAILY')),
    /^The event at line 3 of the calendar has an EXRULE, which RFC 5545 has no longer\.$/,
  ],
  [
    calendar(event('DTSTART:20260105', 'DURATION:-P1D')),
    /^Line 5 of the calendar has no valid duration\.$/,
  ],
  [
    calendar(event('DTSTART:20260105', 'DURATION:P')),
    /^Line 5 of the calendar has no valid duration\.$/,
  ],
  [
    calendar(event('DTSTART:20260105', 'DTEND:20260104')),
    /^The event at line 3 of the calendar ends before it begins\.$/,
  ],
  [
    calendar(event('DTSTART:20260105', 'RDATE:soon')),
    /^Line 5 of the calendar has no valid date or time: see "soon" in RDATE\.$/,
  ],
  [
    calendar(at('Customized Time Zone', '20260105T000000')),
    /^Line 3 of the calendar names the time zone "Customized Time Zone", which is not IANA's and has no VTIMEZONE\.$/,
  ],
  [
    calendar(zone('X'), at('X', '20260105T000000')),
    /^The VTIMEZONE at line 3 of the calendar has no rules\.$/,
  ],
  [
    calendar(
      zone('X', observance('+25', '+0100', 'DTSTART:20000101T000000')),
      at('X', '20260105T000000'),
    ),
    /^Line 6 of the calendar has no valid offset in TZOFFSETFROM\.$/,
  ],
  [
    calendar(zone('X', observance('+0000', '+0100')), at('X', '20260105T000000')),
    /^The STANDARD at line 5 of the calendar has no DTSTART\.$/,
  ],
  [calendar(`DESCRIPTION:${'x'.repeat(1024 * 1024)}`), /^ics must be at most 1 MiB of UTF-8\.$/],
  [
    calendar(event('DTSTART:20250101T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=HOURLY')),
    /^The calendar has more than 20,000 periods\.$/,
  ],
] as const) {
  test(`a text is refused: ${sentence.source}, ${JSON.stringify(broken.slice(0, 60))}`, () => {
    assert.throws(() => periodsOfIcs(broken, WINDOW), {
      name: 'PunctualError',
      code: 'calendar_invalid',
      message: sentence,
    });
  });
}

test('an old event that is broken does no harm', () => {
  assert.deepEqual(
    starts(at('Unknown', '20100105T000000'), event('DTSTART:20100105', 'DTEND:20100104'), GOOD),
    ['2026-01-05'],
  );
});

/** Fills 1 MiB. */
function many(one: (nth: number) => string): string {
  const parts: string[] = [];
  for (let length = 100; length < 1024 * 1024; length += parts.at(-1)!.length + 2) {
    parts.push(one(parts.length));
  }
  return calendar(...parts.slice(0, -1));
}

const NUMBERS = (count: number) => Array.from({ length: count }, (_, nth) => nth);
const daily = (from: string, to: string) =>
  observance(from, to, 'DTSTART:00010101T000000', 'RRULE:FREQ=DAILY');

/** What somebody would write who wants a service to stand still. */
const HOSTILE: Record<string, string> = {
  'every second': calendar(
    event('DTSTART:19700101T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY'),
  ),
  'every second, counted': calendar(
    event(
      'DTSTART:00010101T000000Z',
      'DURATION:PT1S',
      'RRULE:FREQ=SECONDLY;COUNT=9007199254740991',
    ),
  ),
  'a day that never comes, by seconds': calendar(
    event(
      'DTSTART:00010101T000000Z',
      'DURATION:PT1S',
      'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
    ),
  ),
  'a second that never comes': calendar(
    event(
      'DTSTART:00010101T000000Z',
      'DURATION:PT1S',
      'RRULE:FREQ=SECONDLY;INTERVAL=60;BYSECOND=7;COUNT=2',
    ),
  ),
  'a day that never comes, counted': many(() =>
    event('DTSTART:00010101', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31;COUNT=5'),
  ),
  'a weekday that never comes': many(() =>
    event('DTSTART:20240101', 'RRULE:FREQ=YEARLY;BYDAY=99MO'),
  ),
  'an interval without end': calendar(
    event('DTSTART:20240101', 'RRULE:FREQ=YEARLY;INTERVAL=1000000000000'),
    event('DTSTART:20240101', 'RRULE:FREQ=MONTHLY;INTERVAL=1000000000000;COUNT=2'),
    event('DTSTART:20240101T000000', 'RRULE:FREQ=SECONDLY;INTERVAL=1000000000000;COUNT=2'),
  ),
  'every second of each day': many(() =>
    event(
      'DTSTART:20240101T000000',
      'DURATION:PT1S',
      `RRULE:FREQ=YEARLY;BYHOUR=${NUMBERS(24)};BYMINUTE=${NUMBERS(60)};BYSECOND=${NUMBERS(60)};BYSETPOS=366`,
    ),
  ),
  'many positions': many(() =>
    event(
      'DTSTART:20240101T000000',
      'DURATION:PT1S',
      `RRULE:FREQ=DAILY;BYSETPOS=${NUMBERS(366).slice(1)}`,
    ),
  ),
  'the same series over and over': many(() => event('DTSTART:20240101', 'RRULE:FREQ=DAILY')),
  'one day over and over': calendar(
    event('DTSTART:20260101', `RDATE:${NUMBERS(100_000).map(() => '20260101')}`),
  ),
  'zones that change each day': many(nth =>
    [zone(`z${nth}`, daily('+0000', '+0100')), at(`z${nth}`, '20260101T000000')].join('\r\n'),
  ),
  'changes of changes': many(nth =>
    nth % 2 === 0
      ? event(
          'UID:a',
          `DTSTART:${20_000_101 + nth}T000000Z`.replace(/:.*/, ':20260101T000000Z'),
          'DURATION:PT1S',
          'RRULE:FREQ=DAILY',
        )
      : event(
          'UID:a',
          `RECURRENCE-ID;RANGE=THISANDFUTURE:20260101T00${String(nth % 60).padStart(2, '0')}00Z`,
          'DTSTART:20260101T000000Z',
          `SEQUENCE:${nth}`,
        ),
  ),
  'parameters without end': calendar(event(`DTSTART${';A=B'.repeat(200_000)}`)),
  'quotes without end': calendar(event(`DTSTART;A="${'"'.repeat(900_000)}`)),
  'folds without end': calendar(event('DTSTART:20260101', `SUMMARY:${'\r\n x'.repeat(250_000)}`)),
  'components without end': `BEGIN:VCALENDAR\n${'BEGIN:X\n'.repeat(120_000)}`,
  'lines without end': calendar('\n'.repeat(1_000_000)),
  'events without end': many(nth => event(`DTSTART:${20_260_101 + (nth % 28)}`, `SUMMARY:${nth}`)),
};

for (const [name, hostile] of Object.entries(HOSTILE)) {
  test(`a hostile text costs little: ${name}`, () => {
    const before = process.cpuUsage();
    const result = attempt(hostile);
    const { user, system } = process.cpuUsage(before);
    assert.ok(Array.isArray(result) || result instanceof PunctualError);
    // Some 100 ms on an idle machine; a text without bounds would take minutes.
    assert.ok((user + system) / 1_000 < 2_000);
  });
}

/** The periods, or the refusal. Any other error is thrown. */
function attempt(ics: string): Period[] | PunctualError {
  try {
    return periodsOfIcs(ics, WINDOW);
  } catch (error) {
    assert.ok(error instanceof PunctualError, `${(error as Error).stack}\n${ics.slice(0, 500)}`);
    assert.equal(error.code, 'calendar_invalid');
    assert.match(error.message, /^[A-Z].{10,300}\.$/s);
    return error;
  }
}

const SOURCES = CALENDARS.map(name => text(name).split(/\r?\n/)).map(lines => lines.slice(0, 200));
/** Parts that mean something at many places. */
const TOKENS = [
  ...['BEGIN:VEVENT', 'END:VEVENT', 'END:VCALENDAR', 'RRULE:FREQ=DAILY', 'DTSTART:', 'EXDATE:'],
  ...[
    '20260229',
    '20261224T180000Z',
    '00010101',
    '99991231',
    'P1D',
    'PT0S',
    ';',
    ':',
    ',',
    '=',
    '"',
  ],
  ...['TZID=Europe/Berlin', 'VALUE=DATE', 'COUNT=0', 'INTERVAL=0', 'BYDAY=-1SU', 'BYSETPOS=-1'],
  ...['UNTIL=', '-', '+', '\\', '\u0000', '\uFEFF', '😀', '\ud800', ' ', '\t', '\r', '\n'],
];

interface Damage {
  kind: 'delete line' | 'copy line' | 'swap' | 'insert' | 'cut' | 'replace digits';
  line: number;
  other: number;
  column: number;
  token: string;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('delete line', 'copy line', 'swap', 'insert', 'cut', 'replace digits'),
  line: fc.nat(),
  other: fc.nat(),
  column: fc.nat(),
  token: fc.constantFrom(...TOKENS),
});

function doDamage(lines: string[], { kind, line, other, column, token }: Damage): void {
  const at = line % Math.max(1, lines.length);
  const old = lines[at] ?? '';
  const place = column % (old.length + 1);
  const digit = `${other % 10}`;
  if (kind === 'delete line') lines.splice(at, 1);
  else if (kind === 'copy line') lines.splice(other % (lines.length + 1), 0, old);
  else if (kind === 'swap') lines[at] = lines[other % Math.max(1, lines.length)] ?? '';
  else if (kind === 'insert') lines[at] = old.slice(0, place) + token + old.slice(place);
  else if (kind === 'cut') lines[at] = old.slice(0, place);
  else lines[at] = old.slice(0, place) + old.slice(place).replace(/\d/g, digit);
}

test('a calendar that was damaged anywhere is read or refused in a sentence, and nothing else', () => {
  let refused = 0;
  let total = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...SOURCES),
      fc.array(damage, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\r\n', '\n'),
      (source, damages, end) => {
        const lines = [...source];
        for (const each of damages) doDamage(lines, each);
        const result = attempt(lines.join(end));
        total += 1;
        if (result instanceof PunctualError) refused += 1;
        else {
          for (const { from, to, summary } of result) {
            assert.ok(Number.isSafeInteger(from) && Number.isSafeInteger(to) && from < to);
            assert.ok(summary.isWellFormed() && !/\p{Cc}/u.test(summary));
          }
          assert.ok(result.every((each, nth) => nth === 0 || result[nth - 1]!.from <= each.from));
        }
      },
    ),
    { numRuns: casesOf(2_000) },
  );
  // Some of both, or the damage is too small or too great.
  assert.ok(refused > total / 20 && refused < total);
});

test('a sentence repeats no more of a text than a name', () => {
  const long = `X${'-FOLDED'.repeat(60)}`;
  for (const lines of [
    [`BEGIN:${long}`, 'END:VEVENT'],
    [`BEGIN:${long}`],
    ['BEGIN:a b c', 'END:VEVENT'],
  ]) {
    const result = attempt(['BEGIN:VCALENDAR', ...lines].join('\r\n'));
    assert.ok(result instanceof PunctualError);
    assert.match(result.message, /the component (of|that begins at) line 2/);
  }
});

test('any text is read or refused in a sentence', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...TOKENS), fc.string())), parts => {
      attempt(parts.join(''));
      attempt(calendar(event(parts.join(''))));
      attempt(calendar(event(`DTSTART:${parts.join('')}`, `RRULE:FREQ=${parts.join(';')}`)));
    }),
    { numRuns: casesOf(1_000) },
  );
});
