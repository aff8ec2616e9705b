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
import { isAheadSql, LONGEST_RUN_MS, STATE_BEFORE } from '../rows/stats.ts';
import type { Query, Statement } from './connection.ts';

/** The schedules that are asked about, by their keys. */
const asked = (ids: string) => `
  unnest(${ids}::text[]) AS asked (id) CROSS JOIN LATERAL (
    SELECT schedule_key FROM schedules WHERE client_key = $1 AND schedules.id = asked.id
    OFFSET 0) AS own`;

/** Of attempts only the last one of the latest run: they are long texts. */
const recent: Statement = {
  name: 'health_recent',
  text: `
    SELECT asked.id AS schedule_id, ${JUDGED.join(', ')}, position = 1 AS is_latest,
      CASE WHEN position = 1 THEN attempts::json -> -1 ->> 'responseStatus' END AS response_status,
      CASE WHEN position = 1 THEN attempts::json -> -1 ->> 'error' END AS error
    FROM ${asked('$2')} CROSS JOIN LATERAL (
      SELECT *, row_number() OVER (ORDER BY scheduled_for DESC, manual_id DESC) AS position FROM (
        SELECT ${JUDGED.join(', ')}, attempts FROM runs
        WHERE runs.schedule_key = own.schedule_key
        ORDER BY scheduled_for DESC, manual_id DESC LIMIT $3) AS newest) AS latest
    ORDER BY asked.id, position`,
};
const queued: Statement = {
  name: 'health_queued',
  text: `
    SELECT asked.id, due.* FROM ${asked('$2')} CROSS JOIN LATERAL (
      SELECT CASE WHEN state = 'inFlight' AND ${isAheadSql('$3')} THEN ${STATE_BEFORE}
          ELSE state END AS state, due_at, next_for
      FROM queue WHERE queue.schedule_key = own.schedule_key
      OFFSET 0) AS due`,
};
/** The days that are looked in are told by the outer bounds. */
const hours: Statement = {
  name: 'health_hours',
  text: `
    SELECT asked.id, counted.* FROM unnest($2::text[], $3::bigint[], $4::bigint[])
      AS asked (id, since, until)
    CROSS JOIN LATERAL (
      SELECT schedule_key FROM schedules WHERE client_key = $1 AND schedules.id = asked.id
      OFFSET 0) AS own
    CROSS JOIN LATERAL (
      SELECT scheduled_for / ${HOUR_MS} AS hour, status, count(*) AS count FROM (
        SELECT scheduled_for, status FROM runs
        WHERE runs.schedule_key = own.schedule_key
          AND scheduled_for >= asked.since AND scheduled_for < asked.until
          AND scheduled_for >= $5 AND scheduled_for < $6
        ORDER BY scheduled_for DESC LIMIT $7) AS newest
      GROUP BY 1, 2) AS counted`,
};
/** In the tables of runs that are kept long, all have failed. */
const failing: Statement = {
  name: 'health_failing',
  text: `
    WITH bad AS MATERIALIZED (
      (SELECT schedule_key FROM runs
        WHERE keep = 'long' AND client_key = $1 AND scheduled_for >= $2 AND scheduled_for < $3
        ORDER BY scheduled_for DESC LIMIT $4)
      UNION ALL
      (SELECT schedule_key FROM runs
        WHERE keep = 'short' AND client_key = $1 AND status = 'missed' AND status <> 'succeeded'
          AND scheduled_for >= $2 AND scheduled_for < $3
        ORDER BY scheduled_for DESC LIMIT $4)),
    counted AS MATERIALIZED (
      SELECT schedule_key, count(*) AS figure FROM bad GROUP BY schedule_key
      ORDER BY figure DESC, schedule_key DESC LIMIT $5)
    SELECT id, figure, (SELECT count(*) FROM bad) AS records
    FROM counted CROSS JOIN LATERAL (
      SELECT id FROM schedules WHERE schedules.schedule_key = counted.schedule_key
      OFFSET 0) AS owned
    ORDER BY figure DESC, schedule_key DESC`,
};
const slowest: Statement = {
  name: 'health_slowest',
  text: `
    WITH ended AS MATERIALIZED (
      SELECT schedule_key, started_at, finished_at FROM runs
      WHERE client_key = $1 AND finished_at IS NOT NULL AND finished_at >= $2 AND finished_at < $3
        AND scheduled_for >= $2::bigint - ${LONGEST_RUN_MS} AND scheduled_for <= $3
      ORDER BY finished_at DESC LIMIT $4),
    counted AS MATERIALIZED (
      SELECT schedule_key, max(finished_at - started_at) AS figure FROM ended
      WHERE started_at IS NOT NULL GROUP BY schedule_key
      ORDER BY figure DESC, schedule_key DESC LIMIT $5)
    SELECT owned.id, figure, read.records
    FROM (SELECT count(*) AS records FROM ended) AS read
    LEFT JOIN counted ON true
    LEFT JOIN LATERAL (
      SELECT id FROM schedules WHERE schedules.schedule_key = counted.schedule_key
      OFFSET 0) AS owned ON true
    ORDER BY figure DESC NULLS LAST, schedule_key DESC`,
};
const tags: Statement = {
  name: 'health_tags',
  text: `
    SELECT mark, count(*) AS count FROM (
      SELECT mark FROM schedule_marks
      WHERE client_key = $1 AND mark >= 'tag:' AND mark < 'tag;' LIMIT $2) AS looked
    WHERE mark LIKE 'tag:%:%' GROUP BY mark ORDER BY count DESC, mark LIMIT $3`,
};

/** @param look for what may take a while */
export function postgresHealth(query: Query, look: Query): HealthStore {
  return {
    async recent(clientRowId, ids, limit) {
      return (await look(recent, [clientRowId, ids, limit])).map(recentFrom);
    },
    async queued(clientRowId, ids, now) {
      return (await query(queued, [clientRowId, ids, now])).map(queuedFrom);
    },
    async hours(clientRowId, ranges, limit) {
      if (ranges.length === 0) return [];
      const [since, until] = [ranges.map(({ from }) => from), ranges.map(({ to }) => to)];
      const ids = ranges.map(({ scheduleId }) => scheduleId);
      const bounds = [Math.min(...since), Math.max(...until)];
      const rows = await look(hours, [clientRowId, ids, since, until, ...bounds, limit]);
      const found = Map.groupBy(rows, ({ id }: Row) => id as string);
      return ids.map(id => countedHoursFrom(id, found.get(id) ?? []));
    },
    async failing(clientRowId, { from, to, records }, most) {
      return rankedFrom(await look(failing, [clientRowId, from, to, records, most]));
    },
    async slowest(clientRowId, { from, to, records }, most) {
      return rankedFrom(await look(slowest, [clientRowId, from, to, records, most]));
    },
    async tags(clientRowId, looks, most) {
      return (await look(tags, [clientRowId, looks, most])).map(tagCountFrom);
    },
  };
}
