import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sent, World } from '../support/engine/world.ts';

/**
 * The crash test's mix with a moved clock, killed at every millisecond around the instant of a retry.
 *
 * Others fire every second just before it: what a node says that it sends must not cover the retry, which has
 * not left yet. A crash test failed so once, of some kills in a hundred thousand ("lost attempt 2 without a
 * crash").
 */
const START = Date.parse('2026-03-01T11:59:59.500Z');
/** The flaky schedule fires at 12:00:00.000 and is answered 50 ms later: its retry is due 5 s after that. */
const ANSWERED_MS = 50;
const RETRY_AT = START + 500 + ANSWERED_MS + 5_000;
const FLAKY = 'https://example.com/flaky';

for (const [what, from, to, stepMs] of [
  ['the 120 ms before a retry', RETRY_AT - 120, RETRY_AT, 1],
  ['the 20 ms from a retry on', RETRY_AT, RETRY_AT + 20, 1],
  ['the five seconds before it', START + 501 + ANSWERED_MS, RETRY_AT, 47],
] as const) {
  test(`a kill in ${what} loses no attempt that began after it, and sends no retry early`, async () => {
    for (let killedAt = from; killedAt < to; killedAt += stepMs) await play(killedAt);
  });
}

async function play(killedAt: number): Promise<void> {
  const world = await World.start(new Date(START).toISOString());
  const isFirst = ({ url, headers }: Sent) => url === FLAKY && headers['punctual-attempt'] === '1';
  world.answer = sent => (isFirst(sent) ? 'hang' : 200);
  await world.schedule({ interval: '*/10 * * * * *', url: FLAKY });
  await world.schedule({ interval: '* * * * * *' });
  await world.clock.advanceTo(START + 500 + ANSWERED_MS);
  await world.release(503);
  world.answer = () => 200;
  if (killedAt > world.clock.now()) await world.clock.advanceTo(killedAt);
  await world.crash(3);
  await world.clock.advanceTo(RETRY_AT + 1_500);
  const told = `killed ${RETRY_AT - killedAt} ms before the retry`;
  const [run] = (await world.runs()).filter(({ attempts }) => attempts[0]?.responseStatus === 503);
  for (const { number, outcome, startedAt } of run!.attempts) {
    const isLost = outcome === 'lost';
    assert.ok(!isLost || startedAt <= killedAt, `${told}: lost attempt ${number} without a crash`);
  }
  const retries = world.sent.filter(sent => sent.url === FLAKY).slice(1);
  assert.ok(retries.length > 0, `${told}: it was not tried again`);
  assert.deepEqual(
    retries.filter(({ at }) => at < RETRY_AT),
    [],
    `${told}: the retry came early`,
  );
}
