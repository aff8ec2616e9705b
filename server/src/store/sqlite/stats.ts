import type { DatabaseSync } from 'node:sqlite';
import { lowestIdAt } from '../../domain/id.ts';
import { hostOf } from '../../domain/schedule/target.ts';
import type { Row } from '../columns.ts';
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
import { sqliteFailedRuns } from './failed-runs.ts';

export function sqliteStats(database: DatabaseSync): StatsStore {
  database.function('host_of', { deterministic: true }, url => hostOf(String(url)));

  const counts = database.prepare(`
    SELECT status, count(*) AS count FROM schedules INDEXED BY schedules_by_status
    WHERE client_key = ? AND status IN ('enabled', 'disabled') GROUP BY status`);
  const allCounts = database.prepare(`
    SELECT status, count(*) AS count FROM schedules INDEXED BY schedules_by_status
    WHERE status IN ('enabled', 'disabled') GROUP BY status`);
  const groups = database.prepare(`
    SELECT interval, timezone, timing, host_of(url) AS host, count(*) AS count, min(id) AS lowest_id
    FROM (
      SELECT id, interval, timezone, timing, url FROM schedules INDEXED BY schedules_by_status
      WHERE client_key = ? AND status = 'enabled' AND id < ? ORDER BY id DESC LIMIT ? + 0)
    GROUP BY 1, 2, 3, 4`);
  const herd = database.prepare(`
    SELECT id, external_id, interval, timezone, timing
    FROM schedules INDEXED BY schedules_by_status
    WHERE client_key = ? AND status = 'enabled' AND interval = ? AND host_of(url) = ?
      AND (timing IS NULL OR timing ->> 'windowSeconds' IS NULL)
    ORDER BY id DESC LIMIT ? + 0`);
  const ended = database.prepare(`
    SELECT finished_at / ${MINUTE_MS} AS minute, status,
      CASE WHEN manual_id = '' THEN ${stepSql('(started_at - scheduled_for)')} END AS step,
      ${PASSED_MINUTE} AS nominal, count(*) AS count
    FROM runs INDEXED BY runs_ended
    WHERE client_key = ? AND finished_at >= ? AND finished_at < ?
    GROUP BY 1, 2, 3, 4`);
  // A record of what was missed or skipped may stand for many: these beyond the one that is counted above.
  const beyond = database.prepare(`
    SELECT finished_at / ${MINUTE_MS} AS minute, status, NULL AS step, ${PASSED_MINUTE} AS nominal,
      sum((missed ->> 'count') - 1) AS count
    FROM runs INDEXED BY runs_by_status
    WHERE client_key = :clientRowId AND status = :status AND status <> 'succeeded'
      AND scheduled_for >= :nominalFrom AND scheduled_for < :nominalTo
      AND finished_at >= :from AND finished_at < :to AND missed IS NOT NULL
    GROUP BY 1, 4`);
  const history = database.prepare(`
    SELECT CAST((scheduled_for - :from) / :stepMs AS INTEGER) AS step, status, missed, count(*) AS count
    FROM (
      SELECT scheduled_for, status, missed FROM runs INDEXED BY runs_by_schedule
      WHERE schedule_key = (SELECT schedule_key FROM schedules WHERE client_key = :clientRowId AND id = :id)
        AND scheduled_for >= :from AND scheduled_for < :to
      ORDER BY scheduled_for DESC LIMIT :limit + 0)
    GROUP BY 1, 2, 3`);
  const missedBefore = database.prepare(`
    SELECT scheduled_for, reason, missed FROM (
      SELECT scheduled_for, reason, missed FROM runs INDEXED BY runs_by_schedule
      WHERE schedule_key = (SELECT schedule_key FROM schedules WHERE client_key = ? AND id = ?)
        AND scheduled_for < ? AND manual_id = ''
      ORDER BY scheduled_for DESC LIMIT 1)
    WHERE missed IS NOT NULL`);
  // The index holds the key of the schedule as well: of other schedules no row is read.
  const missed = database.prepare(`
    SELECT runs.scheduled_for, reason, missed FROM (
      SELECT client_key, scheduled_for, schedule_key, manual_id
      FROM runs INDEXED BY runs_by_status
      WHERE client_key = :clientRowId AND status = 'missed' AND status <> 'succeeded'
        AND scheduled_for >= :from AND scheduled_for < :to
      ORDER BY scheduled_for DESC LIMIT ${MOST_MISSED}) AS looked
    CROSS JOIN runs USING (client_key, scheduled_for, schedule_key, manual_id)
    WHERE schedule_key = (SELECT schedule_key FROM schedules WHERE client_key = :clientRowId AND id = :id)
    ORDER BY looked.scheduled_for DESC LIMIT :limit + 0`);
  const failures = database.prepare(`
    SELECT schedule_key, id, label, url, count(*) AS failures,
      max(scheduled_for) AS last_failed_for
    FROM (
      SELECT schedule_key, scheduled_for FROM runs INDEXED BY runs_by_status
      WHERE client_key = ? AND status = 'failed' AND status <> 'succeeded' AND scheduled_for >= ?
      ORDER BY scheduled_for DESC LIMIT ${MOST_FAILED})
    JOIN schedules USING (schedule_key)
    WHERE schedules.status <> 'deleted'
    GROUP BY schedule_key ORDER BY failures DESC, last_failed_for DESC LIMIT ? + 0`);
  const latest = database.prepare(`
    SELECT status, CASE status WHEN 'failed' THEN attempts END AS attempts
    FROM runs INDEXED BY runs_by_schedule
    WHERE schedule_key = ? AND status IN ('succeeded', 'failed')
    ORDER BY scheduled_for DESC, manual_id DESC LIMIT ${LATEST_RUNS}`);
  const upcoming = database.prepare(`
    SELECT id, label, url, state, due_at, scheduled_for
    FROM (
      SELECT * FROM queue INDEXED BY queue_due
      WHERE state <> 'inFlight' ORDER BY due_at LIMIT ${MOST_LOOKED_AT})
    CROSS JOIN schedules USING (schedule_key)
    WHERE client_key = ? AND state <> 'awaiting' ORDER BY due_at LIMIT ? + 0`);
  const upcomingOfFew = database.prepare(`
    SELECT id, label, url, ${STATE_BEFORE} AS state, due_at, scheduled_for
    FROM (SELECT * FROM schedules WHERE client_key = :clientRowId LIMIT ${MOST_LOOKED_AT})
    CROSS JOIN queue USING (schedule_key)
    WHERE state NOT IN ('inFlight', 'awaiting') OR (state = 'inFlight' AND ${isAheadSql(':now')})
    ORDER BY due_at LIMIT :limit + 0`);
  // Few rows: what is in flight.
  const upcomingAhead = database.prepare(`
    SELECT id, label, url, ${STATE_BEFORE} AS state, due_at, scheduled_for
    FROM (
      SELECT * FROM queue INDEXED BY queue_in_flight
      WHERE state = 'inFlight' AND ${isAheadSql(':now')}
      LIMIT ${MOST_LOOKED_AT})
    CROSS JOIN schedules USING (schedule_key)
    WHERE client_key = :clientRowId ORDER BY due_at LIMIT :limit + 0`);
  const endedSince = database.prepare(`
    SELECT runs.*, schedules.id AS schedule_id
    FROM runs INDEXED BY runs_ended CROSS JOIN schedules USING (schedule_key)
    WHERE runs.client_key = ? AND finished_at >= ?
    ORDER BY finished_at LIMIT ? + 0`);
  const madeSince = database.prepare(
    'SELECT * FROM schedules WHERE client_key = ? AND id >= ? ORDER BY id LIMIT ? + 0',
  );
  const changedSince = database.prepare(`
    SELECT * FROM schedules INDEXED BY schedules_updated
    WHERE client_key = ? AND updated_at >= ? ORDER BY updated_at LIMIT ? + 0`);
  const openBreakers = database.prepare(`
    SELECT origin, min(since) AS since, min(opened_at) AS opened_at
    FROM breakers INDEXED BY breakers_open
    WHERE client_key = ? AND closed_at IS NULL AND open_until > ?
    GROUP BY origin ORDER BY since LIMIT ? + 0`);
  const breakersSince = database.prepare(`
    SELECT id, origin, since, opened_at, 'opened' AS change, opened_at AS at
    FROM breakers INDEXED BY breakers_opened
    WHERE client_key = :clientRowId AND opened_at >= :after AND NOT ${isOpenElsewhere('breakers.opened_at')}
    UNION ALL
    SELECT id, origin, since, opened_at, 'closed', closed_at
    FROM breakers INDEXED BY breakers_closed
    WHERE client_key = :clientRowId AND closed_at >= :after AND NOT ${isOpenElsewhere('breakers.closed_at')}
    ORDER BY at LIMIT :limit + 0`);

  function upcomingWaiting(clientRowId: number, now: number, limit: number): Row[] {
    const found = upcoming.all(clientRowId, limit) as Row[];
    if (found.length === limit) return found;
    const few = upcomingOfFew.all({ clientRowId, now, limit }) as Row[];
    return few.length > found.length ? few : found;
  }

  return {
    async counts(clientRowId) {
      return countsFrom(counts.all(clientRowId) as Row[]);
    },
    async allCounts() {
      return countsFrom(allCounts.all() as Row[]);
    },
    async groups(clientRowId, limit, before = '~') {
      return groupedFrom(groups.all(clientRowId, before, limit) as Row[], limit);
    },
    async herd(clientRowId, { interval, host }, limit) {
      return (herd.all(clientRowId, interval, host, limit) as Row[]).map(herdMemberFrom);
    },
    async ended(clientRowId, from, to) {
      const rows = ended.all(clientRowId, from, to) as Row[];
      const others = manyRanges(rows).flatMap(({ status, from: nominalFrom, to: nominalTo }) => {
        const range = { clientRowId, status, from, to, nominalFrom, nominalTo };
        return beyond.all(range) as Row[];
      });
      return minutesFrom([...rows, ...others]);
    },
    async history(clientRowId, ids, range, limit) {
      return ids.map(id => {
        const rows = history.all({ clientRowId, id, limit, ...range }) as Row[];
        const before = missedBefore.all(clientRowId, id, range.from) as Row[];
        return historyFrom(rows, before, range);
      });
    },
    async missed(clientRowId, id, from, to, limit) {
      const rows = missed.all({ clientRowId, id, from, to, limit }) as Row[];
      const before = missedBefore.get(clientRowId, id, from) as Row | undefined;
      return missedTimesFrom(before, rows, from);
    },
    ...sqliteFailedRuns(database),
    async failures(clientRowId, from, limit) {
      const found = failures.all(clientRowId, from, limit) as Row[];
      return found.map(row => failureFrom(row, latest.all(row.schedule_key as number) as Row[]));
    },
    async upcoming(clientRowId, now, limit) {
      const waiting = upcomingWaiting(clientRowId, now, limit).map(upcomingFrom);
      const ahead = upcomingAhead.all({ clientRowId, now, limit }) as Row[];
      return soonestOf(waiting, ahead.map(upcomingFrom), limit);
    },
    async endedSince(clientRowId, after, limit) {
      return (endedSince.all(clientRowId, after, limit) as Row[]).map(endedFrom);
    },
    async changedSince(clientRowId, after, limit) {
      const made = madeSince.all(clientRowId, lowestIdAt(after), limit) as Row[];
      return changedFrom(made, changedSince.all(clientRowId, after, limit) as Row[], limit);
    },
    async openBreakers(clientRowId, now, limit) {
      return (openBreakers.all(clientRowId, now, limit) as Row[]).map(openBreakerFrom);
    },
    async breakersSince(clientRowId, after, limit) {
      const found = breakersSince.all({ clientRowId, after, limit }) as Row[];
      return found.map(breakerChangeFrom);
    },
  };
}
