import type { Rule } from '../../sim/model/rules/rule.ts';
import type { Patch } from '../support/crash/mutate.ts';
import type { SCENARIOS } from './scenarios.ts';

/**
 * Bugs that only real processes show: the one needs a disk, the other a connection of its own for each process. The simulator
 * finds all others (`server/test/sim/planted-cut-off.ts`).
 */

export interface Bug {
  name: string;
  scenario: keyof typeof SCENARIOS;
  /** One of these the checker must say of it, whatever else. */
  rules: Rule[];
  patches: Patch[];
}

export const BUGS: Bug[] = [
  {
    name: 'claim not written before the request is sent',
    scenario: 'held',
    rules: ['sentTwice', 'arrivalUnrecorded'],
    // Claims are committed with the next settlement only.
    patches: [
      {
        file: 'store/sqlite/group-commit.ts',
        find: "this.#database.exec('BEGIN IMMEDIATE');",
        replace: "if (!this.#database.isTransaction) this.#database.exec('BEGIN IMMEDIATE');",
      },
      {
        file: 'store/sqlite/group-commit.ts',
        find: "this.#database.exec('COMMIT');",
        replace:
          "if (!writes.every(({ work }) => work.name === 'later')) this.#database.exec('COMMIT');",
      },
      {
        file: 'store/sqlite/queue.ts',
        find: 'except = []) {\n      return commits.write(() => {',
        replace: 'except = []) {\n      return commits.write(function later() {',
      },
    ],
  },
  {
    name: 'synchronous=NORMAL, and the power fails',
    scenario: 'powerCut',
    rules: ['gone'],
    patches: [
      { file: 'store/sqlite/open.ts', find: 'synchronous = FULL', replace: 'synchronous = NORMAL' },
    ],
  },
];
