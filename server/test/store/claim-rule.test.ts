import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { mayBegin, type QueueRow } from '../../src/domain/run/queue-row.ts';
import { claimRule } from '../../src/store/claim-rule.ts';

/** Instants around `NOW` and `UNSEEN_UNTIL`, so that each comparison has both sides and its limit. */
const [NOW, UNSEEN_UNTIL] = [20, 10];
const STATES = ['waiting', 'retrying', 'lost', 'awaiting'] as const;
const TIMES = [9, 10, 11, 19, 20, 21, 22];

type RuledRow = Pick<QueueRow, 'state' | 'dueAt' | 'scheduledFor' | 'nextFor'> & {
  changedAt: number | null;
  blockedSince: number | null;
};

function* rows(): Generator<RuledRow> {
  for (const state of STATES)
    for (const dueAt of TIMES)
      for (const scheduledFor of TIMES)
        for (const nextFor of [null, ...TIMES])
          for (const [changedAt, blockedSince] of [[null, null] as const, [1, null], [null, 1]])
            yield {
              state,
              dueAt,
              scheduledFor,
              nextFor,
              changedAt: changedAt!,
              blockedSince: blockedSince!,
            };
}

test('the SQL of a claim begins the rows that the domain says may begin', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(
    'CREATE TABLE queue (state TEXT, due_at, scheduled_for, next_for, changed_at, blocked_since)',
  );
  const { begins } = claimRule({ now: `${NOW}`, unseenUntil: `${UNSEEN_UNTIL}` });
  const insert = database.prepare('INSERT INTO queue VALUES (?, ?, ?, ?, ?, ?)');
  const select = database.prepare(`SELECT (${begins}) AS begins FROM queue ORDER BY rowid`);
  const all = [...rows()];
  for (const { state, dueAt, scheduledFor, nextFor, changedAt, blockedSince } of all) {
    insert.run(state, dueAt, scheduledFor, nextFor, changedAt, blockedSince);
  }
  const expected = all.map(row => {
    const isFree = row.changedAt === null && row.blockedSince === null;
    return Number(isFree && mayBegin(row, Math.max(NOW, row.dueAt), UNSEEN_UNTIL));
  });
  assert.deepEqual(
    select.all().map(row => row.begins),
    expected,
  );
  database.close();
});
