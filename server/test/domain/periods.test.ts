import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPeriods } from '../../src/domain/calendar/exclusion/periods.ts';

const invalid = (message: RegExp) => ({ name: 'PunctualError', code: 'calendar_invalid', message });

test('dates are local days, and the last one is left out', () => {
  assert.deepEqual(readPeriods([{ from: '2026-12-24', to: '2027-01-02', summary: 'Freeze' }]), [
    {
      from: Date.UTC(2026, 11, 24),
      to: Date.UTC(2027, 0, 2),
      isLocal: true,
      summary: 'Freeze',
    },
  ]);
});

test('instants are instants, with any offset and with or without seconds', () => {
  const from = '2026-12-24T18:00+01:00';
  assert.deepEqual(readPeriods([{ from, to: '2026-12-24T17:00:00.001Z' }]), [
    {
      from: Date.UTC(2026, 11, 24, 17),
      to: Date.UTC(2026, 11, 24, 17) + 1,
      isLocal: false,
      summary: '',
    },
  ]);
});

test('the order is kept, and periods may overlap', () => {
  const later = { from: '2027-01-01', to: '2027-01-02' };
  const earlier = { from: '2026-01-01', to: '2027-06-01' };
  assert.deepEqual(
    readPeriods([later, earlier]).map(period => period.from),
    [Date.UTC(2027, 0), Date.UTC(2026, 0)],
  );
});

test('the first and the last year are 1 and 9999', () => {
  const [first, last] = readPeriods([
    { from: '0001-01-01', to: '0001-01-02' },
    { from: '9999-12-30', to: '9999-12-31' },
  ]);
  assert.equal(new Date(first!.from).toISOString(), '0001-01-01T00:00:00.000Z');
  assert.equal(new Date(last!.to).toISOString(), '9999-12-31T00:00:00.000Z');
});

const GOOD = { from: '2026-01-01', to: '2026-01-02' };

for (const [from, sentence] of [
  ['2026-02-29', /^periods\[3\]\.from is a date that does not exist\.$/],
  ['2026-13-01', /^periods\[3\]\.from is a date that does not exist\.$/],
  ['2026-00-10', /^periods\[3\]\.from is a date that does not exist\.$/],
  ['0000-01-01', /^periods\[3\]\.from is a date that does not exist\.$/],
  ['2026-02-29T00:00Z', /^periods\[3\]\.from is a time that does not exist\.$/],
  ['2026-02-27T24:00Z', /^periods\[3\]\.from is a time that does not exist\.$/],
  ['2026-02-27T00:60Z', /^periods\[3\]\.from is a time that does not exist\.$/],
  ['2026-02-27T00:00:60Z', /^periods\[3\]\.from is a time that does not exist\.$/],
  ['2026-02-27T00:00+24:00', /^periods\[3\]\.from is a time that does not exist\.$/],
  ['2026-02-27T00:00', /^periods\[3\]\.from must be a date, such as 2026-12-24, or an instant/],
  ['26-02-27', /^periods\[3\]\.from must be a date/],
  ['+002026-02-27', /^periods\[3\]\.from must be a date/],
  ['2026-02-27 00:00Z', /^periods\[3\]\.from must be a date/],
  ['2026-02-27T00:00Z[UTC]', /^periods\[3\]\.from must be a date/],
  ['2026-02-27\n', /^periods\[3\]\.from must be a date/],
  ['', /^periods\[3\]\.from must be a date/],
] as const) {
  test(`from is refused: ${JSON.stringify(from)}`, () => {
    const to = from.includes('T') ? '2030-01-01T00:00Z' : '2030-01-01';
    assert.throws(() => readPeriods([GOOD, GOOD, GOOD, { from, to }]), invalid(sentence));
  });
}

test('both ends have the same form', () => {
  assert.throws(
    () => readPeriods([{ from: '2026-12-24', to: '2026-12-25T00:00Z' }]),
    invalid(/^periods\[0\]\.from and periods\[0\]\.to must both be dates, or both instants\.$/),
  );
});

test('to is after from; of a single day it is the next one, and the sentence says so', () => {
  assert.throws(
    () => readPeriods([GOOD, { from: '2026-12-24', to: '2026-12-24' }]),
    invalid(/^periods\[1\]\.to must be after periods\[1\]\.from: it is the day after the last/),
  );
  assert.throws(
    () => readPeriods([{ from: '2026-12-24T01:00+01:00', to: '2026-12-24T00:00Z' }]),
    invalid(/^periods\[0\]\.to must be after periods\[0\]\.from\.$/),
  );
});

test('there are 5,000 periods at most', () => {
  assert.equal(readPeriods(Array(5_000).fill(GOOD)).length, 5_000);
  assert.throws(
    () => readPeriods(Array(5_001).fill(GOOD)),
    invalid(/^periods has more than 5,000 entries\.$/),
  );
});
