import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addFirings,
  busiestSecond,
  isHerd,
  windowOf,
  windowsFor,
} from '../../src/domain/calendar/herd.ts';
import { offsetMsOf } from '../../src/domain/calendar/window.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY = 86_400_000;

test('more than 100 firings at one second are a herd', () => {
  assert.deepEqual([isHerd(100), isHerd(101)], [false, true]);
});

test('a window takes a tenth of the shortest gap at most', () => {
  const windows = (interval: string) => windowsFor({ interval, timezone: 'Europe/Berlin' }, NOON);
  assert.deepEqual(windows('*/9 * * * *'), []);
  assert.deepEqual(windows('*/10 * * * *'), [60]);
  assert.deepEqual(windows('0 * * * *'), [60, 300]);
  assert.deepEqual(windows('0 9,12 * * *'), [60, 300, 900]);
  assert.deepEqual(windows('0 3 * * *'), [60, 300, 900, 1_800]);
  assert.deepEqual(windows('0,5 3 * * *'), []);
  assert.deepEqual(windows('rate(50 minutes)'), [60, 300]);
  assert.deepEqual(windows('at(2026-06-01T18:00:00)'), [60, 300, 900, 1_800]);
});

test('the least window that leaves a fifth is advised, with the offsets that the schedules will have', () => {
  const ids = Array.from({ length: 101 }, (_, n) => `schedule-${n}`);
  const found = windowOf(101, [60, 300], ids)!;
  const offsets = ids.map(id => offsetMsOf(id, 60));
  const most = Math.max(...offsets.map(one => offsets.filter(other => other === one).length));
  assert.deepEqual(found, { windowSeconds: 60, peakAfter: most });
  assert.ok(most > Math.ceil(101 / 60) && most * 5 <= 101);
});

test('without all ids the schedules are taken to spread evenly', () => {
  assert.deepEqual(windowOf(60_000, [60, 300], null), { windowSeconds: 60, peakAfter: 1_000 });
});

test('no window is advised where none leaves a fifth', () => {
  const same = Array.from({ length: 200 }, () => 'one external id is no herd');
  assert.equal(windowOf(200, [60, 300, 900, 1_800], same), null);
  assert.equal(windowOf(200, [], null), null);
});

test('the busiest second is the first of those with the most firings', () => {
  const seconds = new Map<number, number>();
  const range = { from: NOON, to: NOON + DAY };
  addFirings(seconds, { interval: '0 9 * * *', timezone: 'Europe/Berlin' }, 40, range);
  addFirings(seconds, { interval: '0 9 * * *', timezone: 'Africa/Lagos' }, 30, range);
  addFirings(seconds, { interval: '0 9 * * *', timezone: 'Europe/Paris' }, 30, range);
  const seven = Date.UTC(2026, 5, 2, 7);
  assert.deepEqual(busiestSecond(seconds), { at: seven, firings: 70 });
  addFirings(seconds, { interval: '0 13 * * *', timezone: 'UTC' }, 70, range);
  assert.deepEqual(busiestSecond(seconds), { at: NOON + 3_600_000, firings: 70 });
  assert.equal(busiestSecond(new Map()), null);
});
