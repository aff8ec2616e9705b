import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Copy, copyOfSources, type Patch } from '../crash/mutate.ts';
import { SEED_OF } from './seeds-of-planted.ts';

/** What the simulator must find. */
interface Sought {
  name: string;
  /** One of these must be said of it, whatever else. */
  rules: readonly string[];
  patches: (Patch | Promise<Patch>)[];
  /** That are on in the worlds that find it. */
  faults?: string[];
}

const PARTS = ['server/sim', 'server/test/support/sim'];
const MOST_SEEDS = 300;

/** Puts each of these bugs into one copy of the sources, and has worlds played until it is found. */
export function findPlanted(what: string, bugs: Sought[]): void {
  describe(what, () => {
    let copy: Copy;
    before(async () => {
      copy = await copyOfSources(PARTS);
    });
    after(() => copy.remove());

    for (const { name, rules, patches, faults = [] } of bugs) {
      test(`found: ${name}`, async t => {
        const takeOut = await copy.seed(await Promise.all(patches));
        try {
          const known = SEED_OF[name] ?? 1;
          const seed = await firstSeed(copy, known, rules, faults);
          t.diagnostic(seed === known ? `seed ${seed}` : `seed ${seed}, and ${known} no longer`);
          assert.notEqual(seed, null, `none of these was said: ${rules.join(', ')}`);
        } finally {
          await takeOut();
        }
      });
    }
  });
}

/**
 * @param known that found it before: it is played first
 * @returns the first seed that breaks one of the rules; null: there is none
 */
function firstSeed(
  { folder }: Copy,
  known: number,
  rules: readonly string[],
  faults: string[],
): Promise<number | null> {
  const script = join(folder, 'server/test/support/sim/first-seed.ts');
  const player = fork(script, [known, MOST_SEEDS, rules, faults].map(String), {
    // What is compiled once is compiled for all bugs.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  const found = once(player, 'message').then(([seed]) => seed as number | null);
  const ended = once(player, 'exit').then(([code]) => assert.fail(`It ended with ${code}.`));
  ended.catch(() => {});
  return Promise.race([found, ended]);
}
