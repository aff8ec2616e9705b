import { fold } from '../domain/schedule/matching.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import { hostOf } from '../domain/schedule/target.ts';
import type {
  ListedIds,
  ListedSchedules,
  ScheduleFilter,
  ScheduleStore,
} from './contract/schedules.ts';
import { isSearch } from './search-index.ts';
import { hasTags } from './tags.ts';

/** Lists of schedules as both backends make them of their own. */

type List = ScheduleStore['list'];

/** Searches that one list by host makes, at most: each reads urls that only begin like the host's. */
const MOST_SEARCHES = 8;
/** Schedules that are read at once where only their ids are wanted. */
const IDS_AT_ONCE = 1_000;
/** Searches by text that may stop before they are through (`ROWS_APART`), of one answer where only ids are wanted. */
const MOST_STOPPED = 4;

/** Adds the filter by host: a search for its text in urls, which keeps those of the host. */
export function listByHost(list: List): List {
  return async (clientRowId, filter, limit, before) => {
    const { host, ...others } = filter;
    if (host === undefined) return list(clientRowId, others, limit, before);
    const wanted = { ...others, url: `://${host}` };
    const found: Schedule[] = [];
    let from = before;
    for (let searches = 0; searches < MOST_SEARCHES; searches += 1) {
      const part = await list(clientRowId, wanted, limit, from);
      found.push(...part.schedules.filter(isOf(filter)));
      const last = part.next ?? (part.schedules.length < limit ? null : part.schedules.at(-1)!.id);
      if (found.length >= limit || last === null) {
        return { schedules: found.slice(0, limit), next: null };
      }
      from = last;
      if (part.next !== null) break;
    }
    return { schedules: found, next: from! };
  };
}

function isOf({ host, url = '' }: ScheduleFilter): (schedule: Schedule) => boolean {
  return schedule => hostOf(schedule.url) === host && fold(schedule.url).includes(fold(url));
}

/** @param list as the backend lists schedules */
export async function idsOf(
  list: List,
  clientRowId: number,
  filter: ScheduleFilter,
  limit: number,
  before?: string,
): Promise<ListedIds> {
  const ids: string[] = [];
  const isByText = isSearch(filter) && filter.host === undefined && !hasTags(filter);
  let [from, stopped] = [before, 0];
  while (ids.length < limit) {
    const most = Math.min(IDS_AT_ONCE, limit - ids.length);
    const { schedules, next }: ListedSchedules = await list(clientRowId, filter, most, from);
    ids.push(...schedules.map(({ id }) => id));
    if (next !== null) stopped += 1;
    if (stopped === (isByText ? MOST_STOPPED : 1)) return { ids, next };
    if (next === null && schedules.length < most) break;
    from = next ?? ids.at(-1);
  }
  return { ids, next: null };
}
