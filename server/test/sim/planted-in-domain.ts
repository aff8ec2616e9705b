import type { PlantedBug } from './planted.ts';

/** Bugs of decisions: what is skipped, missed, counted and called back, and when a breaker opens. */

const PASSED = 'domain/run/passed.ts';
const BREAKER = 'engine/fairness/breaker.ts';

export function bug(
  name: string,
  rules: PlantedBug['rules'],
  file: string,
  ...changes: [find: string, replace: string][]
): PlantedBug {
  return { name, rules, patches: changes.map(([find, replace]) => ({ file, find, replace })) };
}

export const PLANTED_IN_DOMAIN: PlantedBug[] = [
  bug('retries of a manual run do not give way', ['retryAtNext'], 'engine/delivery/settlement.ts', [
    "if (schedule.status !== 'enabled') return null;\n  // Its calendars",
    'if (schedule.id !== null) return null;\n  // Its calendars',
  ]),
  bug(
    'a retry that was kept waiting survives its next time',
    ['retryAtNext', 'retryEarly'],
    'domain/run/queue.ts',
    [
      "if (row.was === 'retrying' && row.nextFor !== null && row.nextFor <= now) {",
      "if (row.was === 'retrying' && row.nextFor !== null && row.nextFor + 60_000 <= now) {",
    ],
  ),
  bug('a retry that comes after the next time is made', ['retryAtNext'], 'domain/run/verdict.ts', [
    'if (nextFor !== null && at >= nextFor) {',
    'if (nextFor !== null && at >= nextFor + 2_000) {',
  ]),
  bug('one run more than maxRuns', ['notDue'], 'domain/calendar/resolve-timing.ts', [
    'timing.maxRuns);',
    'timing.maxRuns + 1);',
  ]),
  bug('what passed unseen is told as skipped', ['skippedWithoutRun'], PASSED, [
    "'missed', `It passed while",
    "'skipped', `It passed while",
  ]),
  bug(
    'what comes during a run is told as missed',
    ['missedWhileUp'],
    'domain/run/after-attempt.ts',
    ["'skipped', reason),\n  );\n  const latest", "'missed', reason),\n  );\n  const latest"],
  ),
  bug('a record of many times counts one more', ['wrongCount'], PASSED, [
    'countTimes(schedule, first, until)',
    'countTimes(schedule, first, until) + 1',
  ]),
  bug(
    'a record of many times takes in the one that fires',
    ['recordedTwice'],
    PASSED,
    ['countTimes(schedule, first, until)', 'countTimes(schedule, first, until + 1_000)'],
    ['lastTime(schedule, first, until)!', 'lastTime(schedule, first, until + 1_000)!'],
  ),
  bug('catchUpSeconds ignored', ['oldFired'], PASSED, [
    'now: number,\n  unseenUntil: number,\n): boolean {\n  const seconds = schedule.policy?.catchUpSeconds ?? ',
    'now: number,\n  unseenUntil: number,\n): boolean {\n  const seconds = ',
  ]),
  bug(
    'the last time of a schedule cannot be caught up with',
    ['undecided'],
    'domain/run/queue.ts',
    [
      'function decidePassed(row: TakenRow, schedule: Schedule, now: number, unseen: Unseen): Move {',
      "function decidePassed(row: TakenRow, schedule: Schedule, now: number, unseen: Unseen): Move {\n  if (row.nextFor === null) throw new Error('It has no next time.');",
    ],
  ),
  bug('bufferOne ignored', ['bufferLost'], 'domain/run/queue.ts', [
    "policy?.overlap === 'bufferOne'",
    'false && policy',
  ]),
  bug('each schedule buffers', ['notSkipped'], 'domain/run/queue.ts', [
    "policy?.overlap === 'bufferOne'",
    "policy?.overlap !== 'skip'",
  ]),
  bug('retryForSeconds ignored', ['retryUnasked'], 'domain/run/verdict.ts', [
    'return seconds === undefined || scheduledFor',
    'return true || scheduledFor',
  ]),
  bug('a redirect taken for a success', ['verdictWrong'], 'domain/run/verdict.ts', [
    'statuses === undefined ? is2xx(status)',
    'statuses === undefined ? status < 400',
  ]),
  bug('a success calls back unasked', ['callbackUnexpected'], 'domain/run/callback.ts', [
    '|| integration.callOnSuccess)',
    '|| integration.callOnSuccess !== undefined)',
  ]),
  bug('two times share a webhook-id', ['sharedId'], 'engine/delivery/job.ts', [
    ': runId(schedule.id, scheduledFor);',
    ': runId(schedule.id, scheduledFor - (scheduledFor % 2_000));',
  ]),
  bug('a breaker that never opens', ['breakerOpen'], BREAKER, ['FAULTS = 20;', 'FAULTS = 2_000;']),
  bug('a breaker that opens too soon', ['breakerShut'], BREAKER, ['FAULTS = 20;', 'FAULTS = 5;']),
  bug('a breaker that stays open', ['breakerShut'], BREAKER, [
    'PROBE_MS = 5_000;',
    'PROBE_MS = 500_000;',
  ]),
];
