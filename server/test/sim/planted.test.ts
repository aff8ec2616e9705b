import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RULES, type Rule } from '../../sim/model/rules/rule.ts';
import { BUGS } from '../crash/bugs.ts';
import { MUTANTS } from '../mutants/list.ts';
import { CLIENT_BUGS, CROWD_BUGS, SUSPENSION_BUGS } from '../support/sim/planted-clients.ts';
import { CLOCK_BUGS } from '../support/sim/planted-clock.ts';
import { FORECAST_BUGS } from '../support/sim/planted-forecasts.ts';
import { LONG_BUGS } from '../support/sim/planted-long.ts';
import { NODE_BUGS } from '../support/sim/planted-nodes.ts';
import { PAUSE_BUGS } from '../support/sim/planted-pauses.ts';
import { SOCKET_BUGS } from '../support/sim/planted-socket.ts';
import { SEED_OF } from '../support/sim/seeds-of-planted.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_AWAITING } from './planted-awaiting.ts';
import { PLANTED_CHANGED_CLOCK } from './planted-changed-clock.ts';
import { PLANTED_CHANGES } from './planted-changes.ts';
import { PLANTED_CUT_OFF } from './planted-cut-off.ts';
import { PLANTED_IN_DOMAIN } from './planted-in-domain.ts';
import { PLANTED_IN_STORE, PLAYED_MUTANTS } from './planted-in-store.ts';
import { PLANTED_CALENDARS, PLANTED_LIMITS } from './planted-limits.ts';
import { PLANTED_RACES } from './planted-races.ts';
import { PLANTED_STEERED } from './planted-steered.ts';

/** Rules that no bug is planted for, and why. */
const NOT_PLANTED: Partial<Record<Rule, string>> = {
  refused: 'the crash test and the simulator have none that refuses callers',
};

const SEEDED = [...BUGS, ...PLANTED_CUT_OFF];
const OF_DELIVERY = [...PLANTED, ...PLANTED_AWAITING, ...PLANTED_IN_STORE, ...PLANTED_IN_DOMAIN];
const OF_CHANGES = [
  ...PLANTED_CHANGES,
  ...PLANTED_RACES,
  ...PLANTED_CHANGED_CLOCK,
  ...PLANTED_STEERED,
];
const OF_WORLDS = [
  ...CLOCK_BUGS,
  ...NODE_BUGS,
  ...LONG_BUGS,
  ...PAUSE_BUGS,
  ...FORECAST_BUGS,
  ...PLANTED_LIMITS,
  ...PLANTED_CALENDARS,
  ...SUSPENSION_BUGS,
  ...CLIENT_BUGS,
  ...CROWD_BUGS,
  ...SOCKET_BUGS,
];
const PATCHED = [...SEEDED, ...OF_DELIVERY, ...OF_CHANGES, ...OF_WORLDS];
const ALL = [...PATCHED, ...PLAYED_MUTANTS];
const ONLY_CRASHED = new Set(BUGS.map(({ name }) => name));

test('no rule is for show: each finds a bug that is planted', () => {
  const named = new Set<string>(ALL.flatMap(({ rules }) => rules));
  const without = Object.keys(RULES).filter(rule => !named.has(rule));
  assert.deepEqual(without, Object.keys(NOT_PLANTED));
});

test('bugs have names of their own, and mutants those of the list', () => {
  const names = ALL.map(({ name }) => name);
  assert.deepEqual(names.length, new Set(names).size);
  const known = new Set(MUTANTS.map(({ name }) => name));
  for (const { name } of PLAYED_MUTANTS) assert.ok(known.has(name), name);
});

test('each bug has its seed, and no seed has lost its bug', () => {
  const played = new Set<string>(ALL.map(({ name }) => name)).difference(ONLY_CRASHED);
  assert.deepEqual(new Set(Object.keys(SEED_OF)), played);
});

test('each bug still fits the sources', () => {
  const patches = PATCHED.flatMap(bug => bug.patches);
  const misfits = patches.filter(({ file, find }) => {
    const source = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8');
    return source.split(find).length !== 2;
  });
  assert.deepEqual(misfits, []);
});

test('the bugs of crashes stand in docs/reliability.md, in their order', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reliability.md'), 'utf8');
  const table = page.split('| Bug |')[1]!.split('\n').slice(2);
  const names = table.filter(line => line !== '').map(line => line.split(' | ')[0]!.slice(2));
  assert.deepEqual(
    names,
    SEEDED.map(({ name }) => name),
  );
});
