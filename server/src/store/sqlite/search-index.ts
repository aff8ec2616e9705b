import type { DatabaseSync } from 'node:sqlite';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { type Row, SCHEDULE } from '../columns.ts';
import type { ListedSchedules, ScheduleFilter } from '../contract/schedules.ts';
import { fold } from '../rows/row.ts';
import {
  ENTRIES,
  MOST_TOGETHER,
  ROWS_APART,
  SEPARATOR,
  type SearchedTexts,
  SMALL,
  SmallInserts,
  sealTexts,
  searchTermsFrom,
  textsOf,
} from '../search-index.ts';
import type { GroupCommit } from './group-commit.ts';

export interface SearchIndex {
  /** As the last part of the write that makes them; written when the transaction of all writes ends. */
  made(clientRowId: number, schedules: SearchedTexts[], keys: number[]): void;
  /** Within the transaction that changes it, and before the schedule itself is changed. */
  changed(clientRowId: number, schedule: Schedule, version: number): void;
  /** As `ScheduleStore.list` with a label or a url: newest first, ids below `before` only. */
  find(clientRowId: number, filter: ScheduleFilter, limit: number, before: string): ListedSchedules;
}

export function sqliteSearchIndex(database: DatabaseSync, commits: GroupCommit): SearchIndex {
  database.function('sealed', { deterministic: true }, text => sealTexts(String(text)));
  const insert = database.prepare(`
    INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const small = database.prepare(`
    SELECT text_key, entries FROM schedule_texts INDEXED BY schedule_texts_small
    WHERE client_key = ? AND entries < ${SMALL} AND changed_key IS NULL LIMIT ${MOST_TOGETHER}`);
  const putTogether = database.prepare(`
    INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
    SELECT client_key, min(first_id), max(last_id), sum(entries),
      group_concat(labels, char(1)), group_concat(urls, char(1)), group_concat(keys)
    FROM json_each(?) CROSS JOIN schedule_texts ON text_key = json_each.value`);
  const remove = database.prepare(
    'DELETE FROM schedule_texts WHERE text_key IN (SELECT value FROM json_each(?))',
  );
  const change = database.prepare(`
    INSERT INTO schedule_texts
      (client_key, first_id, last_id, entries, labels, urls, keys, changed_key)
    SELECT client_key, id, id, 1, sealed(:label), sealed(:url), schedule_key, schedule_key
    FROM schedules
    WHERE client_key = :clientRowId AND id = :id AND version = :version
      AND (label <> :label OR url <> :url)
    ON CONFLICT (changed_key) WHERE changed_key IS NOT NULL DO UPDATE SET labels = excluded.labels, urls = excluded.urls`);
  const hits = database.prepare(`
    SELECT last_id, labels, urls, keys
    FROM schedule_texts INDEXED BY schedule_texts_by_client
    WHERE client_key = :clientRowId AND first_id < :before
      AND (:label IS NULL OR instr(labels, :label) > 0)
      AND (:url IS NULL OR instr(urls, :url) > 0)
    ORDER BY last_id DESC`);
  const candidates = database.prepare(`
    SELECT schedules.* FROM json_each(:keys) CROSS JOIN schedules
    WHERE schedule_key = json_each.value AND client_key = :clientRowId AND schedules.id < :before
      AND iif(:status IS NULL, status <> 'deleted', status = :status)`);
  const few = new SmallInserts();

  // Creates of one commit, each of a schedule, make one row together: alone they took 25 µs each.
  let pending = new Map<number, { schedules: SearchedTexts[]; keys: number[] }>();
  commits.beforeCommit(() => {
    if (pending.size === 0) return;
    const made = pending;
    // Texts of a transaction that failed are written with the next one. Texts of schedules that do not exist do
    // no harm.
    pending = new Map();
    for (const [clientRowId, { schedules, keys }] of made) write(clientRowId, schedules, keys);
  });

  function write(clientRowId: number, schedules: SearchedTexts[], keys: number[]): void {
    for (const [index, [first, last, labels, urls]] of textsOf(schedules).entries()) {
      const own = keys.slice(index * ENTRIES, (index + 1) * ENTRIES);
      insert.run(clientRowId, first, last, own.length, labels, urls, own.join());
    }
    if (few.add(clientRowId, schedules.length)) putFewTogether(clientRowId);
  }

  function putFewTogether(clientRowId: number): void {
    const keys: number[] = [];
    let entries = 0;
    for (const row of small.iterate(clientRowId) as Iterable<Row>) {
      keys.push(row.text_key as number);
      entries += row.entries as number;
      if (entries >= MOST_TOGETHER) break;
    }
    if (entries < SMALL) return;
    putTogether.run(JSON.stringify(keys));
    remove.run(JSON.stringify(keys));
  }

  return {
    made(clientRowId, schedules, keys) {
      const made = pending.get(clientRowId) ?? { schedules: [], keys: [] };
      made.schedules.push(...schedules);
      made.keys.push(...keys);
      pending.set(clientRowId, made);
    },
    changed(clientRowId, { id, label, url }, version) {
      change.run({ clientRowId, id, version, label, url });
    },
    // Row by row, so that nothing is read behind the last that is wanted; all in one snapshot, since
    // the first statement stays open.
    find(clientRowId, filter, limit, before) {
      const wanted = searchTermsFrom(filter, sealTexts);
      const isWanted = comparison(filter);
      let [found, apart]: [Schedule[], number] = [[], 0];
      for (const row of hits.iterate({ clientRowId, before, ...wanted }) as Iterable<Row>) {
        const last = row.last_id as string;
        if (found.length === limit && found.at(-1)!.id > last) break;
        apart += 1;
        // No row from here on knows a schedule above its last one.
        const isFar = apart > ROWS_APART && `${last}~` < before;
        if (isFar) return { schedules: found.filter(({ id }) => id > last), next: `${last}~` };
        const keys = `[${keysOf(row, wanted)}]`;
        const query = { keys, clientRowId, before, status: filter.status ?? null };
        const rows = candidates.all(query) as Row[];
        found = newest([...found, ...rows.map(SCHEDULE.fromRow).filter(isWanted)], limit);
      }
      return { schedules: found, next: null };
    },
  };
}

/** The keys of those schedules of a row whose texts contain what is wanted. */
function keysOf(row: Row, { label, url }: { label: string | null; url: string | null }): string[] {
  const labels = label === null ? null : (row.labels as string).split(SEPARATOR);
  const urls = url === null ? null : (row.urls as string).split(SEPARATOR);
  return String(row.keys)
    .split(',')
    .filter(
      (_, at) =>
        (labels === null || labels[at]!.includes(label!)) &&
        (urls === null || urls[at]!.includes(url!)),
    );
}

/** Compares with the schedule as it is. */
function comparison(filter: ScheduleFilter): (schedule: Schedule) => boolean {
  const { label, url } = searchTermsFrom(filter, fold);
  return schedule =>
    (label === null || fold(schedule.label).includes(label)) &&
    (url === null || fold(schedule.url).includes(url));
}

/** Each once: a schedule that was changed stands in several rows. */
function newest(schedules: Schedule[], limit: number): Schedule[] {
  const byId = new Map(schedules.map(schedule => [schedule.id, schedule]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}
