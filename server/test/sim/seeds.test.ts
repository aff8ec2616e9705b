import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRun } from '../support/long.ts';
import { player } from '../support/sim/player.ts';

/** The quick run judges a change: its worlds are always the same. The long run finds: its worlds are new each time. */
const SEEDS = Number(process.env.SIM_SEEDS ?? (isLongRun ? 1_000 : 200));
const FIRST = isLongRun ? Math.floor(Math.random() * 1_000_000) : 1;

test(`${SEEDS} worlds from seed ${FIRST} on keep every promise`, async t => {
  const figures = { due: 0, requests: 0, lost: 0, missed: 0, callbacks: 0, completed: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    const played = await player.play(seed);
    assert.deepEqual(played.violations.slice(0, 5), [], `npm run sim -- --seed ${seed}`);
    for (const name of Object.keys(figures) as (keyof typeof figures)[])
      figures[name] += played.figures[name];
  }
  t.diagnostic(JSON.stringify(figures));
  for (const [name, count] of Object.entries(figures)) assert.ok(count > 0, `no ${name}`);
});
