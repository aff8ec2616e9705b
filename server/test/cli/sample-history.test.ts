import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyOf } from '../../src/cli/seed.ts';
import { draftNew } from '../../src/domain/schedule/draft.ts';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';

/** The history that `punctual dev --seed` writes is decided as the engine decides. */

const MADE_AT = Date.parse('2026-11-24T11:59:50.500Z');
const MINUTE = 60_000;

function play(name: 'healthy' | 'flaky' | 'hanging', minutes: number, body = {}) {
  const given = { verb: 'GET' as const, interval: '0 * * * * *', timezone: 'UTC' };
  const url = `http://127.0.0.1:8080/sample/${name}`;
  const schedule = draftNew({ ...given, url, ...body }, MADE_AT, parseAllowTargets('*'));
  return historyOf(schedule, name, MADE_AT + minutes * MINUTE);
}
const minuteOf = (instant: number) => new Date(instant).toISOString().slice(11, 16);

describe('the history of a sample', () => {
  test('healthy: every time succeeded at the first attempt, none before its time', () => {
    const { records, row } = play('healthy', 60);
    assert.equal(records.length, 60);
    for (const { status, attempts, scheduledFor, startedAt } of records) {
      assert.deepEqual([status, attempts.length], ['succeeded', 1]);
      assert.ok(startedAt! >= scheduledFor && startedAt! < scheduledFor + 10);
    }
    assert.deepEqual([row!.state, minuteOf(row!.dueAt)], ['waiting', '13:00']);
  });

  test('flaky: one time in three needs a retry, and one in ten fails for good', () => {
    const { records } = play('flaky', 60, { policy: { maxRetries: 2 } });
    const told = (status: string, attempts: number) =>
      records
        .filter(run => run.status === status && run.attempts.length === attempts)
        .map(({ scheduledFor }) => new Date(scheduledFor).getUTCMinutes());
    assert.deepEqual(told('failed', 3), [0, 10, 20, 30, 40, 50]);
    assert.deepEqual(told('succeeded', 2).slice(0, 4), [3, 6, 9, 12]);
    assert.equal(told('succeeded', 1).length, 36);
    assert.equal(records.length, 60);
    const [first, second] = records[0]!.attempts;
    assert.ok(second!.startedAt - first!.startedAt >= 5_000);
    assert.equal(first!.error, 'The target answered 503.');
  });

  test('flaky: one that is between two attempts goes on with the next', () => {
    const { records, row } = play('flaky', 0.2, { policy: { maxRetries: 2 } });
    assert.deepEqual([records.length, row!.state, row!.attempt], [0, 'retrying', 1]);
  });

  test('hanging: the time limit passes, and the times meanwhile are skipped', () => {
    const policy = { timeoutSeconds: 90, maxRetries: 0 };
    const { records, row } = play('hanging', 10, { policy });
    assert.deepEqual(
      records.slice(0, 4).map(({ scheduledFor, status }) => [minuteOf(scheduledFor), status]),
      [
        ['12:01', 'skipped'],
        ['12:00', 'failed'],
        ['12:03', 'skipped'],
        ['12:02', 'failed'],
      ],
    );
    assert.match(records[1]!.attempts[0]!.error!, /^The time limit of 90 s passed/);
    assert.equal(records[0]!.decidedAt, records[1]!.finishedAt);
    // Its request would still hang: the engine decides about it.
    assert.deepEqual([row!.state, minuteOf(row!.dueAt)], ['waiting', '12:10']);
  });
});
