import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { HealthStore } from '../contract/health.ts';
import {
  countedHoursFrom,
  HOUR_MS,
  JUDGED,
  queuedFrom,
  rankedFrom,
  recentFrom,
  tagCountFrom,
} from '../rows/health.ts';
import { isAheadSql, STATE_BEFORE } from '../rows/stats.ts';

export function sqliteHealth(database: DatabaseSync): HealthStore {
  const key = database.prepare(
    'SELECT schedule_key FROM schedules WHERE client_key = ? AND id = ?',
  );
  const latest = (columns: string) =>
    database.prepare(`
      SELECT ${columns} FROM runs INDEXED BY runs_by_schedule
      WHERE schedule_key = ? ORDER BY scheduled_for DESC, manual_id DESC LIMIT ? + 0`);
  const recent = latest(JUDGED.join(', '));
  // Only of the latest: attempts are long texts.
  const answer = latest(`
    attempts ->> '$[#-1].responseStatus' AS response_status, attempts ->> '$[#-1].error' AS error`);
  const queued = database.prepare(`
    SELECT schedules.id AS id, CASE WHEN state = 'inFlight' AND ${isAheadSql(':now')} THEN ${STATE_BEFORE}
        ELSE state END AS state, due_at, next_for
    FROM json_each(:ids) AS asked CROSS JOIN schedules CROSS JOIN queue USING (schedule_key)
    WHERE schedules.client_key = :clientRowId AND schedules.id = asked.value`);
  const hours = database.prepare(`
    SELECT CAST(scheduled_for / ${HOUR_MS} AS INTEGER) AS hour, status, count(*) AS count
    FROM (
      SELECT scheduled_for, status FROM runs INDEXED BY runs_by_schedule
      WHERE schedule_key = ? AND scheduled_for >= ? AND scheduled_for < ?
      ORDER BY scheduled_for DESC LIMIT ? + 0)
    GROUP BY 1, 2`);
  const bad = (status: string) => `
    SELECT * FROM (
      SELECT schedule_key FROM runs INDEXED BY runs_by_status
      WHERE client_key = :clientRowId AND status = '${status}' AND status <> 'succeeded'
        AND scheduled_for >= :from AND scheduled_for < :to
      ORDER BY scheduled_for DESC LIMIT :records + 0)`;
  const failing = database.prepare(`
    WITH bad AS MATERIALIZED (${bad('failed')} UNION ALL ${bad('missed')}),
    counted AS MATERIALIZED (
      SELECT schedule_key, count(*) AS figure FROM bad GROUP BY schedule_key
      ORDER BY figure DESC, schedule_key DESC LIMIT :most + 0)
    SELECT id, figure, (SELECT count(*) FROM bad) AS records
    FROM counted CROSS JOIN schedules USING (schedule_key)
    ORDER BY figure DESC, schedule_key DESC`);
  const slowest = database.prepare(`
    WITH ended AS MATERIALIZED (
      SELECT schedule_key, started_at, finished_at FROM runs INDEXED BY runs_ended
      WHERE client_key = :clientRowId AND finished_at >= :from AND finished_at < :to
      ORDER BY finished_at DESC LIMIT :records + 0),
    counted AS MATERIALIZED (
      SELECT schedule_key, max(finished_at - started_at) AS figure FROM ended
      WHERE started_at IS NOT NULL GROUP BY schedule_key
      ORDER BY figure DESC, schedule_key DESC LIMIT :most + 0)
    SELECT id, figure, records
    FROM (SELECT count(*) AS records FROM ended)
    LEFT JOIN counted ON true LEFT JOIN schedules USING (schedule_key)
    ORDER BY figure DESC, schedule_key DESC`);
  const tags = database.prepare(`
    SELECT mark, count(*) AS count FROM (
      SELECT mark FROM schedule_marks
      WHERE client_key = ? AND mark >= 'tag:' AND mark < 'tag;' LIMIT ? + 0)
    WHERE mark GLOB 'tag:*:*' GROUP BY mark ORDER BY count DESC, mark LIMIT ? + 0`);

  function keyOf(clientRowId: number, id: string): number | null {
    return ((key.get(clientRowId, id) as Row | undefined)?.schedule_key as number) ?? null;
  }

  function recentOf(clientRowId: number, id: string, limit: number): Row[] {
    const own = keyOf(clientRowId, id);
    if (own === null) return [];
    const rows = recent.all(own, limit) as Row[];
    if (rows.length > 0) Object.assign(rows[0]!, answer.get(own, 1), { is_latest: 1 });
    return rows.map(row => ({ ...row, schedule_id: id }));
  }

  return {
    async recent(clientRowId, ids, limit) {
      return ids.flatMap(id => recentOf(clientRowId, id, limit)).map(recentFrom);
    },
    async queued(clientRowId, ids, now) {
      const rows = queued.all({ clientRowId, ids: JSON.stringify(ids), now }) as Row[];
      return rows.map(queuedFrom);
    },
    async hours(clientRowId, ranges, limit) {
      return ranges.map(({ scheduleId, from, to }) => {
        const own = keyOf(clientRowId, scheduleId);
        const rows = own === null ? [] : (hours.all(own, from, to, limit) as Row[]);
        return countedHoursFrom(scheduleId, rows);
      });
    },
    async failing(clientRowId, range, most) {
      return rankedFrom(failing.all({ clientRowId, ...range, most }) as Row[]);
    },
    async slowest(clientRowId, range, most) {
      return rankedFrom(slowest.all({ clientRowId, ...range, most }) as Row[]);
    },
    async tags(clientRowId, looks, most) {
      return (tags.all(clientRowId, looks, most) as Row[]).map(tagCountFrom);
    },
  };
}
