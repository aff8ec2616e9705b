import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullTime, learnClock, localText, shortTime, withTimesIn } from '../src/time/times.ts';

const NOW = Date.UTC(2026, 8, 1);

test("times of a zone are shown by the service's rules, where it has told them", () => {
  const at = '2026-11-24T17:00:00.000Z';
  learnClock({
    timezone: 'America/Winnipeg',
    tzdata: '2026f',
    until: '2100-01-01T00:00:00.000Z',
    offsets: [
      { from: '1970-01-01T00:00:00.000Z', offsetSeconds: -21_600 },
      { from: '2026-03-08T08:00:00.000Z', offsetSeconds: -18_000 },
    ],
  });
  assert.equal(fullTime(at, 'America/Winnipeg'), 'Tue, 24 Nov 2026, 12:00:00');
  assert.equal(shortTime(at, 'America/Winnipeg', NOW), '24 Nov, 12:00:00');
  assert.equal(localText(at, 'America/Winnipeg'), '2026-11-24T12:00:00');
  assert.equal(withTimesIn('America/Winnipeg', `At ${at}.`), 'At Tue, 24 Nov 2026, 12:00:00.');
  assert.equal(shortTime('2026-03-08T07:59:59Z', 'America/Winnipeg', NOW), '8 Mar, 01:59:59');
});

test('times of other zones, and beyond the list, are shown by the rules of the browser', () => {
  assert.equal(shortTime('2026-06-01T12:00:00Z', 'Europe/Berlin', NOW), '1 Jun, 14:00:00');
  assert.equal(shortTime('2100-06-01T12:00:00Z', 'Asia/Tokyo', NOW), '1 Jun 2100, 21:00:00');
  assert.equal(shortTime('2026-06-01T12:00:00Z', 'Mars/Olympus_Mons', NOW), '1 Jun, 12:00:00');
});
