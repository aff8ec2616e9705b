import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  ConcurrencyLimits,
  type HostState,
  originOf,
} from '../../src/engine/fairness/concurrency.ts';

const A = { clientRowId: 1, origin: 'https://a.example' };
const B = { clientRowId: 1, origin: 'https://b.example' };
const OTHER = { clientRowId: 2, origin: 'https://a.example' };

let places: ConcurrencyLimits;
beforeEach(() => {
  const breakers = { opened() {}, closed() {}, forgotten() {} };
  places = new ConcurrencyLimits({ maxPerHost: 10, breakers });
});

const enter = (count: number, bound = A, room = 1_000): (HostState | null)[] =>
  Array.from({ length: count }, () => places.acquire(bound, room));
const given = (hosts: (HostState | null)[]) => hosts.filter(host => host !== null).length;

describe('places', () => {
  test('a host has its number for each client, and gets one back when a request ends', () => {
    const [host] = enter(10);
    assert.equal(places.acquire(A, 1_000), null);
    assert.equal(given(enter(10, B)), 10);
    assert.equal(given(enter(10, OTHER)), 10);
    places.release(host!, 'response', 0);
    assert.equal(given(enter(2)), 1);
  });

  test('a client has at most three times what is left for others', () => {
    assert.equal(given(enter(6, A, 2)), 6);
    assert.equal(places.acquire(A, 2), null);
    assert.equal(places.acquire(B, 2), null);
    assert.notEqual(places.acquire(OTHER, 2), null);
    assert.equal(places.acquire(OTHER, 0), null);
  });

  test('too many for a host are those that it will not get through in five seconds', () => {
    const hosts = enter(10);
    assert.equal(places.surplus(A, 100), 0, 'the first look only begins a second');
    assert.equal(places.surplus(A, 100), 100);
    for (const host of hosts) {
      places.release(host!, 'response', 0);
      enter(1);
    }
    assert.equal(places.surplus(A, 100), 50);
    assert.equal(places.surplus(A, 100), 100);
  });

  test('none is too many for a host to which nothing was in flight for a moment', () => {
    for (const host of enter(10)) places.release(host!, 'response', 0);
    enter(10);
    assert.equal(places.surplus(A, 100), 0);
  });

  test('none is too many while there is a place, or where nothing is known of the host', () => {
    enter(9);
    assert.deepEqual([places.surplus(A, 100), places.surplus(B, 100)], [0, 0]);
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
