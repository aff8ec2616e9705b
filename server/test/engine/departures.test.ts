import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Departures } from '../../src/engine/departures.ts';
import { ManualClock } from '../clock.ts';

interface Item {
  dueAt: number;
  name: string;
}

let clock: ManualClock;
let room: number;
let left: string[];
let faults: unknown[];
let depart: (items: Item[]) => Promise<void>;
let departures: Departures<Item>;

const item = (dueAt: number, name = `${dueAt}`): Item => ({ dueAt, name });

beforeEach(() => {
  clock = new ManualClock(1_000);
  room = 1_000;
  left = [];
  faults = [];
  depart = async items => {
    room -= items.length;
    left.push(...items.map(({ name }) => `${name} at ${clock.now()}`));
  };
  departures = new Departures<Item>({
    clock,
    room: () => room,
    depart: items => depart(items),
    failed: error => faults.push(error),
    tick: () => {},
  });
  departures.start();
});

describe('departures', () => {
  test('each leaves at its own millisecond, whatever the order they came in', async () => {
    departures.hold([item(1_005), item(1_002), item(1_007)]);
    departures.hold([item(1_003)]);
    await clock.advance(4);
    assert.deepEqual(left, ['1002 at 1002', '1003 at 1003']);
    await clock.advance(10);
    assert.deepEqual(left.slice(2), ['1005 at 1005', '1007 at 1007']);
    assert.equal(departures.size, 0);
  });

  test('what is due already leaves at once', async () => {
    departures.hold([item(900)]);
    await clock.advance(0);
    assert.deepEqual(left, ['900 at 1000']);
  });

  test('all of one instant leave, however many', async () => {
    room = 2_000;
    departures.hold(Array.from({ length: 1_700 }, () => item(1_001)));
    await clock.advance(1);
    assert.equal(left.length, 1_700);
  });

  test('without room they wait, the earliest first, and leave when they are woken', async () => {
    room = 1;
    departures.hold([item(1_001, 'a'), item(1_002, 'b'), item(1_003, 'c')]);
    await clock.advance(50);
    assert.deepEqual([left, departures.overdue(1_002)], [['a at 1001'], 1]);
    assert.equal(departures.overdue(clock.now()), 2);
    room = 1;
    departures.wake();
    await clock.advance(0);
    assert.deepEqual(left.slice(1), ['b at 1050']);
  });

  test('one that is dismissed does not leave, and only once is it dismissed', async () => {
    const dismissed = item(1_001, 'dismissed');
    departures.hold([dismissed, item(1_001, 'other')]);
    assert.deepEqual([departures.dismiss(dismissed), departures.dismiss(dismissed)], [true, false]);
    assert.equal(departures.size, 1);
    await clock.advance(5);
    assert.deepEqual(left, ['other at 1001']);
    assert.equal(departures.dismiss(item(1_001, 'other')), false);
  });

  test('where sending off fails they stay, and leave a little later', async () => {
    const works = depart;
    depart = () => Promise.reject(new Error('away'));
    departures.hold([item(1_001)]);
    await clock.advance(1);
    assert.deepEqual([left, departures.size, faults.length], [[], 1, 1]);
    depart = works;
    await clock.advance(1_000);
    assert.deepEqual(left, ['1001 at 1251']);
  });

  test('after a stop none leaves', async () => {
    departures.hold([item(1_001)]);
    await departures.stop();
    await clock.advance(10);
    assert.deepEqual(left, []);
  });
});
