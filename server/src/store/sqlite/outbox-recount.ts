import type { DatabaseSync } from 'node:sqlite';
import { outboxDueAnew, outboxPlaceOf } from '../outbox-rows.ts';
import type { OutboxStore } from '../queue.ts';
import type { Row } from '../rows.ts';
import type { GroupCommit } from './group-commit.ts';

/** Entries of one call. */
const RECOUNTED_AT_ONCE = 1_000;

export function outboxRecount(
  database: DatabaseSync,
  commits: GroupCommit,
): OutboxStore['recount'] {
  const putOff = database.prepare(`
    SELECT outbox.id, due_at, attempts, policy
    FROM outbox LEFT JOIN schedules
      ON kind = 'manual' AND schedules.schedule_key = outbox.schedule_key
    WHERE state = 'waiting' AND due_at > :now AND (due_at, outbox.id) > (:dueAt, :id)
    ORDER BY due_at, outbox.id LIMIT ${RECOUNTED_AT_ONCE}`);
  const bringForward = database.prepare('UPDATE outbox SET due_at = ? WHERE id = ?');

  return (now, after) =>
    commits.write(() => {
      const { dueAt, id } = after ?? { dueAt: now, id: '' };
      const rows = putOff.all({ now, dueAt, id }) as Row[];
      for (const row of rows) {
        const due = outboxDueAnew(row, now);
        if (due !== row.due_at) bringForward.run(due, row.id!);
      }
      return outboxPlaceOf(rows.at(-1));
    });
}
