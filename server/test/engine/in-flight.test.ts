import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InFlight } from '../../src/engine/delivery/in-flight.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';

interface Claim {
  number: number;
}

const entryOf = (id: string, number: number) => ({
  id,
  claim: { number },
  permit: new StartPermit(),
  signedAt: null,
});

/** Whether it begins, and whether its request may start. */
function begun(entries: InFlight<Claim>, id: string, number: number): [boolean, boolean] {
  const entry = entryOf(id, number);
  return [entries.add(entry), entry.permit.start()];
}

describe('what is claimed and has not ended', () => {
  test('the end of an old entry does not end a new one of the same schedule', async () => {
    const entries = new InFlight<Claim>();
    const [old, young] = [entryOf('a', 1), entryOf('a', 2)];
    entries.add(old);
    entries.add(young);
    entries.remove(old);
    assert.deepEqual(entries.claims, [young.claim]);
    entries.cancel('a');
    assert.equal(young.permit.start(), false);
    const stopped = entries.stopAll();
    entries.remove(young);
    await stopped;
    assert.equal(entries.size, 0);
  });

  test('where the same is claimed anew, the old entry does not start any more', () => {
    const told: number[] = [];
    const entries = new InFlight<Claim>(({ claim }) => told.push(claim.number));
    const [old, young] = [entryOf('a', 1), entryOf('a', 2)];
    entries.add(old);
    entries.add(young);
    assert.deepEqual([old.permit.start(), young.permit.start(), told], [false, true, [1]]);
  });

  test('what is called back while its claim is on the way does not start', () => {
    const entries = new InFlight<Claim>();
    entries.expectClaims();
    entries.cancel('a');
    entries.cancelWhere(({ claim }) => claim.number === 2);
    assert.deepEqual(begun(entries, 'a', 1), [false, false]);
    assert.deepEqual(begun(entries, 'b', 2), [false, false]);
    assert.deepEqual(begun(entries, 'c', 3), [true, true]);
  });

  test('and starts when it was claimed anew after that', () => {
    const entries = new InFlight<Claim>();
    entries.cancel('a');
    entries.expectClaims();
    assert.deepEqual(begun(entries, 'a', 1), [true, true]);
  });

  test('stopped, nothing starts any more, what is on its way included', async () => {
    const entries = new InFlight<Claim>();
    entries.expectClaims();
    const inFlight = entryOf('a', 1);
    entries.add(inFlight);
    const stopped = entries.stopAll();
    assert.equal(inFlight.permit.start(), false);
    entries.expectClaims();
    assert.deepEqual(begun(entries, 'b', 2), [false, false]);
    entries.remove(inFlight);
    assert.equal(entries.size, 1);
    let isOver = false;
    void stopped.then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    assert.equal(isOver, false);
  });

  test('abandoned, what has started is known to be', () => {
    const entries = new InFlight<Claim>();
    const [started, ended] = [entryOf('a', 1), entryOf('b', 2)];
    for (const entry of [started, ended]) {
      entries.add(entry);
      assert.equal(entry.permit.start(), true);
    }
    entries.remove(ended);
    entries.abandon();
    assert.deepEqual([started.permit.isCancelled, ended.permit.isCancelled], [true, false]);
  });
});
