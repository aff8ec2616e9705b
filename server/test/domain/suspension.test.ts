import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitingRow } from '../../src/domain/run/queue-row.ts';
import { PUT_OFF_MS, RETURN_MS, readmitted } from '../../src/domain/run/suspension.ts';
import { causeIn } from '../../src/domain/run/unseen.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
const EACH_MINUTE = {
  id: '01a1faac-acec-77cd-97c5-0fd16a7f4646',
  status: 'enabled' as const,
  interval: '* * * * *',
  timezone: 'UTC',
};
const SUSPENDED = NOON - 1;
const NOW = NOON + 2 * MINUTE;
const RETRYING = {
  changedAt: null,
  state: 'retrying' as const,
  dueAt: NOON + 5_000 + PUT_OFF_MS,
  scheduledFor: NOON,
  nextFor: NOON + MINUTE,
  attempt: 1,
  attempts: [{ number: 1, startedAt: NOON, durationMs: 3, outcome: 'timeout' as const }],
};

function putOff(scheduledFor: number): Parameters<typeof readmitted>[0] {
  const row = waitingRow(EACH_MINUTE, scheduledFor)!;
  return { ...row, dueAt: row.dueAt + PUT_OFF_MS, changedAt: null };
}

describe('a row that was put off comes back', () => {
  test('times until now are missed, with the reason, and the next one waits', () => {
    const { row, passed } = readmitted(putOff(NOON), EACH_MINUTE, SUSPENDED, NOW);
    assert.deepEqual(row, waitingRow(EACH_MINUTE, NOON + 3 * MINUTE));
    assert.deepEqual(
      passed.map(({ scheduledFor, status }) => [scheduledFor - NOON, status]),
      [0, MINUTE, 2 * MINUTE].map(at => [at, 'missed']),
    );
    assert.equal(
      passed[0]!.reason,
      'It passed while the client was suspended, from 2026-06-01T11:59:59.999Z to 2026-06-01T12:02:00.000Z.',
    );
  });

  test('times that had passed when it was suspended say so', () => {
    const { passed } = readmitted(putOff(NOON), EACH_MINUTE, NOON + MINUTE, NOW);
    assert.deepEqual(
      passed.map(({ reason }) => reason!.slice(0, 38)),
      [
        'It passed before the client was suspen',
        'It passed while the client was suspend',
        'It passed while the client was suspend',
      ],
    );
    assert.equal(
      passed[0]!.reason,
      'It passed before the client was suspended, at 2026-06-01T12:01:00.000Z, and had not begun.',
    );
    assert.deepEqual(new Set(passed.map(({ reason }) => causeIn(reason!))), new Set(['suspended']));
  });

  test('times of its new interval count from the change that took its request back', () => {
    const changed = { ...putOff(NOON), nextFor: NOON + 2 * MINUTE, changedAt: NOON + MINUTE };
    const { row, passed } = readmitted(changed, EACH_MINUTE, NOON + MINUTE + 1, NOW);
    assert.deepEqual(row, waitingRow(EACH_MINUTE, NOON + 3 * MINUTE));
    assert.deepEqual(
      passed.map(({ scheduledFor }) => scheduledFor - NOON),
      [2 * MINUTE],
    );
  });

  test('a time to come fires', () => {
    const at = NOON + 3 * MINUTE;
    assert.deepEqual(readmitted(putOff(at), EACH_MINUTE, SUSPENDED, NOW), {
      row: waitingRow(EACH_MINUTE, at),
      passed: [],
    });
  });

  test('a run that had begun goes on; the times that came meanwhile are missed', () => {
    const { row, passed } = readmitted(RETRYING, EACH_MINUTE, SUSPENDED, NOW);
    const { changedAt: _, ...retrying } = RETRYING;
    assert.deepEqual(row, { ...retrying, dueAt: NOW + RETURN_MS, nextFor: NOON + 3 * MINUTE });
    assert.deepEqual(
      passed.map(({ scheduledFor }) => scheduledFor - NOON),
      [MINUTE, 2 * MINUTE],
    );
  });

  test('of a schedule that was deleted no time is missed', () => {
    const { row, passed } = readmitted(
      RETRYING,
      { ...EACH_MINUTE, status: 'deleted' },
      SUSPENDED,
      NOW,
    );
    assert.deepEqual([row!.dueAt, row!.nextFor, passed], [NOW + RETURN_MS, NOON + MINUTE, []]);
  });

  test('a schedule that has no further time leaves the queue', () => {
    const leapDay = { ...EACH_MINUTE, interval: '0 0 29 2 *' };
    const at = Date.UTC(2400, 1, 29);
    const row = { ...putOff(NOON), scheduledFor: at, dueAt: at + PUT_OFF_MS, nextFor: null };
    assert.equal(readmitted(row, leapDay, NOON, Date.UTC(9999, 11, 31)).row, null);
  });
});
