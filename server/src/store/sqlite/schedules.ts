import type { DatabaseSync } from 'node:sqlite';
import { type Start, startBeyond, WRITTEN_WITHIN_MS } from '../../domain/run/start.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { CHANGED_SCHEDULE, type Row, SCHEDULE } from '../columns.ts';
import type { Requeue, ScheduleStore } from '../contract/schedules.ts';
import { scheduleAtFrom } from '../rows/schedule-at.ts';
import type { GroupCommit } from './group-commit.ts';
import type { GroupRead } from './group-read.ts';
import {
  type NewCells,
  newCells,
  type ScheduleRows,
  scheduleReader,
  scheduleWriter,
  searchedTextsOf,
} from './schedule-codec.ts';
import { sqliteScheduleList } from './schedule-list.ts';
import { sqliteSearchIndex } from './search-index.ts';

export function sqliteSchedules(
  database: DatabaseSync,
  commits: GroupCommit,
  reads: GroupRead,
): ScheduleStore & ScheduleRows {
  const texts = sqliteSearchIndex(database, commits);

  const write = scheduleWriter(database);
  const read = scheduleReader(database);
  const update = database.prepare(`
    UPDATE schedules SET version = version + 1, ${CHANGED_SCHEDULE.assignments(() => '?')}
    WHERE client_key = ? AND id = ? AND version = ?
    RETURNING schedule_key`);
  const keepChange = database.prepare(`
    INSERT INTO schedule_changes (schedule_key, changed_at, interval, timezone, status)
    SELECT schedule_key, ?, interval, timezone, status FROM schedules
    WHERE client_key = ? AND id = ? AND version = ?
    ON CONFLICT DO NOTHING`);
  const findAt = database.prepare(`
    SELECT schedules.*, later.changed_at AS held_until, later.interval AS held_interval,
      later.timezone AS held_timezone, later.status AS held_status,
      (SELECT max(changed_at) FROM schedule_changes
        WHERE schedule_key = schedules.schedule_key AND changed_at <= :at) AS held_since,
      queue.scheduled_for, queue.attempt
    FROM schedules
    LEFT JOIN queue USING (schedule_key)
    LEFT JOIN schedule_changes AS later ON later.schedule_key = schedules.schedule_key
      AND later.changed_at = (SELECT min(changed_at) FROM schedule_changes
        WHERE schedule_key = schedules.schedule_key AND changed_at > :at)
    WHERE client_key = :clientRowId AND id = :id`);
  const queueInsert = database.prepare(`
    INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for, blocked_since)
    VALUES (:key, 'waiting', :first, :first, :second, (
      SELECT claimed_at FROM outbox
      WHERE schedule_key = :key AND kind = 'manual' AND state = 'inFlight'))
    ON CONFLICT (schedule_key) DO UPDATE SET due_at = :first, scheduled_for = :first,
      next_for = :second, changed_at = NULL WHERE state = 'waiting'`);
  const queueRemoveWaiting = database.prepare(
    "DELETE FROM queue WHERE schedule_key = ? AND state = 'waiting'",
  );
  // `changed_at` is part of the fence: two changes within one millisecond are two.
  const queueMarkBegun = database.prepare(`
    UPDATE queue SET changed_at = max(:changedAt, coalesce(changed_at + 1, 0)), next_for = :first,
      due_at = iif(state = 'inFlight', due_at, min(due_at, coalesce(:first, :changedAt)))
    WHERE schedule_key = :key AND state <> 'waiting'`);
  const firedFor = database.prepare(`
    SELECT max(time) AS time FROM (
      SELECT max(scheduled_for) AS time FROM runs WHERE schedule_key = :key AND manual_id = ''
        AND scheduled_for BETWEEN :first AND :first + ${WRITTEN_WITHIN_MS}
      UNION ALL SELECT scheduled_for FROM queue
        WHERE schedule_key = :key AND attempts IS NOT NULL)`);
  const endManual = database.prepare(`
    UPDATE outbox SET due_at = min(due_at, ?)
    WHERE schedule_key = ? AND kind = 'manual' AND state = 'waiting'`);

  function requeue(key: number, change: Exclude<Requeue, 'keep'>, schedule: Schedule): void {
    const { changedAt } = change;
    const start = openStart(key, change.start, schedule);
    queueMarkBegun.run({ key, first: start?.first ?? null, changedAt });
    if (start) queueInsert.run({ key, ...start });
    else queueRemoveWaiting.run(key);
    if (schedule.status === 'deleted') endManual.run(changedAt, key);
  }

  function openStart(key: number, start: Start | null, schedule: Schedule): Start | null {
    if (start === null) return null;
    const { time } = firedFor.get({ key, first: start.first }) as Row;
    return startBeyond(start, time as number | null, schedule);
  }

  function insertCells(clientRowId: number, schedules: NewCells[]): Promise<void> {
    return commits.write(() => {
      const keys = schedules.map(schedule => write(clientRowId, schedule));
      texts.made(clientRowId, schedules.map(searchedTextsOf), keys);
    });
  }

  return {
    insert: (clientRowId, schedules) => insertCells(clientRowId, schedules.map(newCells)),
    insertCells,
    find(clientRowId, id) {
      return reads.read(() => {
        const row = read(clientRowId, id);
        return row ? { schedule: SCHEDULE.fromRow(row), version: row.version as number } : null;
      });
    },
    update(clientRowId, schedule, version, change) {
      return commits.write(() => {
        if (change !== 'keep') keepChange.run(change.changedAt, clientRowId, schedule.id, version);
        texts.changed(clientRowId, schedule, version);
        const row = update.get(
          ...CHANGED_SCHEDULE.cells(schedule),
          clientRowId,
          schedule.id,
          version,
        ) as Row | undefined;
        if (!row) return false;
        if (change !== 'keep') requeue(row.schedule_key as number, change, schedule);
        return true;
      });
    },
    list: sqliteScheduleList(database, texts),
    async findAt(clientRowId, id, at) {
      const row = findAt.get({ clientRowId, id, at }) as Row | undefined;
      return row ? scheduleAtFrom(row) : null;
    },
  };
}
