import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outcome } from '../../src/domain/run/run.ts';
import { Breaker } from '../../src/engine/fairness/breaker.ts';

const SECOND = 1_000;
const START = Date.parse('2026-03-01T12:00:00Z');
/** To be sent. */
const REQUEST = {};

/** A breaker that saw as many of an outcome, a second apart, and when it saw the last. */
function after(count: number, outcome: Outcome = 'timeout'): { breaker: Breaker; now: number } {
  const breaker = new Breaker('https://a.example');
  for (let i = 0; i < count; i++) breaker.ended(outcome, START + i * SECOND);
  return { breaker, now: START + (count - 1) * SECOND };
}

describe('the circuit breaker of a host', () => {
  test('opens after 20 requests in a row that got no answer', () => {
    assert.equal(after(19).breaker.isOpen, false);
    assert.equal(after(20).breaker.isOpen, true);
    assert.equal(after(20, 'connectionError').breaker.isOpen, true);
  });

  test('not before they go on for 10 s: a target that restarts is away for less', () => {
    const breaker = new Breaker('https://a.example');
    for (let i = 0; i < 500; i++) breaker.ended('connectionError', START + i * 19);
    assert.equal(breaker.isOpen, false);
    breaker.ended('connectionError', START + 10 * SECOND);
    assert.equal(breaker.isOpen, true);
  });

  test('any answer counts as one, and begins the count anew', () => {
    const { breaker, now } = after(19);
    breaker.ended('response', now);
    breaker.ended('timeout', now + 60 * SECOND);
    assert.deepEqual([breaker.isOpen, breaker.isFresh], [false, false]);
    breaker.ended('response', now + 61 * SECOND);
    assert.equal(breaker.isFresh, true);
  });

  test('what was refused by rule or cut off says nothing of the host', () => {
    assert.equal(after(100, 'blocked').breaker.isFresh, true);
    assert.equal(after(100, 'lost').breaker.isFresh, true);
  });

  test('open, it lets one request through every 5 s, and says why it refuses the others', () => {
    const { breaker, now } = after(20);
    assert.equal(
      breaker.refuses(now, REQUEST),
      'It was not sent: the breaker of https://a.example is open. The last 20 requests to it, since ' +
        '2026-03-01T12:00:00.000Z, got no answer; one is let through every 5 s.',
    );
    assert.notEqual(breaker.refuses(now + 5 * SECOND - 1, REQUEST), null);
    assert.equal(breaker.refuses(now + 5 * SECOND, REQUEST), null);
    assert.notEqual(breaker.refuses(now + 5 * SECOND, REQUEST), null);
    breaker.ended('timeout', now + 9 * SECOND);
    assert.notEqual(breaker.refuses(now + 9 * SECOND, REQUEST), null);
    assert.equal(breaker.refuses(now + 10 * SECOND, REQUEST), null);
  });

  test('the first answer closes it', () => {
    const { breaker, now } = after(20);
    assert.equal(breaker.refuses(now + 5 * SECOND, REQUEST), null);
    assert.equal(breaker.ended('response', now + 6 * SECOND), true);
    assert.deepEqual([breaker.isOpen, breaker.refuses(now + 6 * SECOND, REQUEST)], [false, null]);
  });

  test('one that was let through and never sent has seen nothing: the next one leaves at once', () => {
    const { breaker, now } = after(20);
    const [probe, another] = [{}, {}];
    assert.equal(breaker.refuses(now + 5 * SECOND, probe), null);
    breaker.over(another, false);
    assert.notEqual(breaker.refuses(now + 5 * SECOND + 1, another), null);
    breaker.over(probe, false);
    assert.equal(breaker.refuses(now + 5 * SECOND + 2, another), null);
    breaker.over(another, true);
    assert.notEqual(breaker.refuses(now + 5 * SECOND + 3, probe), null);
  });

  test('it says when it opens and closes, once each', () => {
    const { breaker, now } = after(19);
    assert.equal(breaker.ended('timeout', now), true);
    assert.equal(breaker.ended('timeout', now), false);
    assert.equal(breaker.ended('response', now), true);
    assert.equal(breaker.ended('response', now), false);
  });

  test('a clock that is set back does not keep it shut', () => {
    const { breaker, now } = after(20);
    assert.equal(breaker.refuses(now - 3_600 * SECOND, REQUEST), null);
  });
});
