import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { whyNoFakedClock } from './steps/faked-clock.ts';
import { runSteppedWorld } from './steps/world.ts';

/**
 * The crash test with a clock that is stepped, ahead and back, between the kills and during them. The simulator looks for the
 * moments (`npm run sim -- --with step`); here a real process has a real clock.
 *
 * The long form is this file with `CRASH_KILLS=20`. `CRASH_SEED` plays the same steps again.
 */
const KILLS = Number(process.env.CRASH_KILLS ?? 1);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const isLong = KILLS > 3;
const skip = whyNoFakedClock() ?? false;

test(`${KILLS} kills and a clock that is stepped: nothing lost, nothing twice, no silence`, {
  skip,
}, async (t: TestContext) => {
  t.diagnostic(`CRASH_SEED=${SEED}`);
  const { violations, evidence } = await runSteppedWorld({
    seed: SEED,
    kills: KILLS,
    stepsPerLife: isLong ? 4 : 2,
    steadyMs: isLong ? [1_000, 6_000] : [500, 2_500],
    schedulesPerKind: isLong ? 20 : 2,
    lastMs: isLong ? 25_000 : 8_000,
    patienceMs: 30_000,
  });
  const { steps, arrivals, callbacks } = evidence;
  t.diagnostic(`${steps.length} steps, ${arrivals.length} requests, ${callbacks.length} callbacks`);
  const sentences = violations.map(({ rule, sentence }) => `${rule}: ${sentence}`);
  for (const sentence of sentences.slice(0, 40)) t.diagnostic(sentence);
  assert.ok(arrivals.length > 0 && callbacks.length > 0);
  assert.deepEqual(sentences.slice(0, 20), []);
});
