import type { Schedule } from '../../domain/schedule/schedule.ts';
import { SCHEDULE } from '../columns.ts';
import type { ListedSchedules, ScheduleFilter, ScheduleStore } from '../contract/schedules.ts';
import { fold } from '../rows/row.ts';
import { isSearch, LOOKED_AT, searchTermsFrom } from '../search-index.ts';
import type { Query, Statement } from './connection.ts';
import type { SearchIndex } from './search-index.ts';

const list = (name: string, status: string): Statement => ({
  name,
  text: `
    SELECT ${SCHEDULE.list()} FROM schedules
    WHERE client_key = $1 AND id < $2 AND id >= $6 AND ${status}
      AND ($3::text IS NULL OR strpos(label_folded, $3) > 0)
      AND ($4::text IS NULL OR strpos(url_folded, $4) > 0)
    ORDER BY id DESC LIMIT $5`,
});
const listAll = list('schedules_list', "status <> 'deleted'");
const listByStatus = list('schedules_list_by_status', 'status = $7');
/** The id up to which a search looks at schedules one by one. */
const edge = (name: string, status: string): Statement => ({
  name,
  text: `
    SELECT id FROM schedules WHERE client_key = $1 AND id < $2 ${status}
    ORDER BY id DESC LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
});
const edgeOfAll = edge('schedules_edge', '');
const edgeOfStatus = edge('schedules_edge_of_status', 'AND status = $3');

/** Schedules one by one where there are few, or many that match; by their texts where there are not. */
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
    const range = [clientRowId, before];
    const [last] = await (filter.status === undefined
      ? query(edgeOfAll, range)
      : query(edgeOfStatus, [...range, filter.status]));
    const downTo = last === undefined ? '' : (last.id as string);
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

  return async (clientRowId, filter, limit, before = '~') =>
    isSearch(filter)
      ? search(clientRowId, filter, limit, before)
      : { schedules: await listDirectly(clientRowId, filter, limit, before, ''), next: null };
}
