import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../sim/profile.ts';
import { shrink } from '../../sim/shrink.ts';
import { failureOf } from '../../sim/told.ts';
import type { Played } from '../../sim/world.ts';

const SEED = 21;
const ID = '019ca945-0f17-7000-8016-bb54a54984c9';

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
      violations: [{ rule: 'early', sentence: `Schedule ${ID} came.` }],
      evidence: { schedules: [], arrivals: [], callbackArrivals: [], runs: [] },
      figures: {},
      names: new Map([[ID, 's7']]),
      startedAt: Date.parse('2026-03-01T12:00:00.021Z'),
      trace: ['   0.000  start n1', '   0.200  create s7: * * * * * *'],
    } as unknown as Played,
    cut,
  );
  assert.match(told, /^seed 21: \d+\.\d s from 2026-03-01T12:00:00\.021Z, /);
  assert.match(told, /^ {2}early: Schedule s7 came\.$/m);
  assert.match(told, /^ {2}what led to the first of them$/m);
  assert.match(told, /^ {3}0\.200 {2}create s7: \* \* \* \* \* \*$/m);
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
