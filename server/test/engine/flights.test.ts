import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Flights } from '../../src/engine/flights.ts';
import { Ticket } from '../../src/outbound/ticket.ts';

interface Claim {
  number: number;
}

const flightOf = (id: string, number: number) => ({
  id,
  claim: { number },
  ticket: new Ticket(),
  signedAt: null,
});

/** Whether it begins, and whether its request may start. */
function begun(flights: Flights<Claim>, id: string, number: number): [boolean, boolean] {
  const flight = flightOf(id, number);
  return [flights.begin(flight), flight.ticket.start()];
}

describe('what is claimed and has not ended', () => {
  test('the end of an old flight does not end a new one of the same schedule', async () => {
    const flights = new Flights<Claim>();
    const [old, young] = [flightOf('a', 1), flightOf('a', 2)];
    flights.begin(old);
    flights.begin(young);
    flights.end(old);
    assert.deepEqual(flights.claims, [young.claim]);
    flights.cancel('a');
    assert.equal(young.ticket.start(), false);
    const grounded = flights.ground();
    flights.end(young);
    await grounded;
    assert.equal(flights.size, 0);
  });

  test('where the same is claimed anew, the old flight does not start any more', () => {
    const told: number[] = [];
    const flights = new Flights<Claim>(({ claim }) => told.push(claim.number));
    const [old, young] = [flightOf('a', 1), flightOf('a', 2)];
    flights.begin(old);
    flights.begin(young);
    assert.deepEqual([old.ticket.start(), young.ticket.start(), told], [false, true, [1]]);
  });

  test('what is called back while its claim is on the way does not start', () => {
    const flights = new Flights<Claim>();
    flights.expect();
    flights.cancel('a');
    flights.cancelWhere(({ number }) => number === 2);
    assert.deepEqual(begun(flights, 'a', 1), [false, false]);
    assert.deepEqual(begun(flights, 'b', 2), [false, false]);
    assert.deepEqual(begun(flights, 'c', 3), [true, true]);
  });

  test('and starts when it was claimed anew after that', () => {
    const flights = new Flights<Claim>();
    flights.cancel('a');
    flights.expect();
    assert.deepEqual(begun(flights, 'a', 1), [true, true]);
  });

  test('grounded, nothing starts any more, what is on its way included', async () => {
    const flights = new Flights<Claim>();
    flights.expect();
    const flying = flightOf('a', 1);
    flights.begin(flying);
    const grounded = flights.ground();
    assert.equal(flying.ticket.start(), false);
    flights.expect();
    assert.deepEqual(begun(flights, 'b', 2), [false, false]);
    flights.end(flying);
    assert.equal(flights.size, 1);
    let isOver = false;
    void grounded.then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    assert.equal(isOver, false);
  });
});
