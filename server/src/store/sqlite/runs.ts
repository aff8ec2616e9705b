import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { instantOf, tailOf } from '../../domain/id.ts';
import { type Cell, type Row, RUN } from '../columns.ts';
import type { RunFilter, RunStore } from '../contract/runs.ts';
import { runViewFrom } from '../rows/row.ts';
import {
  AFTER_ALL_RUNS,
  boundsOf,
  callbackView,
  comparePositions,
  isWithin,
  type PositionedRun,
  positionFrom,
  type RunPosition,
} from '../rows/runs.ts';
import type { GroupCommit } from './group-commit.ts';
import { sqliteLiveRuns } from './live-runs.ts';
import { sqlitePrune } from './prune.ts';

/** Runs that have ended stand in `runs`; those that have not, in the queue and the outbox. */
export function sqliteRuns(database: DatabaseSync, commits: GroupCommit): RunStore {
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
      LIMIT :limit`);
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

  return {
    async list(clientRowId, filter, limit, beforeId) {
      const before = beforeId === undefined ? AFTER_ALL_RUNS : positionOf(clientRowId, beforeId);
      const going = listLive(clientRowId, filter, limit, before).filter(
        ({ position }) => comparePositions(position, before) < 0,
      );
      return [...listEnded(clientRowId, filter, limit, before), ...going]
        .sort((a, b) => comparePositions(b.position, a.position))
        .slice(0, limit)
        .map(({ view }) => view);
    },
    async find(clientRowId, id, now) {
      const { scheduledFor, scheduleRowId, manualId } = positionOf(clientRowId, id);
      const row = endedFind.get(clientRowId, scheduledFor, scheduleRowId, manualId) as
        | Row
        | undefined;
      if (row) return runViewFrom(row);
      if (manualId !== '') return live.manual(clientRowId, id)?.view ?? null;
      const going = live.of(clientRowId, scheduleRowId, now);
      return going.find(({ view }) => view.id === id)?.view ?? null;
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
