import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { FailedRunStore } from '../contract/failed-runs.ts';
import { failedFrom, MOST_AFTER, recoveredFrom } from '../rows/failed-runs.ts';

export function sqliteFailedRuns(database: DatabaseSync): FailedRunStore {
  const failed = database.prepare(`
    SELECT failed.*, schedules.id AS schedule_id, schedules.url
    FROM (
      SELECT scheduled_for, schedule_key, manual_id, status, attempts, reason, missed
      FROM runs INDEXED BY runs_by_status
      WHERE client_key = :clientRowId AND status = :status AND status <> 'succeeded'
        AND scheduled_for >= :from AND scheduled_for < :to
      ORDER BY scheduled_for DESC LIMIT :limit + 0) AS failed
    CROSS JOIN schedules USING (schedule_key)`);
  const recovered = database.prepare(`
    SELECT status, (
      SELECT scheduled_for FROM (
        SELECT scheduled_for, status FROM runs INDEXED BY runs_by_schedule
        WHERE runs.schedule_key = schedules.schedule_key AND scheduled_for > :lastFor
        ORDER BY scheduled_for LIMIT ${MOST_AFTER})
      WHERE status = 'succeeded' ORDER BY scheduled_for LIMIT 1) AS succeeded_for
    FROM schedules WHERE client_key = :clientRowId AND id = :scheduleId`);

  return {
    async failed(clientRowId, from, to, limit) {
      return ['failed', 'missed'].flatMap(status => {
        const rows = failed.all({ clientRowId, status, from, to, limit }) as Row[];
        return rows.map(failedFrom);
      });
    },
    async recovered(clientRowId, questions) {
      return questions.map(({ scheduleId, lastFor }) =>
        recoveredFrom(recovered.get({ clientRowId, scheduleId, lastFor }) as Row | undefined),
      );
    },
  };
}
