import type { Schedule } from '../../domain/schedule.ts';
import { fold, scheduleFrom } from '../rows.ts';
import type { ScheduleFilter } from '../store.ts';
import { Few, SMALL, sealed, wantedFrom } from '../texts.ts';
import type { Query, Statement } from './connection.ts';
import { SCHEDULE } from './schedule-columns.ts';

export interface Texts {
  /** Once they are made: what a trigger has written of them is put together when there is enough. */
  made(clientKey: number, schedules: number): void;
  /** As `ScheduleStore.list` with a label or a url: newest first, ids below `before` only. */
  find(
    clientKey: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
  ): Promise<Schedule[]>;
}

/** Who does so at the same moment takes other rows, or none. */
const putTogether = `
  WITH few AS (
    DELETE FROM schedule_texts WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM schedule_texts
      WHERE client_key = $1 AND entries < ${SMALL} AND changed_key IS NULL
      ORDER BY last_id LIMIT 1000 FOR UPDATE SKIP LOCKED))
    RETURNING client_key, first_id, last_id, entries, labels, urls, keys)
  INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
  SELECT client_key, min(first_id), max(last_id), sum(entries),
    string_agg(labels, E'\\x01' ORDER BY last_id), string_agg(urls, E'\\x01' ORDER BY last_id),
    string_to_array(string_agg(array_to_string(keys, ','), ',' ORDER BY last_id), ',')::bigint[]
  FROM few GROUP BY client_key`;

/** Rows of texts that one question looks through: the newest first, then more. */
const STEPS = [32, 256];
const edge: Statement = {
  name: 'texts_edge',
  text: `
    SELECT last_id FROM schedule_texts
    WHERE client_key = $1 AND last_id < $2 ORDER BY last_id DESC LIMIT 1 OFFSET $3`,
};
/** Ids from $2 and below $3: whole in one snapshot, however rows are put together between two. */
const hits: Statement = {
  name: 'texts_hits',
  text: `
    WITH hits AS MATERIALIZED (
      SELECT DISTINCT entry.key
      FROM (
        SELECT labels, urls, keys FROM schedule_texts
        WHERE client_key = $1 AND last_id >= $2 AND first_id < $3
          AND ($4::text IS NULL OR strpos(labels, $4) > 0)
          AND ($5::text IS NULL OR strpos(urls, $5) > 0)
        OFFSET 0) AS texts
      CROSS JOIN LATERAL unnest(
        CASE WHEN $4 IS NOT NULL THEN string_to_array(labels, E'\\x01') END,
        CASE WHEN $5 IS NOT NULL THEN string_to_array(urls, E'\\x01') END,
        keys) AS entry (label, url, key)
      WHERE ($4 IS NULL OR strpos(entry.label, $4) > 0)
        AND ($5 IS NULL OR strpos(entry.url, $5) > 0))
    SELECT found.* FROM hits CROSS JOIN LATERAL (
      SELECT ${SCHEDULE} FROM schedules
      WHERE schedule_key = hits.key AND client_key = $1 AND id >= $2 AND id < $3
        AND CASE WHEN $8::text IS NULL THEN status <> 'deleted' ELSE status = $8 END
        AND ($6::text IS NULL OR strpos(label_folded, $6) > 0)
        AND ($7::text IS NULL OR strpos(url_folded, $7) > 0)
      OFFSET 0) AS found
    ORDER BY id DESC LIMIT $9`,
};

/** @param look for what may take a while */
export function postgresTexts(query: Query, look: Query): Texts {
  const few = new Few();
  return {
    made(clientKey, schedules) {
      // Nobody waits for it, and where it fails the next one does it.
      if (few.made(clientKey, schedules)) query(putTogether, [clientKey]).catch(() => {});
    },
    async find(clientKey, filter, limit, before) {
      const [wanted, exact] = [wantedFrom(filter, sealed), wantedFrom(filter, fold)];
      const values = [wanted.label, wanted.url, exact.label, exact.url, filter.status ?? null];
      const found: Schedule[] = [];
      let to = before;
      for (const rows of [...STEPS, null]) {
        const [last] = rows === null ? [] : await look(edge, [clientKey, to, rows]);
        const from = (last?.last_id as string | undefined) ?? '';
        const page = await look(hits, [clientKey, from, to, ...values, limit - found.length]);
        found.push(...page.map(scheduleFrom));
        if (found.length === limit || from === '') break;
        to = from;
      }
      return found;
    },
  };
}
