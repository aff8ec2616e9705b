import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BUGS } from '../crash/bugs.ts';
import { MUTANTS } from '../mutants/list.ts';
import { patchOf } from '../mutants/patch-of.ts';
import { copyWithBug } from '../support/crash/mutate.ts';
import { CLOCK_BUGS } from '../support/sim/planted-clock.ts';
import { NODE_BUGS } from '../support/sim/planted-nodes.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_CHANGES } from './planted-changes.ts';
import { PLANTED_IN_DOMAIN } from './planted-in-domain.ts';
import { PLANTED_IN_STORE, PLAYED_MUTANTS } from './planted-in-store.ts';

/** The simulator is tested: it finds the bugs that are seeded for the crash test, and its own. */

const PARTS = ['server/sim'];
const MOST_SEEDS = 300;
/** The one needs a disk; the other a connection of its own for each process, and in memory all share one. */
const NOT_PLAYED = [
  'synchronous=NORMAL, and the power fails',
  'claim not written before the request is sent',
];

describe('planted bugs', () => {
  const mutants = PLAYED_MUTANTS.map(({ name, rules }) => {
    const mutant = MUTANTS.find(each => each.name === name)!;
    return { name, rules, patches: [patchOf(mutant)] };
  });
  const ofDelivery = [...PLANTED, ...PLANTED_IN_STORE, ...PLANTED_IN_DOMAIN, ...mutants];
  const ofOneClock = [...BUGS, ...ofDelivery, ...PLANTED_CHANGES];
  const bugs = [
    ...ofOneClock.map(bug => ({ ...bug, faults: [] as string[] })),
    ...CLOCK_BUGS,
    ...NODE_BUGS,
  ];
  for (const { name, rules, patches, faults } of bugs) {
    if (NOT_PLAYED.includes(name)) continue;
    test(`found: ${name}`, async t => {
      const copy = await copyWithBug(await Promise.all(patches), PARTS);
      try {
        const seed = await seedThatBreaks(rules, join(copy.folder, 'server/sim/sim.ts'), faults);
        t.diagnostic(`seed ${seed}`);
        assert.notEqual(seed, null, `none of these was said: ${rules.join(', ')}`);
      } finally {
        await copy.remove();
      }
    });
  }
});

/** @returns the first seed of which one of the rules is said; null: there is none */
async function seedThatBreaks(
  rules: readonly string[],
  sim: string,
  faults: string[],
): Promise<number | null> {
  for (let from = 1; from <= MOST_SEEDS; ) {
    const told = await firstFailure(sim, from, faults);
    const [, seed] = /^seed (\d+)/.exec(told) ?? [];
    if (seed === undefined) return null;
    if (rules.some(rule => told.includes(`\n  ${rule}: `))) return Number(seed);
    from = Number(seed) + 1;
  }
  return null;
}

/** @returns what it printed of the first seed that failed */
function firstFailure(sim: string, from: number, faults: string[]): Promise<string> {
  return new Promise(resolve => {
    const on = faults.length > 0 ? ['--with', faults.join(',')] : [];
    const args = [sim, '--seeds', `${from}..${MOST_SEEDS}`, '--bail', '--workers', '1', ...on];
    execFile(process.execPath, args, (_, out) => resolve(out));
  });
}
