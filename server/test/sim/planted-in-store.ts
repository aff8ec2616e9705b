import type { PlantedBug } from './planted.ts';

/** Bugs of the store, and of what it is told: twins of the mutants for PostgreSQL, and others. */

const QUEUE = 'store/sqlite/queue.ts';
const OUTBOX = 'store/sqlite/outbox.ts';
const CHANGE = 'store/sqlite/service-change.ts';
const SETTLEMENT = 'engine/delivery/settlement.ts';

/** Mutants of what both backends share, by their names in test/mutants/list.ts. */
export const PLAYED_MUTANTS: Omit<PlantedBug, 'patches'>[] = [
  { name: 'claim: begins what a manual run blocks', rules: ['overlap'] },
  { name: 'claim: begins what passed unseen', rules: ['unrecorded', 'unsent', 'notCompleted'] },
];

type Part = [file: string, find: string, replace: string];

function bug(name: string, rules: PlantedBug['rules'], ...parts: Part[]): PlantedBug {
  return { name, rules, patches: parts.map(([file, find, replace]) => ({ file, find, replace })) };
}

export const PLANTED_IN_STORE: PlantedBug[] = [
  bug(
    'rows in flight are claimed',
    ['attemptNumbers', 'duplicateWithoutCrash', 'overlap'],
    [QUEUE, "WHERE queue.state <> 'inFlight' AND queue.due_at <=", 'WHERE queue.due_at <='],
  ),
  bug(
    'a claim counts no attempt',
    ['sentTwice', 'arrivalUnrecorded'],
    [QUEUE, 'attempt = attempt + (', 'attempt = attempt + 0 * ('],
  ),
  bug(
    'a manual run is claimed beside its time',
    ['overlap'],
    [OUTBOX, "queue.state IN ('inFlight', 'lost', 'awaiting'))", 'false)'],
  ),
  bug(
    'a later manual run goes first',
    ['overlap', 'fence'],
    [OUTBOX, '(other.due_at, other.id) < (outbox.due_at, outbox.id)', 'false'],
  ),
  bug(
    'a manual run takes no fence',
    ['fence'],
    [OUTBOX, '\n      fence = $', '\n      fence = fence + 0 * $'],
  ),
  bug(
    'a fence is the instant of its claim, and no more than the last one',
    ['fence'],
    ['store/fence.ts', 'coalesce(queue.claimed_at + 1, 0), coalesce(queue.fence + 1, 0))', '0, 0)'],
  ),
  bug(
    'a row stays blocked when its manual run has ended',
    ['skippedWithoutRun', 'latestMissed', 'unrecorded'],
    [
      OUTBOX,
      "if (kind === 'manual' && !isAwaitingNext(settlement.next)) free.run(scheduleRowId);",
      '',
    ],
  ),
  bug(
    'the end of a manual run is not recorded',
    ['triggerLost'],
    [OUTBOX, 'settlement.record ? [settlement.record] : []', '[] as never[]'],
  ),
  bug(
    'an ended callback leaves history',
    ['callbackLost', 'callbackUnrecorded'],
    [OUTBOX, "if (kind === 'callback') return endCallback", 'if (false) return endCallback'],
  ),
  bug(
    'a completed schedule does not say why',
    ['completedOtherwise'],
    [CHANGE, 'coalesce(:reason, status_reason)', 'iif(:reason IS NULL, NULL, status_reason)'],
  ),
  bug(
    'a completed schedule stays enabled',
    ['notCompleted'],
    [CHANGE, 'coalesce(:status, status)', 'iif(:status IS NULL, NULL, status)'],
  ),
  bug(
    'a completion counts as two changes',
    ['completedTwice'],
    [CHANGE, 'version = version + 1', 'version = version + 2'],
  ),
  bug(
    'a schedule completes when its last time is known',
    ['completedEarly', 'firedCompleted'],
    [SETTLEMENT, 'move.row === null || ', 'move.row === null || move.row.nextFor === null || '],
    [SETTLEMENT, 'row === null && againAt', '(row === null || row.nextFor === null) && againAt'],
    [CHANGE, '\n      AND NOT EXISTS (SELECT 1 FROM queue WHERE schedule_key = :key)', ''],
  ),
  bug(
    'the mark of what was sent is not written',
    ['sentTwice'],
    ['engine/services/sent-watermark.ts', 'this.#lock?.noteSentUntil(until);', ''],
  ),
  bug(
    'callbacks that leave before the first firing spoil the mark of what was sent',
    ['lostWithoutCrash'],
    ['engine/services/sent-watermark.ts', 'if (starting.length === 0) return;', ''],
  ),
  bug(
    'a start takes each claim for a request that was cut off',
    ['lostWithoutCrash'],
    ['store/rows/queue.ts', 'if (sentUntil !== undefined) return', 'return true;\n  return'],
  ),
  bug(
    'claims of a step that fails are not given back',
    ['unrecorded', 'unfinished'],
    [
      'engine/delivery/taken-claims.ts',
      'for (const claim of held.#left.values()) giveBack(claim);',
      '',
    ],
  ),
  bug(
    'an attempt is told at another instant',
    ['answerDiffers'],
    [
      'engine/delivery/executor.ts',
      'attemptOf(claim.attempt, result,',
      'attemptOf(claim.attempt, { ...result, startedAt: startedAt + 500 },',
    ],
  ),
  bug(
    'the answer to a callback is told as another',
    ['callbackUnseen'],
    [
      SETTLEMENT,
      'const made = [...claim.attempts, attempt];',
      "const told = claim.kind === 'callback' && { responseStatus: 502 };\n" +
        '  const made = [...claim.attempts, { ...attempt, ...told }];',
    ],
  ),
];
