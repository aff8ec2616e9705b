import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WallMemory } from '../src/wall/wall-memory.ts';

const landing = (number: number, endedAt = number) => ({
  ...{ id: `run-${number}`, startedAt: endedAt, endedAt },
  ...{ lateMs: 1, hasFailed: false },
});

test('a minute of a thousand firings a second takes no more room than it has', () => {
  const memory = new WallMemory(20_000);
  for (let number = 0; number < 60_000; number += 1) memory.add(landing(number));
  assert.equal(memory.size, 20_000);
  const kept = memory.since(0);
  assert.deepEqual([kept[0]?.endedAt, kept.at(-1)?.endedAt], [59_999, 40_000]);
  assert.equal(memory.wholeFrom, 39_999);
  // One that was pushed out is forgotten by its id as well.
  memory.add(landing(0, 60_000));
  assert.equal(memory.since(60_000).length, 1);
});

test('a firing that is told twice lands once', () => {
  const memory = new WallMemory(10);
  for (const number of [1, 2, 1, 2, 3]) memory.add(landing(number));
  assert.deepEqual(
    memory.since(0).map(({ id }) => id),
    ['run-3', 'run-2', 'run-1'],
  );
});

test('the latest are found by when they ended, and up to a number', () => {
  const memory = new WallMemory(10);
  for (const endedAt of [100, 300, 200, 400]) memory.add(landing(endedAt));
  const ends = (at: number, most?: number) => memory.since(at, most).map(each => each.endedAt);
  assert.deepEqual(ends(200), [400, 200, 300]);
  assert.deepEqual(ends(0, 2), [400, 200]);
  assert.deepEqual(ends(401), []);
});

test('the instant since which nothing is missing only moves on', () => {
  const memory = new WallMemory(10);
  assert.equal(memory.wholeFrom, Number.NEGATIVE_INFINITY);
  memory.missesUntil(500);
  memory.missesUntil(300);
  assert.equal(memory.wholeFrom, 500);
});

test('the clock of the service is learned from the event that came fastest', () => {
  const memory = new WallMemory(10);
  assert.equal(memory.serviceTime(5_000), 5_000);
  // The browser's clock is 600 ms ahead; the events took 900, 20 and 30,000 ms.
  for (const tookMs of [900, 20, 30_000]) memory.learnClock(1_000, 1_600 + tookMs);
  assert.equal(memory.serviceTime(5_000), 4_380);
});

test('a step of a clock is forgotten within minutes, and a slow event changes nothing', () => {
  const memory = new WallMemory(10);
  const second = 1_000;
  const minute = 60 * second;
  const hour = 60 * minute;
  /** Events of ten minutes from an instant on, heard by a browser that is so far ahead. */
  const hear = (from: number, aheadMs: number) => {
    for (let at = from; at < from + 10 * minute; at += second) memory.learnClock(at, at + aheadMs);
  };
  hear(0, 0);
  assert.equal(memory.serviceTime(hour), hour);
  hear(10 * minute, -hour);
  assert.equal(memory.serviceTime(0), hour);
  hear(20 * minute, hour);
  assert.equal(memory.serviceTime(hour), 0);
  memory.learnClock(30 * minute, 30 * minute + hour + 5 * minute);
  assert.equal(memory.serviceTime(hour), 0);
});

test('after a single gap the figures begin anew, and with many they are a sample', () => {
  const memory = new WallMemory(10);
  // The feed reads six seconds each second: one herd makes some gaps.
  for (let at = 100_000; at <= 106_000; at += 1_000) memory.addGap(at);
  assert.equal(memory.wholeFrom, 106_000);
  assert.equal(memory.isSampledSince(0), false);
  memory.addGap(160_000);
  assert.equal(memory.isSampledSince(0), true);
  assert.equal(memory.isSampledSince(106_000), true);
  assert.equal(memory.isSampledSince(107_000), false);
  assert.equal(memory.isSampledSince(200_000), false);
});
