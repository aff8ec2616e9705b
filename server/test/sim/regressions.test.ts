import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { oddsWith, profileOf } from '../../sim/profile.ts';
import { isLongRun } from '../support/long.ts';
import { player } from '../support/sim/player.ts';
import { REGRESSIONS } from './regressions.ts';
import { REGRESSIONS_ASKED } from './regressions-asked.ts';
import { REGRESSIONS_SHARED } from './regressions-shared.ts';

const TESTS = join(import.meta.dirname, '..');

/** What is played since these seeds failed: their worlds shall stay as they were. */
const PLAYED_SINCE = ['pause', 'quiet'];

const ALL = [...REGRESSIONS, ...REGRESSIONS_ASKED, ...REGRESSIONS_SHARED];

/** Mends of the simulator itself. */
const IS_OF_SIMULATOR = /^(rules|step rules|world):/;

/** Every change is judged by the mends of the service that nothing else shows. */
const REPLAYED = isLongRun
  ? ALL
  : ALL.filter(({ mend, shownBy }) => !IS_OF_SIMULATOR.test(mend) && shownBy === undefined);

test('what shows a mend besides its seed is a test of every run', () => {
  for (const { shownBy } of ALL) {
    if (shownBy === undefined) continue;
    const [file, name] = shownBy;
    assert.doesNotMatch(file, /\.long\./);
    assert.ok(readFileSync(join(TESTS, file), 'utf8').includes(name), `${file}: ${name}`);
  }
});

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
