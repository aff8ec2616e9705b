import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../client/src/index.ts';
import { placeOf } from '../src/wall/wall-drawing.ts';
import {
  angleOf,
  BIN_COUNT,
  binOf,
  dueInNextMinute,
  figuresOf,
  landingOf,
  radiusOf,
  startOfBin,
} from '../src/wall/wall-maths.ts';

const run: Run = {
  id: 'run',
  scheduleId: 'schedule',
  scheduledFor: '2026-05-01T10:00:15.000Z',
  startedAt: '2026-05-01T10:00:15.012Z',
  finishedAt: '2026-05-01T10:00:15.040Z',
  trigger: 'schedule',
  status: 'succeeded',
  attempts: [],
};

const landed = (lateMs: number) => ({
  ...{ id: String(lateMs), startedAt: 0, endedAt: 0 },
  ...{ lateMs, hasFailed: false },
});

test('a firing lands at the second of its minute, clockwise from the top', () => {
  const minute = Date.parse('2026-05-01T10:00:00Z');
  const quarters = [0, 15, 30, 45].map(second => angleOf(minute + second * 1_000) / Math.PI);
  assert.deepEqual(quarters, [-0.5, 0, 0.5, 1]);
});

test('ten times as late is as far everywhere, up to the rim', () => {
  assert.equal(radiusOf(0), 0);
  assert.equal(radiusOf(1), 0);
  const steps = [radiusOf(100) - radiusOf(10), radiusOf(10_000) - radiusOf(1_000)];
  assert.ok(Math.abs(steps[0]! - steps[1]!) < 1e-9);
  assert.ok(Math.abs(radiusOf(10) - 0.209) < 0.001);
  assert.equal(radiusOf(60_000), 1);
  assert.equal(radiusOf(9e9), 1);
});

test('firings of one second stand beside each other, and none leaves its second', () => {
  const at = Date.parse('2026-05-01T10:00:15Z');
  const places = Array.from({ length: 200 }, (_, index) =>
    placeOf({ id: `run-${index}`, startedAt: at, lateMs: 5 }, () => 100),
  );
  const seconds = places.map(([x, y]) => (Math.atan2(y, x) / (2 * Math.PI)) * 60);
  assert.ok(Math.max(...seconds) <= 0.5 && Math.min(...seconds) >= -0.5);
  assert.ok(new Set(seconds.map(second => second.toFixed(3))).size > 50);
  assert.ok(places.every(([x, y]) => Math.abs(Math.hypot(x, y) - 100) < 1e-9));
});

test('bins are four to a factor of ten, and the last one has all from a minute on', () => {
  assert.deepEqual([0, 1, 10, 100, 1_000, 10_000].map(binOf), [0, 0, 4, 8, 12, 16]);
  assert.deepEqual([59_999, 60_000, 9e9].map(binOf), [BIN_COUNT - 2, BIN_COUNT - 1, BIN_COUNT - 1]);
  assert.deepEqual([0, 4, 12, BIN_COUNT - 1].map(startOfBin), [1, 10, 1_000, 60_000]);
  const { bins } = figuresOf([1, 12, 13, 90_000].map(landed));
  assert.equal(bins.length, BIN_COUNT);
  assert.deepEqual([bins[0], bins[4], bins[BIN_COUNT - 1]], [1, 2, 1]);
});

test('percentiles are of all that landed, and absent without anything', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => landed(100 - index));
  assert.deepEqual(figuresOf(hundred).late, { p50: 50, p95: 95, p99: 99 });
  assert.deepEqual(figuresOf([landed(7)]).late, { p50: 7, p95: 7, p99: 7 });
  const { fired, failed, late } = figuresOf([]);
  assert.deepEqual({ fired, failed, late }, { fired: 0, failed: 0, late: null });
  assert.equal(figuresOf([landed(1), { ...landed(2), hasFailed: true }]).failed, 1);
});

test('only requests of scheduled runs land', () => {
  const startedAt = Date.parse(run.startedAt!);
  const [endedAt, lateMs] = [startedAt + 28, 12];
  assert.deepEqual(landingOf(run), { id: 'run', startedAt, endedAt, lateMs, hasFailed: false });
  assert.equal(landingOf({ ...run, status: 'failed' })?.hasFailed, true);
  assert.equal(landingOf({ ...run, trigger: 'manual' }), null);
  assert.equal(landingOf({ ...run, status: 'missed' }), null);
  assert.equal(landingOf({ ...run, status: 'retrying' }), null);
  const { startedAt: _none, ...unsent } = run;
  assert.equal(landingOf({ ...unsent, status: 'failed' }), null);
});

test('due next are the firings of the next whole minute', () => {
  const forecast = { from: '2026-05-01T10:00:00.000Z', stepSeconds: 60, counts: [1, 20, 300] };
  const at = (time: string) => dueInNextMinute(forecast, Date.parse(`2026-05-01T${time}Z`));
  assert.deepEqual(['10:00:00', '10:00:59', '10:01:00'].map(at), [20, 20, 300]);
  assert.equal(at('10:02:00'), null);
  assert.equal(at('09:40:00'), null);
});
