import { instantOf, tailOf } from '../../domain/id.ts';
import { type Cell, RUN } from '../columns.ts';
import type { RunFilter, RunStore } from '../contract/runs.ts';
import {
  RETENTION_CLASSES,
  type RetentionClass,
  retentionClassOf,
} from '../rows/retention-class.ts';
import { runViewFrom } from '../rows/row.ts';
import {
  AFTER_ALL_RUNS,
  callbackView,
  comparePositions,
  failuresBefore,
  isWithin,
  MOST_LOOKED_AT,
  type PositionedRun,
  PREVIOUS_RUNS,
  positionFrom,
  previousRunFrom,
  type RunPosition,
  rangeOf,
} from '../rows/runs.ts';
import { listTagged, type TaggedLook } from '../tagged-runs.ts';
import { marksOfAny } from '../tags.ts';
import {
  type Connections,
  parameters,
  type Query,
  type Statement,
  type Value,
} from './connection.ts';
import { postgresLiveRuns } from './live-runs.ts';
import { pruneHistory } from './partitions.ts';
import { ownedColumns } from './settle.ts';

/**
 * A page of ended runs, found in an index alone, and then their schedules' ids.
 *
 * `scheduled_for <= $5` follows from the comparison of places; it is what tells the days to look in.
 * `keep` is told one by one: of an array that is a parameter as a whole PostgreSQL rules no tables out, and
 * looks for failed runs among all that succeeded.
 */
const ended = (name: string, where: string): Statement => ({
  name,
  text: `
    WITH page AS MATERIALIZED (
      SELECT ${RUN.list()} FROM runs
      WHERE ${where} AND keep IN ($8::text, $9::text)
        AND scheduled_for >= $3::bigint AND scheduled_for < $4::bigint
        AND scheduled_for <= $5::bigint
        AND (scheduled_for, schedule_key, manual_id) < ($5, $6::bigint, $7::text)
      ORDER BY scheduled_for DESC, schedule_key DESC, manual_id DESC
      LIMIT $2
    )
    SELECT page.*, schedules.id AS schedule_id
    FROM page JOIN schedules ON schedules.schedule_key = page.schedule_key`,
});
const endedOfClient = ended('runs_of_client', 'client_key = $1');
const endedOfStatus = ended(
  'runs_of_status',
  "client_key = $1 AND status = $10 AND status <> 'succeeded'",
);
const endedWell = ended('runs_ended_well', 'client_key = $1 AND status = $10');
const endedOfSchedule = ended(
  'runs_of_schedule',
  `schedule_key = (SELECT schedule_key FROM schedules WHERE client_key = $1 AND id = $11)
    AND ($10::text IS NULL OR status = $10)`,
);
const endedFind: Statement = {
  name: 'runs_find',
  text: `
    SELECT ${RUN.list('runs.')}, schedules.id AS schedule_id
    FROM runs JOIN schedules ON schedules.schedule_key = runs.schedule_key
    WHERE runs.client_key = $1 AND runs.scheduled_for = $2 AND runs.schedule_key = $3
      AND runs.manual_id = $4`,
};

/** `keep` is told one by one, as above. */
const latest = (condition = '') => `
  FROM runs
  WHERE ${condition} runs.schedule_key = asked.schedule_key AND runs.client_key = asked.client_key
    AND runs.scheduled_for < asked.before AND runs.keep IN ('short', 'long')
  ORDER BY runs.scheduled_for DESC, runs.manual_id DESC`;
/** The last run of each, and the last one that succeeded: PostgreSQL reads no further than to it. */
const previous: Statement = {
  name: 'runs_previous',
  text: `
    SELECT last.status, last.scheduled_for, last.attempts, success.scheduled_for AS succeeded_for, n
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[])
      WITH ORDINALITY AS asked (client_key, schedule_key, before, is_success_asked, n)
    CROSS JOIN LATERAL (
      SELECT runs.status, runs.scheduled_for, runs.attempts ${latest()} LIMIT 1) AS last
    LEFT JOIN LATERAL (
      SELECT latest.scheduled_for
      FROM (SELECT runs.status, runs.scheduled_for
        ${latest('asked.is_success_asked = 1 AND')} LIMIT ${PREVIOUS_RUNS}) AS latest
      WHERE latest.status = 'succeeded'
      ORDER BY latest.scheduled_for DESC LIMIT 1) AS success ON true`,
};

/** The days that are looked in are told by the outer bound. */
const outcomes: Statement = {
  name: 'runs_outcomes',
  text: `
    SELECT n, status
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[])
      WITH ORDINALITY AS asked (client_key, schedule_key, since, most, n)
    CROSS JOIN LATERAL (
      SELECT status, scheduled_for, manual_id FROM (
        SELECT status, trigger, scheduled_for, manual_id FROM runs
        WHERE runs.schedule_key = asked.schedule_key AND runs.client_key = asked.client_key
          AND runs.scheduled_for >= greatest(asked.since, (
            SELECT max(changed_at) FROM schedule_changes
            WHERE schedule_changes.schedule_key = asked.schedule_key AND status <> 'enabled'))
          AND runs.scheduled_for >= $5::bigint
          AND runs.keep IN ('short', 'long')
        ORDER BY runs.scheduled_for DESC, runs.manual_id DESC LIMIT ${MOST_LOOKED_AT}) AS last
      WHERE trigger <> 'manual' AND status IN ('succeeded', 'failed')
      ORDER BY scheduled_for DESC, manual_id DESC LIMIT asked.most) AS outcome
    ORDER BY n, scheduled_for DESC, manual_id DESC`,
};

const callbacks: Statement = {
  name: 'runs_callbacks',
  text: `
    SELECT id, integration_id, url, state, attempt, attempts FROM outbox
    WHERE kind = 'callback' AND run_id = $1 AND client_key = $2 ORDER BY id`,
};

const scheduleKeyById: Statement = {
  name: 'runs_schedule_key',
  text: 'SELECT schedule_key FROM schedules WHERE client_key = $1 AND id = $2',
};
const tagged: Statement = {
  name: 'runs_tagged_schedules',
  text: `
    SELECT schedule_key FROM schedule_marks WHERE client_key = $1 AND mark = ANY ($2::text[])
    LIMIT $3`,
};
/** A schedule has its tags, or those of a deleted one: half of these marks. */
const having: Statement = {
  name: 'runs_schedules_having',
  text: `
    SELECT schedule_key, id FROM schedules
    WHERE schedule_key = ANY ($2::bigint[]) AND 2 * (
      SELECT count(*) FROM schedule_marks
      WHERE schedule_marks.client_key = $1 AND mark = ANY ($3::text[])
        AND schedule_marks.schedule_key = schedules.schedule_key) = cardinality($3)`,
};
/** The position of an id: of a manual run where there is one, else of its schedule. */
const position: Statement = {
  name: 'runs_place',
  text: `
    SELECT schedule_key, manual_id FROM (
      SELECT schedule_key, manual_id, 1 AS choice FROM runs
        WHERE manual_id <> '' AND manual_id = $2 AND client_key = $1 AND scheduled_for = $4
      UNION ALL
      SELECT schedule_key, id, 1 FROM outbox
        WHERE id = $2 AND client_key = $1 AND kind IS NOT DISTINCT FROM 'manual'
      UNION ALL
      SELECT schedule_key, '', 2 FROM schedules
        WHERE client_key = $1 AND substr(id, 15) = $3
    ) AS found ORDER BY choice LIMIT 1`,
};

/** Runs that have ended stand in `runs`; those that have not, in the queue and the outbox. */
export function postgresRuns(connections: Connections, look: Query): RunStore {
  const { query } = connections;
  const live = postgresLiveRuns(query);

  /** The position that an id stands for, whether or not a run stands there. */
  async function positionOf(clientRowId: number, id: string): Promise<RunPosition | null> {
    const scheduledFor = instantOf(id);
    if (Number.isNaN(scheduledFor)) return null;
    const [row] = await query(position, [clientRowId, id, tailOf(id), scheduledFor]);
    if (row === undefined) return { scheduledFor, scheduleRowId: 0, manualId: '' };
    return positionFrom({ ...row, scheduled_for: scheduledFor });
  }

  async function listEnded(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): Promise<PositionedRun[]> {
    const { from, to } = rangeOf(filter);
    const { statement, values } = endedBy(filter);
    const { scheduledFor, scheduleRowId, manualId } = before;
    const page = [clientRowId, limit, from, to, scheduledFor, scheduleRowId, manualId];
    const rows = await query(statement, [...page, ...keepsOf(filter), ...values]);
    return rows.map(row => ({ position: positionFrom(row), view: runViewFrom(row) }));
  }

  async function listLive(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): Promise<PositionedRun[]> {
    const { scheduleId } = filter;
    if (scheduleId === undefined) return live.list(clientRowId, filter, limit, before);
    const [row] = await query(scheduleKeyById, [clientRowId, scheduleId]);
    if (row === undefined) return [];
    const found = await live.of(clientRowId, row.schedule_key as number, filter.now);
    return found.filter(run => isWithin(run, filter));
  }

  /** Live runs are read first. So a run that ends in between is in both lists, and never in neither. */
  async function page(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): Promise<PositionedRun[]> {
    const begun = await listLive(clientRowId, filter, limit, before);
    const ended = await listEnded(clientRowId, filter, limit, before);
    const endedIds = new Set(ended.map(({ view }) => view.id));
    const going = begun.filter(
      ({ position, view }) => comparePositions(position, before) < 0 && !endedIds.has(view.id),
    );
    return [...ended, ...going]
      .sort((a, b) => comparePositions(b.position, a.position))
      .slice(0, limit);
  }

  async function pageStart(clientRowId: number, before?: string): Promise<RunPosition | null> {
    return before === undefined ? AFTER_ALL_RUNS : positionOf(clientRowId, before);
  }

  return {
    async list(clientRowId, filter, limit, beforeId) {
      const before = await pageStart(clientRowId, beforeId);
      if (before === null) return [];
      return (await page(clientRowId, filter, limit, before)).map(({ view }) => view);
    },
    async listTagged(clientRowId, filter, limit, beforeId) {
      const before = await pageStart(clientRowId, beforeId);
      if (before === null) return { runs: [], next: null };
      const by: TaggedLook = {
        page: (...asked) => page(clientRowId, ...asked),
        async tagged(tag, most) {
          const rows = await look(tagged, [clientRowId, marksOfAny([tag]), most]);
          return rows.map(row => row.schedule_key as number);
        },
        async having(keys, tags) {
          const rows = await look(having, [clientRowId, keys, marksOfAny(tags)]);
          return new Map(rows.map(row => [row.schedule_key as number, row.id as string]));
        },
      };
      return listTagged(by, filter, limit, before);
    },
    async find(clientRowId, id, now) {
      const position = await positionOf(clientRowId, id);
      if (position === null) return null;
      const { scheduledFor, scheduleRowId, manualId } = position;
      // Live runs are read first: a run that ends in between is in history by then.
      const going =
        manualId === ''
          ? await live.of(clientRowId, scheduleRowId, now)
          : [await live.manual(clientRowId, id)].filter(found => found !== null);
      const [row] = await query(endedFind, [clientRowId, scheduledFor, scheduleRowId, manualId]);
      return row ? runViewFrom(row) : (going.find(({ view }) => view.id === id)?.view ?? null);
    },
    async previous(queries) {
      const rows = await query(previous, [
        queries.map(({ clientRowId }) => clientRowId),
        queries.map(({ scheduleRowId }) => scheduleRowId),
        queries.map(({ before }) => before),
        queries.map(({ isSuccessAsked }) => Number(isSuccessAsked)),
      ]);
      const found = new Map(rows.map(row => [row.n, previousRunFrom(row)]));
      return queries.map((_, index) => found.get(index + 1) ?? {});
    },
    async failuresInRow(queries) {
      const rows = await query(outcomes, [
        queries.map(({ clientRowId }) => clientRowId),
        queries.map(({ scheduleRowId }) => scheduleRowId),
        queries.map(({ from }) => from),
        queries.map(({ most }) => most),
        Math.min(...queries.map(({ from }) => from)),
      ]);
      const found = Map.groupBy(rows, ({ n }) => n as number);
      return queries.map((_, index) =>
        failuresBefore((found.get(index + 1) ?? []).map(({ status }) => status as string)),
      );
    },
    async callbacks(clientRowId, id) {
      return (await query(callbacks, [id, clientRowId])).map(callbackView);
    },
    prune: limits => pruneHistory(connections, limits),
  };
}

/** The statement that finds the ended runs of a filter, and its values beyond those of the page. */
function endedBy({ scheduleId, status }: RunFilter): { statement: Statement; values: Value[] } {
  if (scheduleId !== undefined) {
    return { statement: endedOfSchedule, values: [status ?? null, scheduleId] };
  }
  if (status === undefined) return { statement: endedOfClient, values: [] };
  const statement = status === 'succeeded' || status === 'failed' ? endedWell : endedOfStatus;
  return { statement, values: [status] };
}

/** Two; for one status both are the same. */
function keepsOf({ status }: RunFilter): RetentionClass[] {
  return status === undefined
    ? RETENTION_CLASSES
    : [retentionClassOf(status), retentionClassOf(status)];
}

const RUN_ID = 'client_key, scheduled_for, schedule_key, manual_id';
/** The parameters of `runWriter`: the owner and the columns of each run, the first and the last time. */
export const RUN_PARAMETERS = 1 + RUN.width + 2;

/**
 * How history is written, by the queue and by the outbox alike: a part of the statement that settles,
 * beside `overtaken`, the numbers of the rows whose settlement does not count.
 *
 * A nominal time that comes again (a clock set back) keeps its first record: one id, one run. The unique index
 * holds that for one `keep` only. For the other one, the statement looks up each run in the days that the batch
 * spans. `OFFSET 0` keeps the planner from joining all with all, which took 300 ms for 500 runs instead of 10.
 * No two batches write one run at the same moment: each holds its row of the queue or the outbox.
 *
 * @param first the number of its first parameter; `RUN_PARAMETERS` follow, `runValues`
 */
export function runWriter(first: number): string {
  const columns = RUN.list();
  const times = first + 1 + RUN.width;
  return `given_runs AS (
      SELECT DISTINCT ON (${RUN_ID}) * FROM unnest(${parameters(first, ['integer', ...RUN.types])})
        WITH ORDINALITY AS given (owner, ${columns}, position)
      WHERE owner NOT IN (SELECT n FROM overtaken)
      ORDER BY ${RUN_ID}, position
    ), written_runs AS (
      INSERT INTO runs (keep, ${columns})
      SELECT CASE WHEN status = 'failed' THEN 'long' ELSE 'short' END, ${columns}
      FROM given_runs AS new
      WHERE NOT EXISTS (
        SELECT 1 FROM runs AS old
        WHERE old.keep = CASE WHEN new.status = 'failed' THEN 'short' ELSE 'long' END
          AND old.client_key = new.client_key AND old.scheduled_for = new.scheduled_for
          AND old.schedule_key = new.schedule_key AND old.manual_id = new.manual_id
          AND old.scheduled_for BETWEEN $${times}::bigint AND $${times + 1}::bigint
        OFFSET 0)
      ON CONFLICT DO NOTHING
    )`;
}

/** @param cells of the runs of each settlement, in the order of `RUN` */
export function runValues(cells: Cell[][][]): Value[] {
  const columns = ownedColumns(cells, RUN.width);
  const times = columns[1 + RUN.names.indexOf('scheduled_for')] as number[];
  const earliest = times.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER);
  const latest = times.reduce((a, b) => Math.max(a, b), Number.MIN_SAFE_INTEGER);
  return [...columns, earliest, latest];
}
