import type { DatabaseSync } from 'node:sqlite';
import type { Schedule } from '../../domain/schedule.ts';
import { fold, type Row, scheduleFrom } from '../rows.ts';
import type { Listed, ScheduleFilter, ScheduleStore } from '../store.ts';
import { isSearch, LOOKED_AT, wantedFrom } from '../texts.ts';
import type { Texts } from './texts.ts';

/** Schedules one by one where there are few, or many that match; by their texts where there are not. */
export function sqliteScheduleList(database: DatabaseSync, texts: Texts): ScheduleStore['list'] {
  // SQLite's own lower() knows ASCII only.
  database.function('fold', { deterministic: true }, text => fold(String(text)));

  const list = (status: string) =>
    database.prepare(`
      SELECT * FROM schedules INDEXED BY ${status === '' ? 'schedules_by_client' : 'schedules_by_status'}
      WHERE client_key = :clientKey AND id < :before
        AND id >= :downTo AND ${status || "status <> 'deleted'"}
        AND (:label IS NULL OR ${contains('label', ':label')})
        AND (:url IS NULL OR ${contains('url', ':url')})
      ORDER BY id DESC LIMIT :limit`);
  const listAll = list('');
  const listByStatus = list('status = :status');
  /** The id up to which a search looks at schedules one by one. */
  const edge = (index: string, status: string) =>
    database.prepare(`
      SELECT id FROM schedules INDEXED BY ${index}
      WHERE client_key = :clientKey AND id < :before ${status}
      ORDER BY id DESC LIMIT 1 OFFSET ${LOOKED_AT - 1}`);
  const edgeOfAll = edge('schedules_by_client', '');
  const edgeOfStatus = edge('schedules_by_status', 'AND status = :status');

  function listDirectly(
    clientKey: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
    downTo: string,
  ): Schedule[] {
    const { status } = filter;
    const query = { clientKey, before, downTo, limit, ...wantedFrom(filter, fold) };
    const rows = status === undefined ? listAll.all(query) : listByStatus.all({ ...query, status });
    return (rows as Row[]).map(scheduleFrom);
  }

  function search(
    clientKey: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
  ): Listed {
    const { status } = filter;
    const range = { clientKey, before };
    const last =
      status === undefined ? edgeOfAll.get(range) : edgeOfStatus.get({ ...range, status });
    const downTo = last === undefined ? '' : (last.id as string);
    const newest = listDirectly(clientKey, filter, limit, before, downTo);
    if (downTo === '' || newest.length === limit) return { schedules: newest, next: null };
    const { schedules, next } = texts.find(clientKey, filter, limit - newest.length, downTo);
    return { schedules: [...newest, ...schedules], next };
  }

  return async (clientKey, filter, limit, before = '~') =>
    isSearch(filter)
      ? search(clientKey, filter, limit, before)
      : { schedules: listDirectly(clientKey, filter, limit, before, ''), next: null };
}

/**
 * Whether a column contains a folded text, in any case. Where both are ASCII, which upper() folds as
 * we do, it is done without leaving SQLite: a fifth of the time, where a million are looked through.
 */
function contains(column: string, text: string): string {
  return `CASE WHEN ${column} NOT GLOB '*[^ -~]*'
    THEN instr(upper(${column}), ${text}) > 0 ELSE instr(fold(${column}), ${text}) > 0 END`;
}
