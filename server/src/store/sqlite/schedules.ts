import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { IdempotentCall } from '../contract/idempotency.ts';
import type { ScheduleStore } from '../contract/schedules.ts';
import { idsOf, listByHost } from '../listing.ts';
import { namedFrom } from '../rows/named-schedule.ts';
import { scheduleAtFrom, statesFrom } from '../rows/schedule-at.ts';
import { idsWithTag } from '../tags.ts';
import type { GroupCommit } from './group-commit.ts';
import type { GroupRead } from './group-read.ts';
import { idempotentCalls } from './idempotency.ts';
import { scheduleChanges } from './schedule-changes.ts';
import {
  type NewCells,
  newCells,
  type ScheduleRows,
  scheduleReader,
  scheduleWriter,
  searchedTextsOf,
  versionedFrom,
} from './schedule-codec.ts';
import { sqliteScheduleList } from './schedule-list.ts';
import { scheduleMarks } from './schedule-marks.ts';
import { sqliteSearchIndex } from './search-index.ts';

export function sqliteSchedules(
  database: DatabaseSync,
  commits: GroupCommit,
  reads: GroupRead,
): ScheduleStore & ScheduleRows {
  const texts = sqliteSearchIndex(database, commits);
  const marks = scheduleMarks(database);
  const calls = idempotentCalls(database);

  const write = scheduleWriter(database, marks);
  const read = scheduleReader(database);
  const readByExternalId = scheduleReader(
    database,
    "client_key = ? AND external_id = ? AND status <> 'deleted'",
  );
  const all = database.prepare(`
    SELECT schedules.* FROM json_each(?) CROSS JOIN schedules
    WHERE client_key = ? AND schedules.id = json_each.value`);
  const names = database.prepare(`
    SELECT schedules.id, label, url FROM json_each(?) CROSS JOIN schedules
    WHERE client_key = ? AND schedules.id = json_each.value`);
  const findAt = database.prepare(`
    SELECT schedules.*, later.changed_at AS held_until, later.interval AS held_interval,
      later.timezone AS held_timezone, later.status AS held_status, later.timing AS held_timing,
      (SELECT max(changed_at) FROM schedule_changes
        WHERE schedule_key = schedules.schedule_key AND changed_at <= :at) AS held_since,
      queue.scheduled_for, queue.attempt
    FROM schedules
    LEFT JOIN queue USING (schedule_key)
    LEFT JOIN schedule_changes AS later ON later.schedule_key = schedules.schedule_key
      AND later.changed_at = (SELECT min(changed_at) FROM schedule_changes
        WHERE schedule_key = schedules.schedule_key AND changed_at > :at)
    WHERE client_key = :clientRowId AND id = :id`);
  const present = database.prepare('SELECT * FROM schedules WHERE client_key = ? AND id = ?');
  const changesBetween = database.prepare(`
    SELECT * FROM schedule_changes
    WHERE schedule_key = :key
      AND changed_at >= coalesce((SELECT max(changed_at) FROM schedule_changes
        WHERE schedule_key = :key AND changed_at <= :from), :from)
      AND changed_at <= coalesce((SELECT min(changed_at) FROM schedule_changes
        WHERE schedule_key = :key AND changed_at > :to), :to)
    ORDER BY changed_at DESC LIMIT :limit + 0`);
  function insertCells(
    clientRowId: number,
    schedules: NewCells[],
    call?: IdempotentCall,
  ): Promise<boolean> {
    return commits.write(() => {
      if (call !== undefined && calls.isKept(clientRowId, call)) return false;
      const keys = schedules.map(schedule => write(clientRowId, schedule));
      const made = schedules.map(searchedTextsOf);
      if (call !== undefined) {
        calls.keep(
          clientRowId,
          call,
          made.map(({ id }) => id),
        );
      }
      texts.made(clientRowId, made, keys);
      return true;
    });
  }

  const list = listByHost(sqliteScheduleList(database, texts));
  return {
    insert: (clientRowId, schedules, call) =>
      insertCells(clientRowId, schedules.map(newCells), call),
    insertCells,
    find: (clientRowId, id) => reads.read(() => read(clientRowId, id)),
    findByExternalId: (clientRowId, externalId) =>
      reads.read(() => readByExternalId(clientRowId, externalId)),
    async findAll(clientRowId, ids) {
      return (all.all(JSON.stringify([...new Set(ids)]), clientRowId) as Row[]).map(versionedFrom);
    },
    async names(clientRowId, ids) {
      const rows = names.all(JSON.stringify([...new Set(ids)]), clientRowId) as Row[];
      return rows.map(namedFrom);
    },
    idsWithTag: (clientRowId, tag, limit) => idsWithTag(list, clientRowId, tag, limit),
    ...scheduleChanges(database, commits, texts, marks),
    list,
    ids: (...asked) => idsOf(list, ...asked),
    async findAt(clientRowId, id, at) {
      const row = findAt.get({ clientRowId, id, at }) as Row | undefined;
      return row ? scheduleAtFrom(row) : null;
    },
    async statesBetween(clientRowId, id, from, to, limit) {
      const row = present.get(clientRowId, id) as Row | undefined;
      if (row === undefined) return [];
      const range = { key: row.schedule_key as number, from, to, limit };
      return statesFrom(row, changesBetween.all(range) as Row[], { from, to, limit });
    },
  };
}
