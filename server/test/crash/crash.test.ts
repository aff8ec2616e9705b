import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Run } from '@punctual/client';
import type { Figures } from '../../sim/model/checker.ts';
import type { Evidence } from '../../sim/model/evidence.ts';
import type { Violation } from '../../sim/model/rules/rule.ts';
import { mixedWorkload, plannedWorkload } from '../../sim/workload.ts';
import { buildShim, type Shim, whyNoPowerCut } from './powercut.ts';
import { runWorld } from './world.ts';

/**
 * The crash test: the service under load, killed at random moments and started again. The simulator (`server/sim/`) looks for
 * moments; here one process is killed, on a disk.
 *
 * The long form, of which docs/reliability.md has the figure, is this file with `CRASH_KILLS=20 CRASH_SCHEDULES=500`.
 * `CRASH_SEED` plays the same moments again.
 */
const KILLS = Number(process.env.CRASH_KILLS ?? 1);
const SCHEDULES = Number(process.env.CRASH_SCHEDULES ?? 40);
/** One-offs, rates, and schedules with bounds, windows and pauses. */
const PLANNED = Math.floor(SCHEDULES / 3);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const isLong = KILLS > 3;

const PROMISE =
  'nothing lost, nothing early, one id for a duplicate, one completion, and history agrees with the target';

test(`${KILLS} kills under ${SCHEDULES} schedules: ${PROMISE}`, t => survive(t));

if (isLong) {
  const skip = whyNoPowerCut() ?? false;
  test(`${KILLS} power cuts under ${SCHEDULES} schedules: ${PROMISE}`, { skip }, async t => {
    const folder = await mkdtemp(join(tmpdir(), 'punctual-shim-'));
    try {
      await survive(t, buildShim(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function survive(t: TestContext, shim?: Shim): Promise<void> {
  t.diagnostic(`CRASH_SEED=${SEED}`);
  const { violations, figures, evidence } = await runWorld({
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
    // One-offs begin 6 s after they are made, and some complete.
    lastMs: 6_000,
    patienceMs: 60_000,
    ...(shim && { shim }),
  });
  for (const line of [...linesOf(figures), ...sentences(violations)]) t.diagnostic(line);
  // The moments cannot be played again to the millisecond: what there was to see is said here.
  if (violations.length > 0) for (const line of momentsOf(evidence)) t.diagnostic(line);
  assert.equal(figures.kills, KILLS);
  assert.ok(figures.requests > 0 && figures.callbacks > 0 && figures.completed > 0);
  assert.deepEqual(sentences(violations), []);
}

function sentences(violations: Violation[]): string[] {
  const some = violations.slice(0, 20).map(({ rule, sentence }) => `${rule}: ${sentence}`);
  const more = violations.length - some.length;
  return more > 0 ? [...some, `… and ${more} more`] : some;
}

/** The lives of the service, the stalls of this process, and what was lost. */
function momentsOf({ lives, stalls, runs }: Evidence): string[] {
  const isLost = ({ attempts = [] }: Run) => attempts.some(({ outcome }) => outcome === 'lost');
  return [
    ...lives.map(life => `life: ${JSON.stringify(life, withInstants)}`),
    ...stalls.map(stall => `stall: ${JSON.stringify(stall, withInstants)}`),
    ...runs.filter(isLost).map(run => `lost: ${JSON.stringify(run)}`),
  ];
}

function withInstants(key: string, value: unknown): unknown {
  const isInstant = typeof value === 'number' && /At$|^from$|^to$/.test(key);
  return isInstant ? new Date(value).toISOString() : value;
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
