import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Figures } from '../../sim/model/checker.ts';
import type { Violation } from '../../sim/model/rules/rule.ts';
import { mixedWorkload, plannedWorkload } from '../../sim/workload.ts';
import { isLongRun, skipUnlessLong } from '../support/long.ts';
import { buildShim, whyNoPowerCut } from './powercut.ts';
import { runWorld, type WorldOptions } from './world.ts';

/**
 * The crash test: the service under load, killed at random moments and started again.
 *
 * Short here; the long form, of which docs/reliability.md has the figure, is this file with
 * `CRASH_KILLS=20 CRASH_SCHEDULES=500`. `CRASH_SEED` plays the same moments again.
 */
const KILLS = Number(process.env.CRASH_KILLS ?? (isLongRun ? 3 : 2));
const SCHEDULES = Number(process.env.CRASH_SCHEDULES ?? (isLongRun ? 300 : 120));
/** One-offs, rates, and schedules with bounds, windows and pauses. */
const PLANNED = Math.floor(SCHEDULES / 3);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const isLong = KILLS > 3;

const PROMISE =
  'nothing lost, nothing early, one id for a duplicate, one completion, and history agrees with the target';

test(`${KILLS} kills under ${SCHEDULES} schedules: ${PROMISE}`, t => survive(t));

test(`a store that stands still in each life, and 1 kill: ${PROMISE}`, {
  skip: skipUnlessLong,
}, async t => {
  await survive(t, { kills: 1, stallMs: 1_700, upMs: [3_000, 4_000], earlyKills: 0 });
});

if (isLong) {
  const skip = whyNoPowerCut() ?? false;
  test(`${KILLS} power cuts under ${SCHEDULES} schedules: ${PROMISE}`, { skip }, async t => {
    const folder = await mkdtemp(join(tmpdir(), 'punctual-shim-'));
    try {
      await survive(t, { shim: buildShim(folder) });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function survive(t: TestContext, world: Partial<WorldOptions> = {}): Promise<void> {
  t.diagnostic(`CRASH_SEED=${SEED}`);
  const { violations, figures } = await runWorld({
    seed: SEED,
    kills: KILLS,
    workload: url => [
      ...plannedWorkload(url, PLANNED, Date.now()),
      ...mixedWorkload(url, SCHEDULES - PLANNED),
    ],
    upMs: isLong ? [1_000, 6_000] : [500, 3_000],
    downMs: isLong ? [0, 3_000] : [0, 1_500],
    earlyKills: 0.15,
    disturbed: true,
    lastMs: 3_000,
    patienceMs: 60_000,
    ...world,
  });
  for (const line of [...linesOf(figures), ...sentences(violations)]) t.diagnostic(line);
  assert.equal(figures.kills, world.kills ?? KILLS);
  assert.ok(figures.requests > 0 && figures.callbacks > 0 && figures.completed > 0);
  assert.deepEqual(sentences(violations), []);
}

function sentences(violations: Violation[]): string[] {
  const some = violations.slice(0, 20).map(({ rule, sentence }) => `${rule}: ${sentence}`);
  const more = violations.length - some.length;
  return more > 0 ? [...some, `… and ${more} more`] : some;
}

function linesOf(figures: Figures): string[] {
  const { kills, schedules, due, requests, duplicates, lost, retries } = figures;
  const { missed, skipped, overrun, callbacks, completed, longestDownMs, longestGapMs } = figures;
  return [
    `${kills} kills, ${schedules} schedules, ${due} nominal times; ${completed} have completed`,
    `${requests} requests at the target: ${duplicates} sent again after a crash, ${retries} retries`,
    `${lost} attempts recorded as lost; ${missed} times missed, ${skipped} skipped`,
    `${overrun} times missed because the service was late; ${callbacks} callbacks`,
    `longest time from a kill to a service that listens: ${longestDownMs} ms`,
    `longest time without a request of an every-second schedule: ${longestGapMs} ms`,
  ];
}
