import type { Schedule } from '../../domain/schedule.ts';
import { fold, scheduleFrom } from '../rows.ts';
import type { Listed, ScheduleFilter, ScheduleStore } from '../store.ts';
import { isSearch, LOOKED_AT, wantedFrom } from '../texts.ts';
import type { Query, Statement } from './connection.ts';
import { SCHEDULE } from './schedule-columns.ts';
import type { Texts } from './texts.ts';

const list = (name: string, status: string): Statement => ({
  name,
  text: `
    SELECT ${SCHEDULE} FROM schedules
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
  texts: Texts,
): ScheduleStore['list'] {
  async function listDirectly(
    clientKey: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
    downTo: string,
  ): Promise<Schedule[]> {
    const { label, url } = wantedFrom(filter, fold);
    const values = [clientKey, before, label, url, limit, downTo];
    const ask = isSearch(filter) ? look : query;
    const rows =
      filter.status === undefined
        ? await ask(listAll, values)
        : await ask(listByStatus, [...values, filter.status]);
    return rows.map(scheduleFrom);
  }

  async function search(
    clientKey: number,
    filter: ScheduleFilter,
    limit: number,
    before: string,
  ): Promise<Listed> {
    const range = [clientKey, before];
    const [last] = await (filter.status === undefined
      ? query(edgeOfAll, range)
      : query(edgeOfStatus, [...range, filter.status]));
    const downTo = last === undefined ? '' : (last.id as string);
    const newest = await listDirectly(clientKey, filter, limit, before, downTo);
    if (downTo === '' || newest.length === limit) return { schedules: newest, next: null };
    const { schedules, next } = await texts.find(clientKey, filter, limit - newest.length, downTo);
    return { schedules: [...newest, ...schedules], next };
  }

  return async (clientKey, filter, limit, before = '~') =>
    isSearch(filter)
      ? search(clientKey, filter, limit, before)
      : { schedules: await listDirectly(clientKey, filter, limit, before, ''), next: null };
}
