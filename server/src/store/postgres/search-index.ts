import type { Schedule } from '../../domain/schedule/schedule.ts';
import { SCHEDULE } from '../columns.ts';
import type { ListedSchedules, ScheduleFilter } from '../contract/schedules.ts';
import { fold } from '../rows/row.ts';
import {
  MOST_TOGETHER,
  ROWS_APART,
  SMALL,
  SmallInserts,
  sealTexts,
  searchTermsFrom,
} from '../search-index.ts';
import type { Query, Statement } from './connection.ts';

export interface SearchIndex {
  /** Once they are made: rows of few are put together when there is enough. */
  made(clientRowId: number, schedules: number): void;
  /** As `ScheduleStore.list` with a label or a url: newest first, ids below `before` only. */
  find(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
  ): Promise<ListedSchedules>;
}

/** A second node that does this at the same moment takes other rows, or none. */
const putTogether = `
  WITH few AS (
    DELETE FROM schedule_texts WHERE ctid = ANY (ARRAY(
      SELECT row FROM (
        SELECT row, entries,
          sum(entries) OVER (ORDER BY last_id ROWS UNBOUNDED PRECEDING) AS total
        FROM (
          SELECT ctid AS row, entries, last_id FROM schedule_texts
          WHERE client_key = $1 AND entries < ${SMALL} AND changed_key IS NULL
          ORDER BY last_id LIMIT ${MOST_TOGETHER} FOR UPDATE SKIP LOCKED) AS small) AS counted
      WHERE total - entries < ${MOST_TOGETHER}))
    RETURNING client_key, first_id, last_id, entries, labels, urls, keys)
  INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
  SELECT client_key, min(first_id), max(last_id), sum(entries),
    string_agg(labels, E'\\x01' ORDER BY last_id), string_agg(urls, E'\\x01' ORDER BY last_id),
    string_to_array(string_agg(array_to_string(keys, ','), ',' ORDER BY last_id), ',')::bigint[]
  FROM few GROUP BY client_key`;

/** Rows of texts that one question takes apart, at first: mostly a page is full then. */
const ROWS = 32;
/**
 * Of the first rows that contain what is wanted, those schedules that do. If there may be more rows, the answer
 * holds all above the id `edge`: no row behind the last one has a higher id. It is said without a schedule too.
 * A row is taken apart in the list of what is selected: in FROM, each part of it is stored before it is looked
 * at. With label and url both, a million took 0.4 s on a busy machine; with one of them, and the other compared
 * with the schedule itself, 0.9 s.
 */
const hits: Statement = {
  name: 'texts_hits',
  text: `
    WITH texts AS MATERIALIZED (
      SELECT last_id, labels, urls, keys FROM schedule_texts
      WHERE client_key = $1 AND first_id < $2
        AND ($3::text IS NULL OR strpos(labels, $3) > 0)
        AND ($4::text IS NULL OR strpos(urls, $4) > 0)
      ORDER BY last_id DESC LIMIT $9::integer
    ), behind AS MATERIALIZED (
      SELECT CASE WHEN count(*) = $9 THEN min(last_id) ELSE '' END AS edge FROM texts
    ), hits AS MATERIALIZED (
      SELECT DISTINCT key FROM (
        SELECT unnest(keys) AS key,
          unnest(CASE WHEN $3 IS NOT NULL THEN string_to_array(labels, E'\\x01') END) AS label,
          unnest(CASE WHEN $4 IS NOT NULL THEN string_to_array(urls, E'\\x01') END) AS url
        FROM texts OFFSET 0) AS entries
      WHERE ($3 IS NULL OR strpos(label, $3) > 0) AND ($4 IS NULL OR strpos(url, $4) > 0))
    SELECT behind.edge, page.* FROM behind LEFT JOIN (
      SELECT found.* FROM hits CROSS JOIN LATERAL (
        SELECT ${SCHEDULE.list()} FROM schedules
        WHERE schedule_key = hits.key AND client_key = $1 AND id < $2
          AND id > (SELECT edge FROM behind)
          AND CASE WHEN $7::text IS NULL THEN status <> 'deleted' ELSE status = $7 END
          AND ($5::text IS NULL OR strpos(label_folded, $5) > 0)
          AND ($6::text IS NULL OR strpos(url_folded, $6) > 0)
        OFFSET 0) AS found
      ORDER BY id DESC LIMIT $8) AS page ON true
    ORDER BY page.id DESC`,
};

/** @param look for what may take a while */
export function postgresSearchIndex(query: Query, look: Query): SearchIndex {
  const few = new SmallInserts();
  return {
    made(clientRowId, schedules) {
      // Nobody waits for it, and where it fails the next one does it.
      if (few.add(clientRowId, schedules)) query(putTogether, [clientRowId]).catch(() => {});
    },
    async find(clientRowId, filter, limit, before) {
      const [wanted, exact] = [searchTermsFrom(filter, sealTexts), searchTermsFrom(filter, fold)];
      const values = [wanted.label, wanted.url, exact.label, exact.url, filter.status ?? null];
      const found: Schedule[] = [];
      let [to, most, apart] = [before, ROWS, 0];
      while (found.length < limit) {
        if (apart >= ROWS_APART && to < before) return { schedules: found, next: to };
        const rows = await look(hits, [clientRowId, to, ...values, limit - found.length, most]);
        found.push(...rows.filter(({ id }) => id !== null).map(SCHEDULE.fromRow));
        const edge = rows[0]!.edge as string;
        if (edge === '') break;
        apart += most;
        const next = `${edge}~`;
        // If more rows than that reach over one id, the same ones would come again.
        if (next >= to) most *= 2;
        else to = next;
      }
      return { schedules: found, next: null };
    },
  };
}
