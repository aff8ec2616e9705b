import type { Schedule } from '../../domain/schedule/schedule.ts';
import { SCHEDULE } from '../columns.ts';
import type { ListedSchedules, ScheduleFilter, ScheduleStore } from '../contract/schedules.ts';
import { fold } from '../rows/row.ts';
import { isSearch, LOOKED_AT, searchTermsFrom } from '../search-index.ts';
import { hasTags, marksWanted } from '../tags.ts';
import type { Query, Statement } from './connection.ts';
import type { SearchIndex } from './search-index.ts';

const HAS_TEXTS = `($3::text IS NULL OR strpos(label_folded, $3) > 0)
      AND ($4::text IS NULL OR strpos(url_folded, $4) > 0)`;
/** Counted schedule by schedule, in an index. @param marks the parameter with them, each once */
const hasMarks = (marks: string) => `(
        SELECT count(*) FROM schedule_marks
        WHERE schedule_marks.client_key = $1 AND mark = ANY (${marks}::text[])
          AND schedule_marks.schedule_key = schedules.schedule_key) = cardinality(${marks}::text[])`;
const list = (name: string, which: string): Statement => ({
  name,
  text: `
    SELECT ${SCHEDULE.list()} FROM schedules
    WHERE client_key = $1 AND id < $2 AND id >= $6 AND ${which} AND ${HAS_TEXTS}
    ORDER BY id DESC LIMIT $5`,
});
const listAll = list('schedules_list', "status <> 'deleted'");
const listByStatus = list('schedules_list_by_status', 'status = $7');
const listMarked = list('schedules_list_marked', `status <> 'deleted' AND ${hasMarks('$7')}`);
const listMarkedByStatus = list(
  'schedules_list_marked_by_status',
  `status = $8 AND ${hasMarks('$7')}`,
);
const listOfMark: Statement = {
  name: 'schedules_list_of_mark',
  text: `
    SELECT found.* FROM (
      SELECT schedule_key FROM schedule_marks WHERE client_key = $1 AND mark = $6
      OFFSET 0) AS rarest
    CROSS JOIN LATERAL (
      SELECT ${SCHEDULE.list()} FROM schedules
      WHERE schedules.schedule_key = rarest.schedule_key AND id < $2
        AND CASE WHEN $8::text IS NULL THEN status <> 'deleted' ELSE status = $8 END
        AND ${HAS_TEXTS} AND ${hasMarks('$7')}
      OFFSET 0) AS found
    ORDER BY id DESC LIMIT $5`,
};
const rarestMark: Statement = {
  name: 'schedules_rarest_mark',
  text: `
    SELECT mark, (
      SELECT count(*) FROM (
        SELECT FROM schedule_marks
        WHERE client_key = $1 AND schedule_marks.mark = wanted.mark LIMIT ${LOOKED_AT + 1}) AS few) AS count
    FROM unnest($2::text[]) AS wanted (mark) ORDER BY count LIMIT 1`,
};
/** The id up to which a search looks at schedules one by one. */
const edge = (name: string, status: string): Statement => ({
  name,
  text: `
    SELECT id FROM schedules WHERE client_key = $1 AND id < $2 ${status}
    ORDER BY id DESC LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
});
const edgeOfAll = edge('schedules_edge', '');
const edgeOfStatus = edge('schedules_edge_of_status', 'AND status = $3');

/**
 * Schedules one by one where there are few, or many that match; by their texts where there are not. By a tag that few
 * have, where they are to have one.
 */
export function postgresScheduleList(
  query: Query,
  look: Query,
  texts: SearchIndex,
): ScheduleStore['list'] {
  async function listDirectly(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
    downTo: string,
  ): Promise<Schedule[]> {
    const { label, url } = searchTermsFrom(filter, fold);
    const values = [clientRowId, before, label, url, limit, downTo];
    const ask = isSearch(filter) ? look : query;
    const rows =
      filter.status === undefined
        ? await ask(listAll, values)
        : await ask(listByStatus, [...values, filter.status]);
    return rows.map(SCHEDULE.fromRow);
  }

  async function search(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
  ): Promise<ListedSchedules> {
    const downTo = await edgeOf(clientRowId, filter, before);
    const newest = await listDirectly(clientRowId, filter, limit, before, downTo);
    if (downTo === '' || newest.length === limit) return { schedules: newest, next: null };
    const { schedules, next } = await texts.find(
      clientRowId,
      filter,
      limit - newest.length,
      downTo,
    );
    return { schedules: [...newest, ...schedules], next };
  }

  async function edgeOf(
    clientRowId: number,
    { status }: ScheduleFilter,
    before: string,
  ): Promise<string> {
    const range = [clientRowId, before];
    const [last] = await (status === undefined
      ? query(edgeOfAll, range)
      : query(edgeOfStatus, [...range, status]));
    return last === undefined ? '' : (last.id as string);
  }

  async function listTagged(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
  ): Promise<ListedSchedules> {
    const { status } = filter;
    const marks = marksWanted(filter);
    const { label, url } = searchTermsFrom(filter, fold);
    const values = [clientRowId, before, label, url, limit];
    const [rarest] = await look(rarestMark, [clientRowId, marks]);
    if ((rarest!.count as number) <= LOOKED_AT) {
      const rows = await look(listOfMark, [...values, rarest!.mark!, marks, status ?? null]);
      return { schedules: rows.map(SCHEDULE.fromRow), next: null };
    }
    const downTo = await edgeOf(clientRowId, filter, before);
    const rows =
      status === undefined
        ? await look(listMarked, [...values, downTo, marks])
        : await look(listMarkedByStatus, [...values, downTo, marks, status]);
    const isAtEnd = downTo === '' || rows.length === limit;
    return { schedules: rows.map(SCHEDULE.fromRow), next: isAtEnd ? null : downTo };
  }

  return async (clientRowId, filter, limit, before = '~') => {
    if (hasTags(filter)) return listTagged(clientRowId, filter, limit, before);
    return isSearch(filter)
      ? search(clientRowId, filter, limit, before)
      : { schedules: await listDirectly(clientRowId, filter, limit, before, ''), next: null };
  };
}
