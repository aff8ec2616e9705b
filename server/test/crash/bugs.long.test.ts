import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Copy, copyWithBug } from '../support/crash/mutate.ts';
import { BUGS } from './bugs.ts';
import { buildShim, type Shim, whyNoPowerCut } from './powercut.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { runWorld } from './world.ts';

/**
 * The crash test is tested: each of these bugs, put into a copy of the sources, must be found, and the same scenario without
 * a bug must pass.
 */
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** A kill comes at a random moment: a bug that was not hit, four times in ten, is given another chance. */
const MOST_TRIES = 12;

const why = whyNoPowerCut();
const skipOf = ({ powerCut }: Scenario) => (powerCut ? (why ?? false) : false);

describe('seeded bugs', () => {
  let folder: string;
  let shim: Shim | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'punctual-shim-'));
    if (why === null) shim = buildShim(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = async ({ options, powerCut }: Scenario, seed: number, copy?: Copy) => {
    const { violations } = await runWorld({
      ...options,
      seed,
      ...(copy && { bin: copy.bin }),
      ...(powerCut && shim && { shim }),
      patienceMs: copy ? 5_000 : 60_000,
    });
    return violations;
  };

  for (const { name, scenario, rules, patches } of BUGS) {
    test(`found: ${name}`, { skip: skipOf(SCENARIOS[scenario]) }, async t => {
      const copy = await copyWithBug(patches);
      try {
        let isFound = false;
        for (let tries = 1; tries <= MOST_TRIES && !isFound; tries++) {
          const violations = await run(SCENARIOS[scenario], SEED + tries, copy);
          const all = Map.groupBy(violations, ({ rule }) => rule as string);
          for (const [rule, same] of all)
            t.diagnostic(`${rule} ${same.length}: ${same[0]!.sentence}`);
          isFound = rules.some(rule => all.has(rule));
        }
        assert.ok(isFound, `none of these was said: ${rules.join(', ')}`);
      } finally {
        await copy.remove();
      }
    });
  }

  for (const [name, scenario] of Object.entries<Scenario>(SCENARIOS)) {
    test(`no violation without a bug: ${name}`, { skip: skipOf(scenario) }, async () => {
      assert.deepEqual(await run(scenario, SEED), []);
    });
  }
});
