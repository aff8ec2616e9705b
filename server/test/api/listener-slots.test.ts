import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListenerSlots, MOST_OF_ALL, MOST_OF_CLIENT } from '../../src/api/events/listener-slots.ts';

test('a seat is given back once, however often that is said', () => {
  const seats = new ListenerSlots();
  const leave = seats.take(1);
  const others = Array.from({ length: MOST_OF_CLIENT - 1 }, () => seats.take(1));
  assert.throws(() => seats.take(1), /This client has 20 listeners already/);
  leave();
  leave();
  others.push(seats.take(1));
  assert.throws(() => seats.take(1), /This client has 20 listeners already/);
  seats.take(2);
  for (const each of others) each();
  for (let n = 0; n < MOST_OF_CLIENT; n++) seats.take(1);
});

test('all clients together have a bound as well, and it is free again', () => {
  const seats = new ListenerSlots();
  const taken = Array.from({ length: MOST_OF_ALL }, (_, n) => seats.take(Math.floor(n / 20)));
  assert.throws(() => seats.take(-1), /This node has 1000 listeners already; try again later/);
  taken[0]!();
  seats.take(-1)();
});
