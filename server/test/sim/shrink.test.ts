import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../sim/profile.ts';
import { shrink } from '../../sim/shrink.ts';
import { failureOf } from '../../sim/told.ts';
import type { Played } from '../../sim/world.ts';

const SEED = 21;

test('a failure is shrunk to what it needs, and told with the line that plays it', async () => {
  const whole = profileOf(SEED);
  const needed = [whole.actions[3]!, whole.actions.at(-2)!];
  let tries = 0;
  const cut = await shrink(async (_, { actions, mixed } = whole) => {
    tries += 1;
    const fails = mixed >= 2 && needed.every(action => isIn(action, actions));
    const violations = fails ? [{ rule: 'early' as const, sentence: 'It came.' }] : [];
    return { violations } as unknown as Played;
  }, SEED);
  const counts = { mixed: 2, planned: 0, unhealthy: 0, awaiting: 0 };
  const numbers = [4, whole.actions.length - 1];
  assert.deepEqual(cut, { faults: [], only: numbers, ...counts });
  assert.ok(tries < 150, `${tries} worlds`);
  const told = failureOf(
    {
      seed: SEED,
      profile: whole,
      violations: [{ rule: 'early', sentence: 'It came.' }],
      evidence: { schedules: [] },
      figures: {},
    } as unknown as Played,
    cut,
  );
  assert.match(told, /^ {2}early: It came\.$/m);
  assert.match(told, new RegExp(`shrunk {2}from ${whole.actions.length} actions to 2, `));
  assert.match(
    told,
    new RegExp(
      `again {3}npm run sim -- --seed ${SEED} --only ${numbers} --schedules 2,0,0,0$`,
      'm',
    ),
  );
});

function isIn(action: object, actions: object[]): boolean {
  return actions.some(other => JSON.stringify(other) === JSON.stringify(action));
}
