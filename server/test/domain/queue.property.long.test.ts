import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lowestIdAt } from '../../src/domain/id.ts';
import { SURE_MS } from '../../src/domain/run/queue-row.ts';
import { histories, live, START } from '../support/domain/histories.ts';

/** How many histories; a search for a rare one sets more. */
const RUNS = Number(process.env.PUNCTUAL_TEST_HISTORIES ?? 2_500);

for (const [where, sureMs] of [
  ['a store of its own', 0],
  ['a store that nodes share', SURE_MS],
] as const) {
  test(`never loses a firing, on ${where}: whatever happens, every time of an enabled period has one fate`, () => {
    let awaited = 0;
    fc.assert(
      fc.property(histories(80), history => {
        const world = live(history, lowestIdAt(START), sureMs);
        world.assertOneFateEach();
        if (world.backend.hasAwaited) awaited += 1;
      }),
      { numRuns: RUNS },
    );
    assert.ok(
      awaited > RUNS / 50,
      `a run awaits its completion in ${awaited} of ${RUNS} histories`,
    );
  });
}
