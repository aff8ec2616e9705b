import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { instantOf, tailOf } from '../../domain/id.ts';
import { type Cell, type Row, runViewFrom } from '../rows.ts';
import {
  AFTER_ALL,
  boundsOf,
  callbackView,
  comparePlaces,
  isWithin,
  type Place,
  type Placed,
  placeFrom,
} from '../run-rows.ts';
import type { RunFilter, RunStore } from '../store.ts';
import type { Commits } from './commit.ts';
import { sqliteLiveRuns } from './live-runs.ts';
import { sqlitePrune } from './prune.ts';

/** Runs that have ended stand in `runs`; those that have not, in the queue and the outbox. */
export function sqliteRuns(database: DatabaseSync, commits: Commits): RunStore {
  const live = sqliteLiveRuns(database);
  const prune = sqlitePrune(database);
  const ended = (where: string, by = '') =>
    database.prepare(`
      SELECT runs.*, schedules.id AS schedule_id
      FROM runs ${by} JOIN schedules USING (schedule_key)
      WHERE ${where} AND runs.scheduled_for >= :from AND runs.scheduled_for <= :upTo
        AND (runs.scheduled_for, runs.schedule_key, runs.manual_id)
          < (:scheduledFor, :scheduleKey, :manualId)
      ORDER BY runs.scheduled_for DESC, runs.schedule_key DESC, runs.manual_id DESC
      LIMIT :limit`);
  const endedOfClient = ended('runs.client_key = :clientKey');
  const endedWell = ended('runs.client_key = :clientKey AND runs.status = :status');
  // Few among many: without the name of its index, SQLite reads the whole history of the client.
  const endedOtherwise = ended(
    "runs.client_key = :clientKey AND runs.status = :status AND runs.status <> 'succeeded'",
    'INDEXED BY runs_by_status',
  );
  const endedOfSchedule = ended(`
    runs.schedule_key = (
      SELECT schedule_key FROM schedules WHERE client_key = :clientKey AND id = :scheduleId)
    AND (:status IS NULL OR runs.status = :status)`);
  const endedFind = database.prepare(`
    SELECT runs.*, schedules.id AS schedule_id FROM runs JOIN schedules USING (schedule_key)
    WHERE runs.client_key = ? AND scheduled_for = ? AND schedule_key = ? AND manual_id = ?`);

  const callbacks = database.prepare(
    "SELECT * FROM outbox WHERE kind = 'callback' AND run_id = ? AND client_key = ? ORDER BY id",
  );

  const manualKey = database.prepare(`
    SELECT schedule_key FROM runs
      WHERE manual_id <> '' AND manual_id = :id AND client_key = :clientKey
    UNION ALL
    SELECT schedule_key FROM outbox
      WHERE id = :id AND client_key = :clientKey AND kind = 'manual'`);
  const scheduleKeyById = database.prepare(
    'SELECT schedule_key FROM schedules WHERE client_key = ? AND id = ?',
  );
  const scheduleKeyByTail = database.prepare(
    'SELECT schedule_key FROM schedules WHERE client_key = ? AND substr(id, 15) = ?',
  );

  /** The place that an id stands for, whether or not a run stands there. */
  function placeOf(clientKey: number, id: string): Place {
    const scheduledFor = instantOf(id);
    const own = manualKey.get({ clientKey, id }) as Row | undefined;
    if (own) return { scheduledFor, scheduleKey: own.schedule_key as number, manualId: id };
    const row = scheduleKeyByTail.get(clientKey, tailOf(id)) as Row | undefined;
    return { scheduledFor, scheduleKey: (row?.schedule_key as number) ?? 0, manualId: '' };
  }

  function listEnded(clientKey: number, filter: RunFilter, limit: number, before: Place): Placed[] {
    const { scheduleId, status } = filter;
    const range = { clientKey, limit, ...before, ...boundsOf(filter, before) };
    const rows =
      scheduleId !== undefined
        ? endedOfSchedule.all({ ...range, scheduleId, status: status ?? null })
        : status !== undefined
          ? byStatus(status).all({ ...range, status })
          : endedOfClient.all(range);
    return (rows as Row[]).map(row => ({ place: placeFrom(row), view: runViewFrom(row) }));
  }

  function byStatus(status: string): StatementSync {
    return status === 'succeeded' ? endedWell : endedOtherwise;
  }

  function listLive(clientKey: number, filter: RunFilter, limit: number, before: Place): Placed[] {
    const { scheduleId } = filter;
    if (scheduleId === undefined) return live.list(clientKey, filter, limit, before);
    const row = scheduleKeyById.get(clientKey, scheduleId) as Row | undefined;
    if (row === undefined) return [];
    const found = live.of(clientKey, row.schedule_key as number, filter.now);
    return found.filter(run => isWithin(run, filter));
  }

  return {
    async list(clientKey, filter, limit, beforeId) {
      const before = beforeId === undefined ? AFTER_ALL : placeOf(clientKey, beforeId);
      const going = listLive(clientKey, filter, limit, before).filter(
        ({ place }) => comparePlaces(place, before) < 0,
      );
      return [...listEnded(clientKey, filter, limit, before), ...going]
        .sort((a, b) => comparePlaces(b.place, a.place))
        .slice(0, limit)
        .map(({ view }) => view);
    },
    async find(clientKey, id, now) {
      const { scheduledFor, scheduleKey, manualId } = placeOf(clientKey, id);
      const row = endedFind.get(clientKey, scheduledFor, scheduleKey, manualId) as Row | undefined;
      if (row) return runViewFrom(row);
      if (manualId !== '') return live.manual(clientKey, id)?.view ?? null;
      const going = live.of(clientKey, scheduleKey, now);
      return going.find(({ view }) => view.id === id)?.view ?? null;
    },
    async callbacks(clientKey, id) {
      return (callbacks.all(id, clientKey) as Row[]).map(callbackView);
    },
    prune: limits => commits.write(() => prune(limits)),
  };
}

/** How history is written, by the queue and by the outbox alike. */
export function runWriter(database: DatabaseSync) {
  // A nominal time that comes again (a clock set back) keeps its first record: one id, one run.
  const insert = database.prepare(`
    INSERT INTO runs (client_key, scheduled_for, schedule_key, manual_id, trigger, status,
      started_at, finished_at, attempts, reason, missed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  return (cells: Cell[]): void => {
    insert.run(...cells);
  };
}
