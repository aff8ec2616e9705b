import type { Rule } from '../../sim/model/rules/rule.ts';
import type { Patch } from '../support/crash/mutate.ts';

/** Bugs that the simulator must find, beside those of the crash test: what is changed in the sources, and what is said of it. */

export interface PlantedBug {
  name: string;
  /** One of these must be said of it, whatever else; `broke`: the world does not come to its end. */
  rules: (Rule | 'broke')[];
  patches: Patch[];
}

export const PLANTED: PlantedBug[] = [
  {
    name: 'Retry-After ignored',
    rules: ['retryEarly'],
    patches: [
      {
        file: 'domain/run/verdict.ts',
        find: 'endedAt + Math.max(delayMs, retryAfterMs(last, endedAt));',
        replace: 'endedAt + delayMs;',
      },
    ],
  },
  {
    name: 'retries come before their delay',
    rules: ['retryEarly'],
    patches: [
      { file: 'domain/run/verdict.ts', find: '(1 + 0.2 * random)', replace: '(1 - 0.2 * random)' },
    ],
  },
  {
    name: 'retries wait longer than the policy allows',
    rules: ['late'],
    patches: [
      { file: 'domain/run/verdict.ts', find: '(1 + 0.2 * random)', replace: '(1 + 0.3 * random)' },
    ],
  },
  {
    name: 'one retry more than the policy allows',
    rules: ['retryUnasked'],
    patches: [
      {
        file: 'domain/run/verdict.ts',
        find: 'if (retries >= mostRetries(policy))',
        replace: 'if (retries > mostRetries(policy))',
      },
    ],
  },
  {
    name: 'a 404 tried again',
    rules: ['retryUnasked'],
    patches: [
      {
        file: 'domain/run/verdict.ts',
        find: 'new Set([408, 425, 429])',
        replace: 'new Set([404, 408, 425, 429])',
      },
    ],
  },
  {
    name: 'a 429 not tried again',
    rules: ['retryLost'],
    patches: [
      {
        file: 'domain/run/verdict.ts',
        find: 'new Set([408, 425, 429])',
        replace: 'new Set([408])',
      },
    ],
  },
  {
    name: 'the end of a manual run does not make its schedule due',
    rules: ['late', 'latestMissed'],
    patches: [
      {
        file: 'store/sqlite/outbox.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
        find: "due_at = ${dueUnblocked('min', 'max', LOOKED_AT_BLOCKED)}",
        replace: 'due_at = due_at',
      },
      { file: 'engine/delivery/behind-manual.ts', find: 'behind.length === 0', replace: 'true' },
    ],
  },
  {
    name: 'a manual run does not block its schedule',
    rules: ['overlap'],
    patches: [
      {
        file: 'store/sqlite/outbox.ts',
        find: 'UPDATE queue SET blocked_since = :since, claimed_at',
        replace: 'UPDATE queue SET blocked_since = nullif(:since, :since), claimed_at',
      },
    ],
  },
  {
    name: 'loops that awake 150 ms late',
    rules: ['late'],
    patches: [
      {
        file: 'engine/loop.ts',
        find: 'const sleepMs = Math.min(this.#dueAt - now, this.#maxSleepMs);',
        replace: 'const sleepMs = Math.min(this.#dueAt - now + 150, this.#maxSleepMs);',
      },
    ],
  },
  {
    name: 'a loop that never sleeps',
    rules: ['broke'],
    patches: [
      {
        file: 'engine/loop.ts',
        find: 'const sleepMs = Math.min(this.#dueAt - now, this.#maxSleepMs);',
        replace: 'const sleepMs = 0;',
      },
    ],
  },
  {
    name: 'a batch that the store refused is dropped',
    rules: ['unrecorded', 'unfinished'],
    patches: [
      {
        file: 'engine/batch-writer.ts',
        find: 'this.#items = [...this.#batch, ...this.#items];',
        replace: '',
      },
    ],
  },
  {
    name: 'claims of a batch that cannot be decided about are dropped',
    rules: ['unrecorded', 'missedWhileUp'],
    patches: [
      {
        file: 'engine/delivery/dispatcher.ts',
        find: 'const giveBack = (claim: Claim) => completer.giveBack(claim);',
        replace: 'const giveBack = (_: Claim) => {};',
      },
    ],
  },
  {
    name: 'claims are handed on before it is settled what becomes of them',
    rules: ['unrecorded', 'unfinished'],
    patches: [
      {
        file: 'engine/delivery/dispatcher.ts',
        find: 'const overtaken = new Set(await queue.settle(settlements));\n    const moved',
        replace:
          'held.passAll(taken);\n    const overtaken = new Set(await queue.settle(settlements));\n    const moved',
      },
    ],
  },
  {
    name: 'ends of the outbox are forgotten before they are settled',
    rules: ['unfinished', 'callbackUnfinished', 'callbackUnrecorded'],
    patches: [
      {
        file: 'engine/delivery/settle-entries.ts',
        find: 'const settlements = await withScheduleChanges(open, options);',
        replace:
          'const settlements = await withScheduleChanges(open, options);\n    entries.splice(0, entries.length);',
      },
    ],
  },
  {
    name: 'catch-up counts the latest time twice',
    rules: ['latestMissed', 'arrivalUnrecorded'],
    patches: [
      {
        file: 'domain/run/queue.ts',
        find: 'const nextFor = nextTime(schedule, latest);\n  const passed = missedBefore(latest, row, schedule, unseen);',
        replace:
          'const nextFor = nextTime(schedule, latest);\n  const passed = missedBefore(latest + 1, row, schedule, unseen);',
      },
    ],
  },
];
