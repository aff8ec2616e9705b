import { lowestIdAt } from '../../domain/id.ts';
import { type Row, RUN, SCHEDULE } from '../columns.ts';
import type { StatsStore } from '../contract/stats.ts';
import {
  breakerChangeFrom,
  changedFrom,
  countsFrom,
  endedFrom,
  failureFrom,
  groupedFrom,
  herdMemberFrom,
  historyFrom,
  isAheadSql,
  isOpenElsewhere,
  LATEST_RUNS,
  LONGEST_RUN_MS,
  MINUTE_MS,
  MOST_FAILED,
  MOST_LOOKED_AT,
  MOST_MISSED,
  manyRanges,
  minutesFrom,
  missedTimesFrom,
  openBreakerFrom,
  PASSED_MINUTE,
  STATE_BEFORE,
  soonestOf,
  stepSql,
  upcomingFrom,
} from '../rows/stats.ts';
import type { Query, Statement } from './connection.ts';
import { postgresFailedRuns } from './failed-runs.ts';

const counts: Statement = {
  name: 'figures_counts',
  text: `
    SELECT status, count(*) AS count FROM schedules
    WHERE client_key = $1 AND status = ANY ('{enabled,disabled}') GROUP BY status`,
};
/** It reads all of an index, once a minute: not worth a plan that is kept. */
const allCounts = `
  SELECT status, count(*) AS count FROM schedules
  WHERE status = ANY ('{enabled,disabled}') GROUP BY status`;
/** By a pattern, the host takes twice as long as all the rest. */
const HOST = `lower(split_part(split_part(split_part(
      substr(url, strpos(url, '://') + 3), '/', 1), '?', 1), '#', 1))`;
const groups: Statement = {
  name: 'figures_groups',
  text: `
    SELECT interval, timezone, timing, ${HOST} AS host,
      count(*) AS count, min(id) AS lowest_id
    FROM (
      SELECT id, interval, timezone, timing, url FROM schedules
      WHERE client_key = $1 AND status = 'enabled' AND id < $2 ORDER BY id DESC LIMIT $3) AS part
    GROUP BY 1, 2, 3, 4`,
};
const herd: Statement = {
  name: 'figures_herd',
  text: `
    SELECT id, external_id, interval, timezone, timing FROM schedules
    WHERE client_key = $1 AND status = 'enabled' AND interval = $2 AND ${HOST} = $3
      AND (timing IS NULL OR timing::json ->> 'windowSeconds' IS NULL)
    ORDER BY id DESC LIMIT $4`,
};
/** The nominal times tell the days to look in. */
const ended: Statement = {
  name: 'figures_ended',
  text: `
    SELECT finished_at / ${MINUTE_MS} AS minute, status,
      CASE WHEN manual_id = '' THEN ${stepSql('(started_at - scheduled_for)')} END AS step,
      ${PASSED_MINUTE} AS nominal, count(*) AS count
    FROM runs
    WHERE client_key = $1 AND finished_at IS NOT NULL AND finished_at >= $2 AND finished_at < $3
      AND scheduled_for >= $2::bigint - ${LONGEST_RUN_MS} AND scheduled_for <= $3
    GROUP BY 1, 2, 3, 4`,
};
/**
 * A record of what was missed or skipped may stand for many: these beyond the one that is counted above. `+ 0`
 * hides the index by the end of runs, in which it stands among all that succeeded.
 */
const beyond: Statement = {
  name: 'figures_beyond',
  text: `
    SELECT finished_at / ${MINUTE_MS} AS minute, status, NULL AS step, ${PASSED_MINUTE} AS nominal,
      sum((missed::json ->> 'count')::bigint - 1)::bigint AS count
    FROM runs
    WHERE keep = 'short' AND client_key = $1 AND status = $6 AND status <> 'succeeded'
      AND scheduled_for >= $2 AND scheduled_for < $3
      AND finished_at + 0 >= $4 AND finished_at + 0 < $5 AND missed IS NOT NULL
    GROUP BY 1, 2, 4`,
};
/** The key of each schedule that is asked for. As a join it reads all schedules of the client. */
const ASKED = `unnest($2::text[]) AS asked (asked_id) CROSS JOIN LATERAL (
      SELECT schedule_key AS key FROM schedules WHERE client_key = $1 AND id = asked_id
      OFFSET 0) AS owned`;
const history: Statement = {
  name: 'figures_history',
  text: `
    SELECT asked_id, step, status, missed, count
    FROM ${ASKED} CROSS JOIN LATERAL (
      SELECT (scheduled_for - $3::bigint) / $5::bigint AS step, status, missed, count(*) AS count
      FROM (
        SELECT scheduled_for, status, missed FROM runs
        WHERE schedule_key = key AND scheduled_for >= $3 AND scheduled_for < $4
        ORDER BY scheduled_for DESC LIMIT $6) AS newest
      GROUP BY 1, 2, 3) AS counted`,
};
const missedBefore: Statement = {
  name: 'figures_missed_before',
  text: `
    SELECT asked_id, scheduled_for, reason, missed
    FROM ${ASKED} CROSS JOIN LATERAL (
      SELECT scheduled_for, reason, missed FROM runs
      WHERE schedule_key = key AND scheduled_for < $3 AND manual_id = ''
      ORDER BY scheduled_for DESC LIMIT 1) AS last
    WHERE missed IS NOT NULL`,
};
const missed: Statement = {
  name: 'figures_missed',
  text: `
    SELECT scheduled_for, reason, missed FROM (
      SELECT scheduled_for, schedule_key, reason, missed FROM runs
      WHERE keep = 'short' AND client_key = $1 AND status = 'missed' AND status <> 'succeeded'
        AND scheduled_for >= $3 AND scheduled_for < $4
      ORDER BY scheduled_for DESC LIMIT ${MOST_MISSED}) AS looked
    WHERE schedule_key = (SELECT schedule_key FROM schedules WHERE client_key = $1 AND id = $2)
    ORDER BY scheduled_for DESC LIMIT $5`,
};
const failures: Statement = {
  name: 'figures_failures',
  text: `
    SELECT schedule_key, id, label, url, failures, last_failed_for
    FROM (
      SELECT schedule_key, count(*) AS failures, max(scheduled_for) AS last_failed_for
      FROM (
        SELECT schedule_key, scheduled_for FROM runs
        WHERE keep = 'long' AND client_key = $1 AND scheduled_for >= $2
        ORDER BY scheduled_for DESC LIMIT ${MOST_FAILED}) AS latest
      GROUP BY schedule_key) AS counted
    CROSS JOIN LATERAL (
      SELECT id, label, url FROM schedules
      WHERE schedules.schedule_key = counted.schedule_key AND status <> 'deleted'
      OFFSET 0) AS owned
    ORDER BY failures DESC, last_failed_for DESC LIMIT $3`,
};
/** In one statement: they are asked for every few seconds, and what fires needs the connections. */
const latest: Statement = {
  name: 'figures_latest',
  text: `
    SELECT wanted.schedule_key, status, attempts
    FROM unnest($1::bigint[]) AS wanted (schedule_key) CROSS JOIN LATERAL (
      SELECT scheduled_for, manual_id, status, CASE status WHEN 'failed' THEN attempts END AS attempts
      FROM runs
      WHERE runs.schedule_key = wanted.schedule_key AND status IN ('succeeded', 'failed')
      ORDER BY scheduled_for DESC, manual_id DESC LIMIT ${LATEST_RUNS}) AS latest
    ORDER BY scheduled_for DESC, manual_id DESC`,
};
const upcoming: Statement = {
  name: 'figures_upcoming',
  text: `
    SELECT id, label, url, state, due_at, scheduled_for
    FROM (
      SELECT schedule_key, state, due_at, scheduled_for FROM queue
      WHERE state <> 'inFlight' ORDER BY due_at, schedule_key LIMIT ${MOST_LOOKED_AT}) AS due
    CROSS JOIN LATERAL (
      SELECT id, label, url FROM schedules
      WHERE schedules.schedule_key = due.schedule_key AND client_key = $1
      OFFSET 0) AS owned
    WHERE state <> 'awaiting'
    ORDER BY due_at LIMIT $2`,
};
const upcomingOfFew: Statement = {
  name: 'figures_upcoming_of_few',
  text: `
    SELECT id, label, url, state, due_at, scheduled_for
    FROM (
      SELECT schedule_key, id, label, url FROM schedules
      WHERE client_key = $1 LIMIT ${MOST_LOOKED_AT}) AS owned
    CROSS JOIN LATERAL (
      SELECT ${STATE_BEFORE} AS state, due_at, scheduled_for FROM queue
      WHERE queue.schedule_key = owned.schedule_key
        AND (state NOT IN ('inFlight', 'awaiting') OR (state = 'inFlight' AND ${isAheadSql('$2')}))
      OFFSET 0) AS due
    ORDER BY due_at LIMIT $3`,
};
/** Few rows: what is in flight has a lease. */
const upcomingAhead: Statement = {
  name: 'figures_upcoming_ahead',
  text: `
    SELECT id, label, url, state, due_at, scheduled_for
    FROM (
      SELECT schedule_key, ${STATE_BEFORE} AS state, due_at, scheduled_for FROM queue
      WHERE state <> 'waiting' AND state = 'inFlight' AND lease_until IS NOT NULL
        AND ${isAheadSql('$2')}
      LIMIT ${MOST_LOOKED_AT}) AS ahead
    CROSS JOIN LATERAL (
      SELECT id, label, url FROM schedules
      WHERE schedules.schedule_key = ahead.schedule_key AND client_key = $1
      OFFSET 0) AS owned
    ORDER BY due_at LIMIT $3`,
};
const endedSince: Statement = {
  name: 'figures_ended_since',
  text: `
    WITH latest AS MATERIALIZED (
      SELECT ${RUN.list()} FROM runs
      WHERE client_key = $1 AND finished_at IS NOT NULL AND finished_at >= $2
        AND scheduled_for >= $2::bigint - ${LONGEST_RUN_MS}
      ORDER BY finished_at LIMIT $3)
    SELECT latest.*, schedules.id AS schedule_id
    FROM latest JOIN schedules ON schedules.schedule_key = latest.schedule_key
    ORDER BY finished_at`,
};
const madeSince: Statement = {
  name: 'figures_made_since',
  text: `SELECT ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id >= $2 ORDER BY id LIMIT $3`,
};
const changedSince: Statement = {
  name: 'figures_changed_since',
  text: `
    SELECT ${SCHEDULE.list()} FROM schedules
    WHERE client_key = $1 AND updated_at IS NOT NULL AND updated_at >= $2
    ORDER BY updated_at LIMIT $3`,
};
const openBreakers: Statement = {
  name: 'figures_open_breakers',
  text: `
    SELECT origin, min(since) AS since, min(opened_at) AS opened_at FROM breakers
    WHERE client_key = $1 AND closed_at IS NULL AND open_until > $2
    GROUP BY origin ORDER BY since LIMIT $3`,
};
const breakersSince: Statement = {
  name: 'figures_breakers_since',
  text: `
    SELECT id, origin, since, opened_at, 'opened' AS change, opened_at AS at FROM breakers
    WHERE client_key = $1 AND opened_at >= $2 AND NOT ${isOpenElsewhere('breakers.opened_at')}
    UNION ALL
    SELECT id, origin, since, opened_at, 'closed', closed_at FROM breakers
    WHERE client_key = $1 AND closed_at IS NOT NULL AND closed_at >= $2
      AND NOT ${isOpenElsewhere('breakers.closed_at')}
    ORDER BY at LIMIT $3`,
};

/** @param look for what may take a while; what is asked each second waits for nothing else */
export function postgresStats(query: Query, look: Query): StatsStore {
  async function upcomingWaiting(clientRowId: number, now: number, limit: number): Promise<Row[]> {
    const found = await query(upcoming, [clientRowId, limit]);
    if (found.length === limit) return found;
    const few = await query(upcomingOfFew, [clientRowId, now, limit]);
    return few.length > found.length ? few : found;
  }

  return {
    async counts(clientRowId) {
      return countsFrom(await look(counts, [clientRowId]));
    },
    async allCounts() {
      return countsFrom(await look(allCounts));
    },
    async groups(clientRowId, limit, before = '~') {
      return groupedFrom(await look(groups, [clientRowId, before, limit]), limit);
    },
    async herd(clientRowId, { interval, host }, limit) {
      return (await look(herd, [clientRowId, interval, host, limit])).map(herdMemberFrom);
    },
    async ended(clientRowId, from, to) {
      const rows = await look(ended, [clientRowId, from, to]);
      for (const many of manyRanges(rows)) {
        const range = [clientRowId, many.from, many.to, from, to, many.status];
        rows.push(...(await look(beyond, range)));
      }
      return minutesFrom(rows);
    },
    async history(clientRowId, ids, range, limit) {
      const { from, to, stepMs } = range;
      const idOf = (row: Row) => row.asked_id;
      const rows = await look(history, [clientRowId, ids, from, to, stepMs, limit]);
      const before = await look(missedBefore, [clientRowId, ids, from]);
      const [rowsOf, beforeOf] = [Map.groupBy(rows, idOf), Map.groupBy(before, idOf)];
      return ids.map(id => historyFrom(rowsOf.get(id) ?? [], beforeOf.get(id) ?? [], range));
    },
    async missed(clientRowId, id, from, to, limit) {
      const rows = await look(missed, [clientRowId, id, from, to, limit]);
      const [before] = await look(missedBefore, [clientRowId, [id], from]);
      return missedTimesFrom(before, rows, from);
    },
    ...postgresFailedRuns(look),
    async failures(clientRowId, from, limit) {
      const found = await look(failures, [clientRowId, from, limit]);
      const keys = found.map(row => row.schedule_key as number);
      const runs = Map.groupBy(await look(latest, [keys]), row => row.schedule_key);
      return found.map(row => failureFrom(row, runs.get(row.schedule_key) ?? []));
    },
    async upcoming(clientRowId, now, limit) {
      const waiting = (await upcomingWaiting(clientRowId, now, limit)).map(upcomingFrom);
      const ahead = await query(upcomingAhead, [clientRowId, now, limit]);
      return soonestOf(waiting, ahead.map(upcomingFrom), limit);
    },
    async endedSince(clientRowId, after, limit) {
      return (await query(endedSince, [clientRowId, after, limit])).map(endedFrom);
    },
    async changedSince(clientRowId, after, limit) {
      const made = await query(madeSince, [clientRowId, lowestIdAt(after), limit]);
      return changedFrom(made, await query(changedSince, [clientRowId, after, limit]), limit);
    },
    async openBreakers(clientRowId, now, limit) {
      return (await query(openBreakers, [clientRowId, now, limit])).map(openBreakerFrom);
    },
    async breakersSince(clientRowId, after, limit) {
      return (await query(breakersSince, [clientRowId, after, limit])).map(breakerChangeFrom);
    },
  };
}
