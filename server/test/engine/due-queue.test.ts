import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { DueQueue } from '../../src/engine/delivery/due-queue.ts';
import type { LinkedItem } from '../../src/engine/fairness/linked-list.ts';
import type { JobKind } from '../../src/engine/observer.ts';

interface Item extends LinkedItem<Item> {
  kind: JobKind;
  clientRowId: number;
  origin: string;
  dueAt: number;
  name: string;
}

let room: number;
let full: string[];
let keeps: number;
let queue: DueQueue<Item>;

const item = (dueAt: number, name = `${dueAt}`, bound: Partial<Item> = {}): Item => ({
  kind: 'schedule',
  clientRowId: 1,
  origin: 'https://a.example',
  dueAt,
  name,
  list: null,
  previous: null,
  next: null,
  ...bound,
});

/** The names of the items that leave at an instant. */
function takenAt(now: number, limit = 1_000): string[] {
  const items = queue.take(
    now,
    limit,
    () => room,
    ({ origin }) => !full.includes(origin),
  );
  return items.map(({ name }) => name);
}

const limits = {
  beginSecond() {},
  surplus: ({ origin }: { origin: string }, waiting: number) =>
    full.includes(origin) ? waiting - keeps : 0,
};
const surplusAt = (now: number) => queue.takeSurplus(now, limits).map(({ name }) => name);

beforeEach(() => {
  room = 1_000;
  full = [];
  keeps = 0;
  queue = new DueQueue<Item>();
});

describe('due queue', () => {
  test('each leaves at its own millisecond, whatever the order they came in', () => {
    queue.addAll([item(1_005), item(1_002), item(1_007)]);
    queue.addAll([item(1_003)]);
    assert.equal(queue.nextDueAt, 1_002);
    assert.deepEqual(takenAt(1_001), []);
    assert.deepEqual(takenAt(1_002), ['1002']);
    assert.deepEqual(takenAt(1_003), ['1003']);
    assert.equal(queue.nextLookAt(), 1_005);
    assert.deepEqual(takenAt(1_010), ['1005', '1007']);
    assert.deepEqual([queue.size, queue.nextDueAt], [0, Number.POSITIVE_INFINITY]);
  });

  test('an item that is due already leaves at once', () => {
    queue.addAll([item(900)]);
    assert.deepEqual(takenAt(1_000), ['900']);
  });

  test('without room they wait, the earliest first', () => {
    room = 1;
    queue.addAll([item(1_001, 'a'), item(1_002, 'b'), item(1_003, 'c')]);
    assert.deepEqual(takenAt(1_050), ['a']);
    assert.deepEqual([...queue.counts('schedule')], [[1, { held: 2, ready: 2 }]]);
    assert.equal(queue.nextDueAt, Number.NEGATIVE_INFINITY);
    assert.deepEqual(takenAt(1_050), ['b']);
  });

  test('one that is removed does not leave, and is removed only once', () => {
    const removed = item(1_001, 'removed');
    queue.addAll([removed, item(1_001, 'other')]);
    assert.deepEqual([queue.remove(removed), queue.remove(removed)], [true, false]);
    assert.equal(queue.size, 1);
    assert.deepEqual(takenAt(1_005), ['other']);
    assert.equal(queue.remove(item(1_001, 'other')), false);
  });

  test('clients leave in turn, and the hosts of each', () => {
    const ofA = [1, 2, 3].map(n => item(1_001, `a${n}`));
    const ofB = [1, 2].map(n => item(1_001, `b${n}`, { origin: 'https://b.example' }));
    const other = item(1_001, 'other', { clientRowId: 2 });
    queue.addAll([...ofA, ...ofB, other]);
    assert.deepEqual(takenAt(1_001), ['a1', 'other', 'b1', 'a2', 'b2', 'a3']);
  });

  test('a host that is full holds up no other, and the last of too many for it are taken out', () => {
    const slow = { origin: 'https://slow.example' };
    full = [slow.origin];
    keeps = 1;
    const names = ['s1', 's2', 's3'];
    queue.addAll([...names.map(name => item(1_001, name, slow)), item(1_001, 'other')]);
    assert.deepEqual(takenAt(1_001), ['other']);
    assert.deepEqual(surplusAt(1_001), [], 'nothing is known of the second before');
    assert.equal(queue.nextLookAt(), 2_001);
    assert.deepEqual(surplusAt(1_900), [], 'a second has not passed');
    assert.deepEqual(surplusAt(2_001), ['s2', 's3']);
    assert.equal(queue.size, 1);
  });

  test('items that wait only for room are not taken out', () => {
    room = 0;
    queue.addAll([item(1_001)]);
    takenAt(1_001);
    for (let now = 1_001; now < 6_000; now += 1_000) assert.deepEqual(surplusAt(now), []);
    assert.equal(queue.size, 1);
  });

  test('counts what each client holds of a kind, and how many of these could not leave', () => {
    room = 0;
    queue.addAll([
      item(1_001),
      item(9_000),
      item(9_000, 'b', { clientRowId: 2 }),
      item(1_001, 'c', { kind: 'callback' }),
    ]);
    takenAt(1_010);
    assert.deepEqual(
      [...queue.counts('schedule')].sort(([a], [b]) => a - b),
      [
        [1, { held: 2, ready: 1 }],
        [2, { held: 1, ready: 0 }],
      ],
    );
    assert.deepEqual([...queue.counts('callback')], [[1, { held: 1, ready: 1 }]]);
    assert.deepEqual([queue.readyCount('schedule'), queue.readyCount('manual')], [1, 0]);
  });
});
