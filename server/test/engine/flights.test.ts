import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Flights } from '../../src/engine/flights.ts';

interface Claim {
  number: number;
}

describe('what is claimed and has not ended', () => {
  test('the end of an old flight does not end a new one of the same schedule', async () => {
    const flights = new Flights<Claim>(undefined);
    const [old, young] = [{ number: 1 }, { number: 2 }];
    flights.begin('a', old);
    const ticket = flights.begin('a', young);
    flights.end('a', old);
    assert.deepEqual(flights.claims, [young]);
    flights.cancel('a');
    assert.equal(ticket.start(), false);
    const grounded = flights.ground();
    flights.end('a', young);
    await grounded;
    assert.equal(flights.size, 0);
  });

  test('what is called back while its claim is on the way does not start', () => {
    const flights = new Flights<Claim>(undefined);
    flights.expect();
    flights.cancel('a');
    flights.cancelWhere(({ number }) => number === 2);
    assert.equal(flights.begin('a', { number: 1 }).start(), false);
    assert.equal(flights.begin('b', { number: 2 }).start(), false);
    assert.equal(flights.begin('c', { number: 3 }).start(), true);
  });

  test('and starts when it was claimed anew after that', () => {
    const flights = new Flights<Claim>(undefined);
    flights.cancel('a');
    flights.expect();
    assert.equal(flights.begin('a', { number: 1 }).start(), true);
  });

  test('grounded, nothing starts any more, what is on its way included', async () => {
    const flights = new Flights<Claim>(undefined);
    flights.expect();
    const flying = { number: 1 };
    const ticket = flights.begin('a', flying);
    const grounded = flights.ground();
    assert.equal(ticket.start(), false);
    flights.expect();
    assert.equal(flights.begin('b', { number: 2 }).start(), false);
    flights.end('a', flying);
    assert.equal(flights.size, 1);
    let isOver = false;
    void grounded.then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    assert.equal(isOver, false);
  });
});
