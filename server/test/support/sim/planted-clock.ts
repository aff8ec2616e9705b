import type { Rule } from '../../../sim/model/rules/rule.ts';
import type { StepRule } from '../../../sim/model/steps/rules.ts';
import type { Patch } from '../crash/mutate.ts';

/** Bugs of a clock that is set, and of a machine that is suspended, which the simulator must find. */

export interface ClockBug {
  name: string;
  /** One of these must be said of it, whatever else. */
  rules: (Rule | StepRule)[];
  patches: Patch[];
  /** That are on in the worlds that find it. */
  faults: string[];
}

export const CLOCK_BUGS: ClockBug[] = [
  {
    name: 'nothing counted anew after the clock was set back',
    rules: ['silent'],
    faults: ['step'],
    patches: [{ file: 'engine/engine.ts', find: 'this.#recounter.begin(since);', replace: '' }],
  },
  {
    name: 'rows are counted anew before decisions of the clock that was ahead have landed',
    rules: ['silent'],
    faults: ['step', 'callers', 'slow'],
    patches: [{ file: 'engine/services/recounter.ts', find: 'await this.#landed;', replace: '' }],
  },
  {
    name: 'a clock that was set back while nobody looked is not seen at the start',
    rules: ['silent'],
    faults: ['step'],
    patches: [
      {
        file: 'engine/services/recounter.ts',
        find: 'if (backMs > STEP_MS && ',
        replace: 'if (backMs > Number.POSITIVE_INFINITY && ',
      },
    ],
  },
  {
    name: 'requests that wait for their instant are not called back',
    rules: ['silent', 'early', 'unfinished'],
    faults: ['step'],
    patches: [
      {
        file: 'engine/engine.ts',
        find: 'this.#executor.cancelWhere(job => isAhead(job, now) || (job.signedAt ?? now) > now);',
        replace: '',
      },
    ],
  },
  {
    name: 'steps measured by the clock that is set',
    rules: ['stepsMiscounted'],
    faults: ['step'],
    patches: [
      {
        file: 'engine/services/clock-watch.ts',
        find: 'new ClockSteps(clock.now(), clock.monotonicMs())',
        replace: 'new ClockSteps(clock.now(), clock.now())',
      },
      {
        file: 'engine/services/clock-watch.ts',
        find: 'look(now, clock.monotonicMs())',
        replace: 'look(now, now)',
      },
    ],
  },
  {
    name: 'times that were sent ahead are not looked up',
    rules: ['sentTwice'],
    faults: ['step'],
    patches: [
      {
        file: 'engine/delivery/dispatcher.ts',
        find: 'this.#options.recounter.checksFrom <= now + AHEAD_MS',
        replace: 'this.#options.recounter.checksFrom < 0 && false',
      },
    ],
  },
  {
    name: 'claims are handed on before their times are looked up',
    rules: ['unrecorded', 'silent'],
    faults: ['step'],
    patches: [
      {
        file: 'engine/delivery/dispatcher.ts',
        find: 'await withKnown(queue, blocked, now, {',
        replace: 'await withKnown(queue, held.passAll(blocked), now, {',
      },
    ],
  },
  {
    name: 'records of times to come stay as the clock is set back',
    rules: ['recordedTwice', 'silent'],
    faults: ['step'],
    patches: [
      {
        file: 'engine/services/recounter.ts',
        find: 'while (!this.#stopping && (await this.#ask(queue.cutMissed(this.#countedFrom))) > 0);',
        replace: '',
      },
      {
        file: 'store/sqlite/recount.ts',
        find: 'cutReaching(row, now);',
        replace: '',
      },
    ],
  },
  {
    name: 'a retry waits for as long as the clock was ahead',
    rules: ['unfinished'],
    faults: ['step'],
    patches: [
      {
        file: 'domain/run/recount.ts',
        find: 'const retry = soonerRetry(row, schedule, now);',
        replace: 'const retry: Recounted | null = null;',
      },
    ],
  },
  {
    name: 'a suspension not seen as downtime',
    rules: ['causeWrong'],
    faults: ['suspend'],
    patches: [
      {
        file: 'engine/services/downtime.ts',
        find: 'if (now - this.#lookedAt > BLIND_AFTER_MS) {',
        replace: 'if (now - this.#lookedAt > Number.POSITIVE_INFINITY) {',
      },
    ],
  },
  {
    name: 'what came during a run before a suspension is told as missed',
    rules: ['missedWhileUp'],
    faults: ['suspend'],
    patches: [
      {
        file: 'domain/run/after-attempt.ts',
        find: ': gapsSince(nextFor, unseen);',
        replace: ': gapsSince(nextFor, { ...unseen, awake: [] });',
      },
    ],
  },
];
