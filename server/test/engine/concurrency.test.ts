import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  ConcurrencyLimits,
  type HostState,
  originOf,
} from '../../src/engine/fairness/concurrency.ts';
import type { FairItem } from '../../src/engine/fairness/fair-queue.ts';
import type { JobKind } from '../../src/engine/observer.ts';

const A: FairItem = { kind: 'schedule', clientRowId: 1, origin: 'https://a.example' };
const B: FairItem = { ...A, origin: 'https://b.example' };
const OTHER: FairItem = { ...A, clientRowId: 2 };
const CALLBACK: FairItem = { ...A, kind: 'callback' };
const MANUAL: FairItem = { ...A, kind: 'manual' };

const breakers = { opened() {}, closed() {}, forgotten() {} };
let limits: ConcurrencyLimits;
beforeEach(() => {
  limits = new ConcurrencyLimits({ maxInFlight: 1_000, maxInFlightPerHost: 10, breakers });
});

const enter = (count: number, bound = A, room = 1_000): (HostState | null)[] =>
  Array.from({ length: count }, () => limits.acquire(bound, room));
const given = (hosts: (HostState | null)[]) => hosts.filter(host => host !== null).length;

describe('concurrency limits', () => {
  test('a host has its number for each client, and gets one back when a request ends', () => {
    const [host] = enter(10);
    assert.equal(limits.acquire(A, 1_000), null);
    assert.equal(given(enter(10, B)), 10);
    assert.equal(given(enter(10, OTHER)), 10);
    limits.release('schedule', host!, 'response', 0);
    assert.equal(given(enter(2)), 1);
  });

  test('a client has at most three times what is left for others', () => {
    assert.equal(given(enter(6, A, 2)), 6);
    assert.equal(limits.acquire(A, 2), null);
    assert.equal(limits.acquire(B, 2), null);
    assert.notEqual(limits.acquire(OTHER, 2), null);
    assert.equal(limits.acquire(OTHER, 0), null);
  });

  test('too many for a host are those that will not find a slot in five seconds, as far as is known', () => {
    const hosts = enter(10);
    limits.beginSecond(true);
    assert.equal(limits.surplus(A, 100), 0, 'nothing is known of the second before');
    const surpluses = () =>
      Array.from({ length: 5 }, () => {
        limits.beginSecond(false);
        return limits.surplus(A, 100);
      });
    assert.deepEqual(surpluses(), [50, 70, 80, 80, 90], 'those in flight may end at any time');
    for (const host of hosts) {
      limits.release('schedule', host!, 'response', 0);
      enter(1);
    }
    assert.deepEqual(surpluses(), [80, 80, 80, 80, 80], 'they may do so again');
    assert.deepEqual(surpluses(), [90, 90, 90, 90, 90]);
  });

  test('of hundreds of slots, 200 count where none has become free', () => {
    limits = new ConcurrencyLimits({ maxInFlight: 1_000, maxInFlightPerHost: 500, breakers });
    enter(500);
    for (const isFirst of [true, false, false, false, false, false]) limits.beginSecond(isFirst);
    assert.equal(limits.surplus(A, 1_000), 800);
  });

  test('each kind has its own count, and callbacks that end say nothing of firings', () => {
    enter(10);
    const [callback] = enter(10, CALLBACK);
    limits.beginSecond(true);
    limits.release('callback', callback!, 'response', 0);
    enter(1, CALLBACK);
    limits.beginSecond(false);
    assert.deepEqual([limits.surplus(A, 100), limits.surplus(CALLBACK, 100)], [50, 40]);
  });

  test('nothing is known of a host that has had a free slot, or that nobody looked at', () => {
    const hosts = enter(10);
    const look = (isFirst = false) => {
      limits.beginSecond(isFirst);
      return limits.surplus(A, 100);
    };
    assert.deepEqual([look(true), look()], [0, 50]);
    limits.release('schedule', hosts[0]!, 'response', 0);
    look();
    enter(1);
    assert.deepEqual([look(), look()], [0, 50]);
    assert.deepEqual([look(true), look()], [0, 50]);
    for (const host of hosts) limits.release('schedule', host!, 'connectionError', 0);
    enter(10);
    assert.deepEqual([look(), look()], [0, 50]);
  });

  test('none is too many while there is a place, or where nothing is known of the host', () => {
    enter(9);
    for (const isFirst of [true, false]) limits.beginSecond(isFirst);
    assert.deepEqual([limits.surplus(A, 100), limits.surplus(B, 100)], [0, 0]);
  });
});

describe('kinds', () => {
  test('each has its own slots at a host, and the host has one breaker', () => {
    const [host] = enter(10);
    assert.equal(given(enter(11, CALLBACK)), 10);
    assert.equal(given(enter(11, MANUAL)), 10);
    assert.equal(limits.acquire(A, 1_000), null);
    assert.equal(limits.inFlight, 30);
    limits.release('schedule', host!, 'response', 0);
    assert.equal(limits.acquire(CALLBACK, 1_000), null);
    assert.equal(limits.acquire(A, 1_000), host);
  });

  /** Takes slots for clients of their own until there is none left. */
  const fill = (kind: JobKind): number => {
    let count = 0;
    while (limits.room(kind) > 0) {
      count += 1;
      limits.acquire({ ...A, kind, clientRowId: 100 + count }, limits.room(kind));
    }
    return count;
  };

  test('firings have all of theirs, whatever else is in flight', () => {
    fill('callback');
    fill('manual');
    assert.equal(fill('schedule'), 1_000);
  });

  test('a flood of callbacks leaves manual runs their share, and the other way round', () => {
    assert.equal(fill('callback'), 150);
    assert.equal(fill('manual'), 50);
    assert.deepEqual([limits.room('callback'), limits.room('manual')], [0, 0]);
  });

  test('manual runs take what callbacks leave', () => {
    assert.equal(fill('manual'), 150);
    assert.equal(fill('callback'), 50);
  });

  test("a client's firings do not count against its callbacks", () => {
    for (let n = 0; n < 300; n += 1)
      limits.acquire({ ...A, origin: `https://${n}.example` }, 1_000);
    assert.notEqual(limits.acquire(CALLBACK, 1), null);
  });
});

describe('the host of a url', () => {
  for (const [url, origin] of [
    ['https://a.example', 'https://a.example'],
    ['https://A.example/Path', 'https://a.example'],
    ['http://a.example:8080?x=/', 'http://a.example:8080'],
    ['http://a.example#x', 'http://a.example'],
    ['http://[::1]:80/x', 'http://[::1]:80'],
  ] as const) {
    test(url, () => assert.equal(originOf(url), origin));
  }
});
