import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddsWith, profileOf } from '../../sim/profile.ts';
import { isLongRun } from '../support/long.ts';
import { player } from '../support/sim/player.ts';
import { REGRESSIONS } from './regressions.ts';
import { REGRESSIONS_ASKED } from './regressions-asked.ts';
import { REGRESSIONS_SHARED } from './regressions-shared.ts';

/** What is played since these seeds failed: their worlds shall stay as they were. */
const PLAYED_SINCE = ['pause', 'quiet'];

const ALL = [...REGRESSIONS, ...REGRESSIONS_ASKED, ...REGRESSIONS_SHARED];

/** Mends of the simulator itself. Every change is judged by the others, which mended the service. */
const IS_OF_SIMULATOR = /^(rules|world):/;

const REPLAYED = isLongRun ? ALL : ALL.filter(({ mend }) => !IS_OF_SIMULATOR.test(mend));

for (const { seed, mend, faults = [] } of REPLAYED) {
  test(`seed ${seed}: ${mend}`, async () => {
    const without = playedSince(seed, faults).filter(name => !faults.includes(name));
    assert.deepEqual((await player.play(seed, faults, without)).violations, []);
  });
}

/** Calendars were played before that where nodes do not share the store. */
function playedSince(seed: number, faults: string[]): string[] {
  const { faults: played } = profileOf(seed, oddsWith(faults));
  return played.includes('nodes') ? [...PLAYED_SINCE, 'calendars'] : PLAYED_SINCE;
}
