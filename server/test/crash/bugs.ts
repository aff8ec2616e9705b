import type { Rule } from '../../sim/model/rules/rule.ts';
import type { Patch } from '../support/crash/mutate.ts';
import type { SCENARIOS } from './scenarios.ts';

/** Bugs that the crash test must find: what is changed in the sources, and what is said of it. */

export interface Bug {
  name: string;
  scenario: keyof typeof SCENARIOS;
  /** One of these the checker must say of it, whatever else. */
  rules: Rule[];
  patches: Patch[];
  /** Looked for in `npm test` too, and not only in the long form. */
  short?: boolean;
}

export const BUGS: Bug[] = [
  {
    name: 'claim not written before the request is sent',
    scenario: 'held',
    rules: ['sentTwice', 'arrivalUnrecorded'],
    short: true,
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
    name: 'settled before the request is sent',
    scenario: 'queued',
    rules: ['attemptUnseen'],
    short: true,
    patches: [
      {
        file: 'engine/delivery/executor.ts',
        find: '    void sendJob(job, now, this.#options)',
        replace: `    const hoped = { outcome: 'response', startedAt: now, durationMs: 1, phases: {}, responseStatus: 200 };
    this.#options.completer.complete(job.claim, attemptOf(job.claim.attempt, hoped as never));
    void sendJob(job, now, this.#options)`,
      },
      {
        file: 'engine/delivery/executor.ts',
        find: 'completer.complete(claim, reading === undefined ? attempt : { ...attempt, ...reading });',
        replace: '',
      },
    ],
  },
  {
    name: 'a new webhook-id when a request is sent again',
    scenario: 'held',
    rules: ['secondId'],
    short: true,
    patches: [
      {
        file: 'engine/delivery/job.ts',
        find: ': runId(schedule.id, scheduledFor);',
        replace: ': attempt === 1 ? runId(schedule.id, scheduledFor) : crypto.randomUUID();',
      },
    ],
  },
  {
    name: 'synchronous=NORMAL, and the power fails',
    scenario: 'powerCut',
    rules: ['gone'],
    short: true,
    patches: [
      { file: 'store/sqlite/open.ts', find: 'synchronous = FULL', replace: 'synchronous = NORMAL' },
    ],
  },
  {
    name: 'a schedule completed after its last run has ended, in a transaction of its own',
    scenario: 'completing',
    rules: ['notCompleted'],
    patches: [
      {
        file: 'store/sqlite/queue.ts',
        find: 'if (change) changeSchedule(key[0] as number, change);',
        replace:
          'if (change) setTimeout(() =>\n' +
          '  void commits.write(() => changeSchedule(key[0] as number, change)), 400);',
      },
    ],
  },
  {
    name: 'callbacks written after the run has ended, in a transaction of their own',
    scenario: 'failed',
    rules: ['callbackLost'],
    patches: [
      {
        file: 'store/sqlite/queue.ts',
        find: 'for (const one of reader.list(CALLBACK.width)) if (!isOvertaken) writeCallback(one);',
        replace:
          'const those = reader.list(CALLBACK.width);\n' +
          'if (!isOvertaken) setTimeout(() => void commits.write(() => those.forEach(writeCallback)), 400);',
      },
    ],
  },
  {
    name: 'runs in flight forgotten at the start',
    scenario: 'held',
    rules: ['unfinished', 'unrecorded'],
    patches: [
      {
        file: 'engine/engine.ts',
        find: 'await store.queue.recover(clock.now(), this.#options.lock?.sentUntil ?? undefined);',
        replace: '',
      },
    ],
  },
  {
    name: 'callbacks in flight forgotten at the start',
    scenario: 'callingBack',
    rules: ['callbackUnfinished'],
    patches: [
      { file: 'engine/engine.ts', find: 'await store.outbox.recover(clock.now());', replace: '' },
    ],
  },
  {
    name: 'a run that was cut off gives way to the next time',
    scenario: 'held',
    rules: ['lostForGood'],
    patches: [
      {
        file: 'store/rows/queue.ts',
        find: "return { state: 'lost', dueAt",
        replace: "return { state: 'retrying', dueAt",
      },
    ],
  },
  {
    name: 'a new webhook-id when a callback is sent again',
    scenario: 'callingBack',
    rules: ['callbackSecondId'],
    patches: [
      {
        file: 'engine/delivery/job.ts',
        find: 'const { id, attempt, url, body } = claim;',
        replace:
          'const { attempt, url, body } = claim;\n' +
          '  const id = attempt === 1 ? claim.id : crypto.randomUUID();',
      },
    ],
  },
  {
    name: 'lost attempts kept out of history',
    scenario: 'held',
    rules: ['arrivalUnrecorded'],
    patches: [
      {
        file: 'store/rows/queue.ts',
        find: 'attempts: [...attempts, lost] };',
        replace: 'attempts };',
      },
    ],
  },
  {
    name: 'an attempt that was cut off not counted',
    scenario: 'held',
    rules: ['sentTwice', 'unfinished'],
    patches: [
      {
        file: 'store/sqlite/queue.ts',
        find: 'attempt = attempt + (',
        replace: "attempt = attempt + (state <> 'lost') * (",
      },
    ],
  },
  {
    name: 'nothing caught up with after a start',
    scenario: 'away',
    rules: ['latestMissed'],
    patches: [
      {
        file: 'domain/run/passed.ts',
        find: 'return time < unseenUntil && now - time > seconds * 1_000;',
        replace: 'return time < unseenUntil;',
      },
    ],
  },
  {
    name: 'a last time that passed unseen not caught up with',
    scenario: 'completing',
    rules: ['unsent', 'latestMissed'],
    patches: [
      {
        file: 'domain/run/queue.ts',
        find: 'if (isTooOld(latest, schedule, now, unseen.until)) {',
        replace: 'if (row.nextFor === null || isTooOld(latest, schedule, now, unseen.until)) {',
      },
    ],
  },
  {
    name: 'sent 400 ms before it is due',
    scenario: 'held',
    rules: ['early'],
    patches: [
      {
        file: 'engine/delivery/executor.ts',
        find: 'this.#dueQueue.take(now, limit,',
        replace: 'this.#dueQueue.take(now + 400, limit,',
      },
      {
        file: 'engine/delivery/executor.ts',
        find: 'if (isAhead(job, now) || ',
        replace: 'if (isAhead(job, now + 400) || ',
      },
      {
        file: 'engine/loop.ts',
        find: 'if (now >= this.#dueAt) {',
        replace: 'if (now + 400 >= this.#dueAt) {',
      },
      {
        file: 'engine/loop.ts',
        find: 'Math.min(this.#dueAt - now, this.#maxSleepMs)',
        replace: 'Math.min(this.#dueAt - now - 400, this.#maxSleepMs)',
      },
    ],
  },
  {
    name: 'a schedule and its first time written in two transactions',
    scenario: 'creating',
    rules: ['unrecorded'],
    patches: [
      {
        file: 'store/sqlite/schedule-codec.ts',
        find: 'if (start) row.run(key, start[0], ...start, needs);',
        replace: 'if (start) setTimeout(() => row.run(key, start[0], ...start, needs), 300);',
      },
    ],
  },
];
