import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RULES, type Rule } from '../../sim/model/rules/rule.ts';
import { BUGS } from '../crash/bugs.ts';
import { MUTANTS } from '../mutants/list.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_IN_DOMAIN } from './planted-in-domain.ts';
import { PLANTED_IN_STORE, PLAYED_MUTANTS } from './planted-in-store.ts';

/** Rules that no bug is planted for, and why. */
const NOT_PLANTED: Partial<Record<Rule, string>> = {
  refused: 'callers of the simulator ask the store, and the crash test has none that refuses them',
};

const ALL = [...BUGS, ...PLANTED, ...PLANTED_IN_STORE, ...PLANTED_IN_DOMAIN, ...PLAYED_MUTANTS];

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
