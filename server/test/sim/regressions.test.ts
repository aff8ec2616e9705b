import '../../sim/globals.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { play } = await import('../../sim/world.ts');

/** Each seed that has failed, with what was mended for it. */
const REGRESSIONS = [
  {
    seed: 744_898,
    mend: 'rules: a time that passes while the end of a run is being written may be seen by the next start only',
  },
  {
    seed: 493_698,
    mend: 'rules: a stop gives back what waits for a connection, and the next start decides about its time',
  },
  {
    seed: 5_177,
    mend: 'store: the fence of a manual run is greater than the last one, also after its schedule has left the queue',
  },
  {
    seed: 23,
    mend: 'queue: a time that waited and lost its place during a manual run is skipped',
  },
  {
    seed: 5_322,
    mend: 'rules: a manual run that waited since before the death goes first',
  },
];

for (const { seed, mend } of REGRESSIONS) {
  test(`seed ${seed}: ${mend}`, async () => {
    assert.deepEqual((await play(seed)).violations, []);
  });
}
