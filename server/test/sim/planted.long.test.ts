import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MUTANTS } from '../mutants/list.ts';
import { patchOf } from '../mutants/patch-of.ts';
import { type Copy, copyOfSources } from '../support/crash/mutate.ts';
import { CLOCK_BUGS } from '../support/sim/planted-clock.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_CHANGES } from './planted-changes.ts';
import { PLANTED_CUT_OFF } from './planted-cut-off.ts';
import { PLANTED_IN_DOMAIN } from './planted-in-domain.ts';
import { PLANTED_IN_STORE, PLAYED_MUTANTS } from './planted-in-store.ts';

/** The simulator is tested: it finds the bugs that are planted for it, those of crashes among them. */

const PARTS = ['server/sim', 'server/test/support/sim'];
const MOST_SEEDS = 300;

describe('planted bugs', () => {
  let copy: Copy;
  before(async () => {
    copy = await copyOfSources(PARTS);
  });
  after(() => copy.remove());

  const mutants = PLAYED_MUTANTS.map(({ name, rules }) => {
    const mutant = MUTANTS.find(each => each.name === name)!;
    return { name, rules, patches: [patchOf(mutant)] };
  });
  const ofDelivery = [...PLANTED, ...PLANTED_IN_STORE, ...PLANTED_IN_DOMAIN, ...mutants];
  const ofOneClock = [...PLANTED_CUT_OFF, ...ofDelivery, ...PLANTED_CHANGES];
  const bugs = [...ofOneClock.map(bug => ({ ...bug, faults: [] as string[] })), ...CLOCK_BUGS];
  for (const { name, rules, patches, faults } of bugs) {
    test(`found: ${name}`, async t => {
      const takeOut = await copy.seed(await Promise.all(patches));
      try {
        const seed = await firstSeed(copy, rules, faults);
        t.diagnostic(`seed ${seed}`);
        assert.notEqual(seed, null, `none of these was said: ${rules.join(', ')}`);
      } finally {
        await takeOut();
      }
    });
  }
});

/** @returns the first seed that breaks one of the rules; null: there is none */
function firstSeed(
  { folder }: Copy,
  rules: readonly string[],
  faults: string[],
): Promise<number | null> {
  const script = join(folder, 'server/test/support/sim/first-seed.ts');
  const player = fork(script, [String(MOST_SEEDS), String(rules), String(faults)], {
    // What is compiled once is compiled for all bugs.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  const found = once(player, 'message').then(([seed]) => seed as number | null);
  const ended = once(player, 'exit').then(([code]) => assert.fail(`It ended with ${code}.`));
  ended.catch(() => {});
  return Promise.race([found, ended]);
}
