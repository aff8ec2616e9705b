import type { FailedRunStore } from '../contract/failed-runs.ts';
import { failedFrom, MOST_AFTER, recoveredFrom } from '../rows/failed-runs.ts';
import type { Query, Statement } from './connection.ts';

/** @param where the part of `runs` that has them, as `keep` tells it, and the status */
const failedBy = (name: string, where: string): Statement => ({
  name,
  text: `
    SELECT failed.*, schedules.id AS schedule_id, schedules.url
    FROM (
      SELECT scheduled_for, schedule_key, manual_id, status, attempts, reason, missed FROM runs
      WHERE ${where} AND client_key = $1 AND scheduled_for >= $2 AND scheduled_for < $3
      ORDER BY scheduled_for DESC LIMIT $4) AS failed
    JOIN schedules ON schedules.schedule_key = failed.schedule_key`,
});
const failed = failedBy('failed_runs', "keep = 'long'");
const missed = failedBy(
  'failed_runs_missed',
  "keep = 'short' AND status = 'missed' AND status <> 'succeeded'",
);
/** `keep` is told one by one, and the outer bound tells the days to look in. */
const recovered: Statement = {
  name: 'failed_runs_recovered',
  text: `
    SELECT n, schedules.status, success.scheduled_for AS succeeded_for
    FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS asked (id, last_for, n)
    JOIN schedules ON schedules.client_key = $1 AND schedules.id = asked.id
    LEFT JOIN LATERAL (
      SELECT scheduled_for FROM (
        SELECT runs.status, runs.scheduled_for FROM runs
        WHERE runs.schedule_key = schedules.schedule_key AND runs.keep IN ('short', 'long')
          AND runs.scheduled_for > asked.last_for AND runs.scheduled_for > $4::bigint
        ORDER BY runs.scheduled_for LIMIT ${MOST_AFTER}) AS later
      WHERE later.status = 'succeeded' ORDER BY scheduled_for LIMIT 1) AS success ON true`,
};

/** @param look for what may take a while */
export function postgresFailedRuns(look: Query): FailedRunStore {
  return {
    async failed(clientRowId, from, to, limit) {
      const range = [clientRowId, from, to, limit];
      return [...(await look(failed, range)), ...(await look(missed, range))].map(failedFrom);
    },
    async recovered(clientRowId, questions) {
      if (questions.length === 0) return [];
      const times = questions.map(({ lastFor }) => lastFor);
      const ids = questions.map(({ scheduleId }) => scheduleId);
      const rows = await look(recovered, [clientRowId, ids, times, Math.min(...times)]);
      const found = new Map(rows.map(row => [row.n, row]));
      return questions.map((_, index) => recoveredFrom(found.get(index + 1)));
    },
  };
}
