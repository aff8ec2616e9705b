import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { DueQueue } from '../../src/engine/delivery/due-queue.ts';
import { type LinkedItem, unlinked } from '../../src/engine/fairness/linked-list.ts';
import { ManualClock } from '../support/clock.ts';

interface Item extends LinkedItem<Item> {
  clientRowId: number;
  origin: string;
  dueAt: number;
  name: string;
}

let clock: ManualClock;
let room: number;
let left: string[];
let faults: unknown[];
let full: string[];
let keeps: number;
let postponed: string[];
let start: (items: Item[]) => Promise<void>;
let queue: DueQueue<Item>;

const item = (dueAt: number, name = `${dueAt}`, bound: Partial<Item> = {}): Item => ({
  clientRowId: 1,
  origin: 'https://a.example',
  dueAt,
  name,
  ...unlinked<Item>(),
  ...bound,
});

beforeEach(() => {
  clock = new ManualClock(1_000);
  room = 1_000;
  left = [];
  faults = [];
  full = [];
  keeps = 0;
  postponed = [];
  start = async items => {
    room -= items.length;
    left.push(...items.map(({ name }) => `${name} at ${clock.now()}`));
  };
  queue = new DueQueue<Item>({
    clock,
    room: () => room,
    acquire: ({ origin }) => !full.includes(origin),
    surplus: ({ origin }, waiting) => (full.includes(origin) ? waiting - keeps : 0),
    start: items => start(items),
    postpone: items => postponed.push(...items.map(({ name }) => name)),
    failed: error => faults.push(error),
    tick: () => {},
  });
  queue.start();
});

describe('queue', () => {
  test('each leaves at its own millisecond, whatever the order they came in', async () => {
    queue.addAll([item(1_005), item(1_002), item(1_007)]);
    queue.addAll([item(1_003)]);
    await clock.advance(4);
    assert.deepEqual(left, ['1002 at 1002', '1003 at 1003']);
    await clock.advance(10);
    assert.deepEqual(left.slice(2), ['1005 at 1005', '1007 at 1007']);
    assert.equal(queue.size, 0);
  });

  test('what is due already leaves at once', async () => {
    queue.addAll([item(900)]);
    await clock.advance(0);
    assert.deepEqual(left, ['900 at 1000']);
  });

  test('all of one instant leave, however many', async () => {
    room = 2_000;
    queue.addAll(Array.from({ length: 1_700 }, () => item(1_001)));
    await clock.advance(1);
    assert.equal(left.length, 1_700);
  });

  test('it is behind while one whose time has come waits', async () => {
    const behind: boolean[] = [];
    const look = () => behind.push(queue.isBehind);
    room = 1;
    queue.addAll([item(1_010), item(1_010), item(1_500)]);
    look();
    await clock.advance(10);
    look();
    await clock.advance(700);
    look();
    room = 1;
    queue.wake();
    await clock.advance(0);
    look();
    room = 5;
    queue.wake();
    await clock.advance(0);
    look();
    queue.addAll([item(1_705)]);
    look();
    assert.deepEqual(behind, [false, true, true, true, false, false]);
  });

  test('without room they wait, the earliest first, and leave when they are woken', async () => {
    room = 1;
    queue.addAll([item(1_001, 'a'), item(1_002, 'b'), item(1_003, 'c')]);
    await clock.advance(50);
    assert.deepEqual(left, ['a at 1001']);
    assert.deepEqual([...queue.counts()], [[1, { held: 2, ready: 2 }]]);
    room = 1;
    queue.wake();
    await clock.advance(0);
    assert.deepEqual(left.slice(1), ['b at 1050']);
  });

  test('one that is dismissed does not leave, and only once is it dismissed', async () => {
    const dismissed = item(1_001, 'dismissed');
    queue.addAll([dismissed, item(1_001, 'other')]);
    assert.deepEqual([queue.remove(dismissed), queue.remove(dismissed)], [true, false]);
    assert.equal(queue.size, 1);
    await clock.advance(5);
    assert.deepEqual(left, ['other at 1001']);
    assert.equal(queue.remove(item(1_001, 'other')), false);
  });

  test('where sending off fails they stay, and leave a little later', async () => {
    const works = start;
    start = () => Promise.reject(new Error('away'));
    queue.addAll([item(1_001)]);
    await clock.advance(1);
    assert.deepEqual([left, queue.size, faults.length], [[], 1, 1]);
    start = works;
    await clock.advance(1_000);
    assert.deepEqual(left, ['1001 at 1251']);
  });

  test('clients leave in turn, and the hosts of each', async () => {
    const ofA = [1, 2, 3].map(n => item(1_001, `a${n}`));
    const ofB = [1, 2].map(n => item(1_001, `b${n}`, { origin: 'https://b.example' }));
    const other = item(1_001, 'other', { clientRowId: 2 });
    queue.addAll([...ofA, ...ofB, other]);
    await clock.advance(1);
    assert.deepEqual(
      left.map(line => line.split(' ')[0]),
      ['a1', 'other', 'b1', 'a2', 'b2', 'a3'],
    );
  });

  test('a host that is full holds up no other, and the last of too many for it are postponed', async () => {
    const slow = { origin: 'https://slow.example' };
    full = [slow.origin];
    keeps = 1;
    const names = ['s1', 's2', 's3'];
    queue.addAll([...names.map(name => item(1_001, name, slow)), item(1_001, 'other')]);
    await clock.advance(900);
    assert.deepEqual([left, postponed], [['other at 1001'], []]);
    await clock.advance(1_200);
    assert.deepEqual([postponed, queue.size], [['s2', 's3'], 1]);
  });

  test('what waits only for room is not postponed', async () => {
    room = 0;
    queue.addAll([item(1_001)]);
    await clock.advance(5_000);
    assert.deepEqual([postponed, queue.size], [[], 1]);
  });

  test('counts what each client holds, and of it what could not leave', async () => {
    room = 0;
    queue.addAll([item(1_001), item(9_000), item(9_000, 'b', { clientRowId: 2 })]);
    await clock.advance(10);
    assert.deepEqual(
      [...queue.counts()].sort(([a], [b]) => a - b),
      [
        [1, { held: 2, ready: 1 }],
        [2, { held: 1, ready: 0 }],
      ],
    );
  });

  test('after a stop none leaves', async () => {
    queue.addAll([item(1_001)]);
    await queue.stop();
    await clock.advance(10);
    assert.deepEqual(left, []);
  });
});
