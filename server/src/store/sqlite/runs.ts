import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { instantOf, tailOf } from '../../domain/id.ts';
import type { PreviousRun } from '../../domain/schedule/template/names.ts';
import { type Cell, type Row, RUN } from '../columns.ts';
import type { PreviousRunQuery, RunFilter, RunStore, RunView } from '../contract/runs.ts';
import { runViewFrom } from '../rows/row.ts';
import {
  AFTER_ALL_RUNS,
  boundsOf,
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
} from '../rows/runs.ts';
import { listTagged } from '../tagged-runs.ts';
import { marksOfAny } from '../tags.ts';
import type { GroupCommit } from './group-commit.ts';
import type { GroupRead } from './group-read.ts';
import { sqliteLiveRuns } from './live-runs.ts';
import { sqlitePrune } from './prune.ts';

/**
 * Runs that have ended stand in `runs`; those that have not, in the queue and the outbox. One look reads both from one state:
 * a run that the writing thread moves meanwhile would stand in neither, or in both.
 */
export function sqliteRuns(
  database: DatabaseSync,
  commits: GroupCommit,
  reads: GroupRead,
): RunStore {
  const live = sqliteLiveRuns(database);
  const prune = sqlitePrune(database);
  const ended = (where: string, by = '') =>
    database.prepare(`
      SELECT runs.*, schedules.id AS schedule_id
      FROM runs ${by} JOIN schedules USING (schedule_key)
      WHERE ${where} AND runs.scheduled_for >= :from AND runs.scheduled_for <= :upTo
        AND (runs.scheduled_for, runs.schedule_key, runs.manual_id)
          < (:scheduledFor, :scheduleRowId, :manualId)
      ORDER BY runs.scheduled_for DESC, runs.schedule_key DESC, runs.manual_id DESC
      LIMIT :limit + 0`);
  const endedOfClient = ended('runs.client_key = :clientRowId');
  const endedWell = ended('runs.client_key = :clientRowId AND runs.status = :status');
  // Few among many: without the name of its index, SQLite reads the whole history of the client.
  const endedOtherwise = ended(
    "runs.client_key = :clientRowId AND runs.status = :status AND runs.status <> 'succeeded'",
    'INDEXED BY runs_by_status',
  );
  const endedOfSchedule = ended(`
    runs.schedule_key = (
      SELECT schedule_key FROM schedules WHERE client_key = :clientRowId AND id = :scheduleId)
    AND (:status IS NULL OR runs.status = :status)`);
  const endedFind = database.prepare(`
    SELECT runs.*, schedules.id AS schedule_id FROM runs JOIN schedules USING (schedule_key)
    WHERE runs.client_key = ? AND scheduled_for = ? AND schedule_key = ? AND manual_id = ?`);

  const taggedKeys = database.prepare(`
    SELECT schedule_key FROM schedule_marks
    WHERE client_key = ? AND mark IN (SELECT value FROM json_each(?)) LIMIT ? + 0`);
  // A schedule has its tags, or those of a deleted one: half of these marks.
  const having = database.prepare(`
    SELECT schedule_key, schedules.id FROM json_each(:keys) AS asked CROSS JOIN schedules
    WHERE schedule_key = asked.value AND 2 * (
      SELECT count(*) FROM schedule_marks
      WHERE schedule_marks.client_key = :clientRowId
        AND mark IN (SELECT value FROM json_each(:marks))
        AND schedule_marks.schedule_key = asked.value) = json_array_length(:marks)`);

  const latest = `
    FROM runs INDEXED BY runs_by_schedule
    WHERE schedule_key = :scheduleRowId AND client_key = :clientRowId AND scheduled_for < :before
    ORDER BY scheduled_for DESC, manual_id DESC`;
  const previous = database.prepare(`SELECT status, scheduled_for, attempts ${latest} LIMIT 1`);
  // Read one by one until one has succeeded: most often it is the first.
  const endings = database.prepare(`
    SELECT status, scheduled_for ${latest} LIMIT ${PREVIOUS_RUNS}`);

  const outcomes = database.prepare(`
    SELECT status FROM (
      SELECT status, trigger, scheduled_for, manual_id FROM runs INDEXED BY runs_by_schedule
      WHERE schedule_key = :scheduleRowId AND client_key = :clientRowId
        AND scheduled_for >= max(:from, coalesce((
          SELECT max(changed_at) FROM schedule_changes
          WHERE schedule_key = :scheduleRowId AND status <> 'enabled'), :from))
      ORDER BY scheduled_for DESC, manual_id DESC LIMIT ${MOST_LOOKED_AT})
    WHERE trigger <> 'manual' AND status IN ('succeeded', 'failed')
    ORDER BY scheduled_for DESC, manual_id DESC LIMIT :most + 0`);

  const callbacks = database.prepare(
    "SELECT * FROM outbox WHERE kind = 'callback' AND run_id = ? AND client_key = ? ORDER BY id",
  );

  const manualKey = database.prepare(`
    SELECT schedule_key FROM runs
      WHERE manual_id <> '' AND manual_id = :id AND client_key = :clientRowId
    UNION ALL
    SELECT schedule_key FROM outbox
      WHERE id = :id AND client_key = :clientRowId AND kind = 'manual'`);
  const scheduleKeyById = database.prepare(
    'SELECT schedule_key FROM schedules WHERE client_key = ? AND id = ?',
  );
  const scheduleKeyByTail = database.prepare(
    'SELECT schedule_key FROM schedules WHERE client_key = ? AND substr(id, 15) = ?',
  );

  /** The position that an id stands for, whether or not a run stands there. */
  function positionOf(clientRowId: number, id: string): RunPosition {
    const scheduledFor = instantOf(id);
    const own = manualKey.get({ clientRowId, id }) as Row | undefined;
    if (own) return { scheduledFor, scheduleRowId: own.schedule_key as number, manualId: id };
    const row = scheduleKeyByTail.get(clientRowId, tailOf(id)) as Row | undefined;
    return { scheduledFor, scheduleRowId: (row?.schedule_key as number) ?? 0, manualId: '' };
  }

  function listEnded(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): PositionedRun[] {
    const { scheduleId, status } = filter;
    const range = { clientRowId, limit, ...before, ...boundsOf(filter, before) };
    const rows =
      scheduleId !== undefined
        ? endedOfSchedule.all({ ...range, scheduleId, status: status ?? null })
        : status !== undefined
          ? byStatus(status).all({ ...range, status })
          : endedOfClient.all(range);
    return (rows as Row[]).map(row => ({ position: positionFrom(row), view: runViewFrom(row) }));
  }

  function byStatus(status: string): StatementSync {
    return status === 'succeeded' ? endedWell : endedOtherwise;
  }

  function listLive(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): PositionedRun[] {
    const { scheduleId } = filter;
    if (scheduleId === undefined) return live.list(clientRowId, filter, limit, before);
    const row = scheduleKeyById.get(clientRowId, scheduleId) as Row | undefined;
    if (row === undefined) return [];
    const found = live.of(clientRowId, row.schedule_key as number, filter.now);
    return found.filter(run => isWithin(run, filter));
  }

  function page(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): PositionedRun[] {
    const going = listLive(clientRowId, filter, limit, before).filter(
      ({ position }) => comparePositions(position, before) < 0,
    );
    return [...listEnded(clientRowId, filter, limit, before), ...going]
      .sort((a, b) => comparePositions(b.position, a.position))
      .slice(0, limit);
  }

  function findOne(clientRowId: number, id: string, now: number | undefined): RunView | null {
    const { scheduledFor, scheduleRowId, manualId } = positionOf(clientRowId, id);
    const key = [clientRowId, scheduledFor, scheduleRowId, manualId];
    const row = endedFind.get(...key) as Row | undefined;
    if (row) return runViewFrom(row);
    if (manualId !== '') return live.manual(clientRowId, id)?.view ?? null;
    const going = live.of(clientRowId, scheduleRowId, now);
    return going.find(({ view }) => view.id === id)?.view ?? null;
  }

  function previousOf({ isSuccessAsked, ...at }: PreviousRunQuery): PreviousRun {
    const row = previous.get(at) as Row | undefined;
    if (row === undefined) return {};
    return previousRunFrom(isSuccessAsked ? { ...row, succeeded_for: succeededFor(at) } : row);
  }

  function succeededFor(at: Omit<PreviousRunQuery, 'isSuccessAsked'>): Cell {
    for (const row of endings.iterate(at) as Iterable<Row>) {
      if (row.status === 'succeeded') return row.scheduled_for!;
    }
    return null;
  }

  return {
    list: (clientRowId, filter, limit, beforeId) =>
      reads.readWhole(() => {
        const before = beforeId === undefined ? AFTER_ALL_RUNS : positionOf(clientRowId, beforeId);
        return page(clientRowId, filter, limit, before).map(({ view }) => view);
      }),
    listTagged(clientRowId, filter, limit, beforeId) {
      const look = {
        page: (...asked: [RunFilter, number, RunPosition]) =>
          reads.readWhole(() => page(clientRowId, ...asked)),
        async tagged(tag: string, most: number) {
          const marks = JSON.stringify(marksOfAny([tag]));
          const rows = taggedKeys.all(clientRowId, marks, most) as Row[];
          return rows.map(row => row.schedule_key as number);
        },
        async having(keys: number[], tags: string[]) {
          const marks = JSON.stringify(marksOfAny(tags));
          const rows = having.all({ clientRowId, keys: JSON.stringify(keys), marks }) as Row[];
          return new Map(rows.map(row => [row.schedule_key as number, row.id as string]));
        },
      };
      const before = beforeId === undefined ? AFTER_ALL_RUNS : positionOf(clientRowId, beforeId);
      return listTagged(look, filter, limit, before);
    },
    find: (clientRowId, id, now) => reads.readWhole(() => findOne(clientRowId, id, now)),
    async previous(queries) {
      return queries.map(previousOf);
    },
    async failuresInRow(queries) {
      return queries.map(query =>
        failuresBefore((outcomes.all({ ...query }) as Row[]).map(({ status }) => status as string)),
      );
    },
    async callbacks(clientRowId, id) {
      return (callbacks.all(id, clientRowId) as Row[]).map(callbackView);
    },
    prune: limits => commits.write(() => prune(limits)),
  };
}

/** How history is written, by the queue and by the outbox alike. */
export function runWriter(database: DatabaseSync) {
  // A nominal time that comes again (a clock set back) keeps its first record: one id, one run.
  const insert = database.prepare(`
    INSERT INTO runs (${RUN.list()}) VALUES (${RUN.marks()})
    ON CONFLICT DO NOTHING`);
  return (cells: Cell[]): void => {
    insert.run(...cells);
  };
}
