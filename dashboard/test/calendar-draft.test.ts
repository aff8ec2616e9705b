import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Calendar } from '@punctual/client';
import {
  calendarDraftOf,
  calendarInputOf,
  calendarProblems,
  NEW_PERIOD,
  newCalendarDraft,
} from '../src/calendar/calendar-draft.ts';
import { entryText } from '../src/calendar/entry-text.ts';

const stored: Calendar = {
  name: 'freeze',
  createdAt: '2026-11-01T00:00:00.000Z',
  usedBy: 0,
  entries: [
    { from: '2026-12-24', to: '2027-01-03', summary: 'Year end' },
    { from: '2026-11-27T10:00:00.000Z', to: '2026-11-27T18:00:00.000Z', summary: '' },
  ],
};

test('the last day of a period is inclusive in the form, and exclusive on the wire', () => {
  const draft = calendarDraftOf(stored);
  assert.deepEqual(draft.periods[0], {
    isDays: true,
    from: '2026-12-24',
    to: '2027-01-02',
    summary: 'Year end',
  });
  const { periods } = calendarInputOf(draft);
  assert.deepEqual(periods, [
    stored.entries[0],
    { from: '2026-11-27T10:00:00.000Z', to: '2026-11-27T18:00:00.000Z' },
  ]);
});

test('a period without a last day is one day long, and an empty row is none', () => {
  const draft = {
    ...newCalendarDraft(),
    periods: [{ ...NEW_PERIOD, from: '2026-12-31' }, NEW_PERIOD],
  };
  assert.deepEqual(calendarInputOf(draft), {
    periods: [{ from: '2026-12-31', to: '2027-01-01' }],
  });
});

test('a calendar of more than the service tells, or of a text, begins with no periods', () => {
  const many = Array.from({ length: 20 }, () => stored.entries[0]!);
  assert.deepEqual(calendarDraftOf({ ...stored, entries: many }).periods, [NEW_PERIOD]);
  const floating = { from: '2026-12-24T18:00:00', to: '2026-12-24T19:00:00', summary: '' };
  assert.deepEqual(calendarDraftOf({ ...stored, entries: [floating] }).periods, [NEW_PERIOD]);
  const { kind, url } = calendarDraftOf({ ...stored, url: 'https://a.example/de.ics' });
  assert.deepEqual([kind, url], ['url', 'https://a.example/de.ics']);
});

test('mistakes are told at their field: a name that is taken, a period that ends before it begins', () => {
  const draft = {
    ...newCalendarDraft(),
    name: 'freeze',
    periods: [
      { ...NEW_PERIOD, from: '2026-12-31', to: '2026-12-30' },
      { ...NEW_PERIOD, summary: 'Nothing' },
      { ...NEW_PERIOD, isDays: false, from: '2026-12-31T00:00:00.000Z' },
    ],
  };
  const whereOf = (taken: string[], change = {}) =>
    calendarProblems({ ...draft, ...change }, taken).map(({ where }) => where);
  assert.deepEqual(whereOf(['freeze']), ['name', 'periods[0]', 'periods[1]', 'periods[2]']);
  assert.deepEqual(whereOf([], { name: '-x', kind: 'ics' }), ['name', 'ics']);
  assert.deepEqual(whereOf([], { kind: 'url' }), ['url']);
});

test('entries are told with their last day, and a span of one day names the day once', () => {
  assert.equal(entryText(stored.entries[0]!), 'Thu, 24 Dec 2026 to Sat, 2 Jan 2027');
  const day = { from: '2026-12-24', to: '2026-12-25', summary: '' };
  assert.equal(entryText(day), 'Thu, 24 Dec 2026');
  const floating = { from: '2026-12-24T18:00:00', to: '2026-12-24T19:00:00', summary: '' };
  assert.equal(entryText(floating), 'Thu, 24 Dec 2026, 18:00:00 to 19:00:00');
});
