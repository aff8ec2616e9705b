import { bug } from './planted-in-domain.ts';

/** Bugs of what targets say by `Punctual-Control`, and twins of the mutants of completion beside it. */

const CONTROL = 'domain/run/control.ts';
const CONSEQUENCE = 'domain/run/consequence.ts';
const CHANGE = 'store/sqlite/service-change.ts';
const TARGET_RUNS = 'store/sqlite/target-runs.ts';

export const PLANTED_STEERED = [
  bug('a further run beats a pause', ['controlDiffers'], CONTROL, [
    'else if (pauseSeconds !== undefined) control.pauseSeconds = pauseSeconds;\n  else if (againSeconds',
    'else if (againSeconds === undefined && pauseSeconds !== undefined) control.pauseSeconds = pauseSeconds;\n  else if (againSeconds',
  ]),
  bug(
    'a policy that does not obey its target does',
    ['controlDiffers'],
    'engine/delivery/send-job.ts',
    [' && claim.schedule.policy?.obeyTarget !== false', ''],
  ),
  bug(
    'a failure is tried again although its target asked for no retry',
    ['retryUnasked'],
    CONSEQUENCE,
    [
      "if (verdict.kind !== 'retry' || !control?.noRetry) return verdict;",
      'if (control !== null) return verdict;',
    ],
  ),
  bug('a pause that a target asked for is not made', ['steeredLost'], CONSEQUENCE, [
    'return { change: isLonger ? { at: answeredAt, pausedUntil } : null, againAt: null };',
    'return { change: isLonger && pausedUntil < 0 ? { at: answeredAt, pausedUntil } : null, againAt: null };',
  ]),
  bug('a pause counts from the end of the one before', ['steeredUnasked'], CONSEQUENCE, [
    'const pausedUntil = answeredAt + control.pauseSeconds * 1_000;',
    'const pausedUntil = Math.max(answeredAt, schedule.timing?.pausedUntil ?? 0) + control.pauseSeconds * 1_100;',
  ]),
  bug('a further run that waits is not replaced', ['furtherUnasked'], TARGET_RUNS, [
    '      drop.run({ key, at });\n      insert',
    '      insert',
  ]),
  bug('a further run replaces none, and is not made beside one', ['furtherLost'], TARGET_RUNS, [
    "SET trigger = 'dropped', due_at = min(due_at, :at)",
    'SET due_at = due_at + (:at - :at)',
  ]),
  bug('a pause leaves the further run that waits', ['furtherUnasked'], CHANGE, [
    "if (reason !== 'completed' || pausedUntil !== null) furtherRuns.drop(key, at);",
    '',
  ]),
  bug('a schedule completes whatever of it goes on', ['completedEarly', 'firedCompleted'], CHANGE, [
    '\n      AND NOT EXISTS (SELECT 1 FROM queue WHERE schedule_key = :key)',
    '',
  ]),
  bug(
    'a schedule completes beside a further run that its target asked for',
    ['completedEarly', 'firedCompleted', 'furtherLost'],
    CHANGE,
    ["AND kind = 'manual' AND trigger IN ('target', 'begun'))", "AND kind = 'manual' AND false)"],
  ),
].map(each => ({ ...each, faults: ['steered'] }));
