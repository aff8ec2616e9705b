import assert from 'node:assert/strict';
import { test } from 'node:test';
import { player } from '../support/sim/player.ts';
import { REGRESSIONS } from './regressions.ts';
import { REGRESSIONS_ASKED } from './regressions-asked.ts';

/** What is played since these seeds failed: their worlds shall stay as they were. */
const PLAYED_SINCE = ['pause', 'quiet'];

for (const { seed, mend, faults = [] } of [...REGRESSIONS, ...REGRESSIONS_ASKED]) {
  test(`seed ${seed}: ${mend}`, async () => {
    const without = PLAYED_SINCE.filter(name => !faults.includes(name));
    assert.deepEqual((await player.play(seed, faults, without)).violations, []);
  });
}
