import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import { given } from '../../domain/schedule/given.ts';
import type { Caller } from '../../store/contract/keys.ts';
import type { ListedRuns, RunFilter } from '../../store/contract/runs.ts';
import type { Store } from '../../store/contract/store.ts';
import { callerOf } from '../access/authenticate.ts';
import { idOf } from '../find-schedule.ts';
import { readInstant } from '../http/instant.ts';
import { DEFAULT_LIMIT, idBefore, pageOf } from '../http/pagination.ts';
import { tagsFrom } from '../http/tags.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { EXAMPLE_RUN } from '../openapi/examples/runs.ts';
import { RunPage, RunQuery } from '../openapi/schemas/run.ts';
import { route } from '../route.ts';
import { namedRunAnswer, namesOf } from '../run-names.ts';
import { impliedStatus, type SearchedRun, searchedFrom, searchRuns } from '../run-search.ts';

export const listRuns = route({
  method: 'GET',
  path: '/v1/run',
  operationId: 'listRuns',
  summary: 'List runs, newest first',
  description:
    'All runs of this client, or those that the query asks for. A page is continued by `cursor`. A search by `tag`, ' +
    '`host`, `responseStatus`, `error` or `cause` is bounded: it may answer fewer runs than were asked for, or none, and ' +
    'a `nextCursor`.',
  tag: 'runs',
  query: RunQuery,
  answer: RunPage,
  example: {
    query: {
      limit: 20,
      scheduleId: SCHEDULE_ID,
      status: 'succeeded',
      from: '2026-06-01T00:00:00Z',
      to: '2099-01-01T00:00:00Z',
      tag: ['team:billing'],
      responseStatus: 200,
    },
    answer: { items: [EXAMPLE_RUN] },
  },
  handle:
    ({ store, clock }) =>
    async request => {
      const { limit = DEFAULT_LIMIT, cursor, ...query } = request.query;
      const caller = callerOf(request);
      const { clientRowId } = caller;
      const scheduleId = await scheduleIdFrom(store, caller, query.scheduleId);
      const filter = { ...filterFrom(query), ...given('scheduleId', scheduleId), now: clock.now() };
      const tags = tagsFrom(query.tag);
      const searched = searchedFrom(query);
      const asked = { clientRowId, filter, tags, limit: limit + 1, before: idBefore(cursor) };
      const { runs, next } =
        searched === null ? await listed(store, asked) : await found(store, asked, searched);
      const named = query.names === true ? runs : [];
      const names = await namesOf(store.schedules, clientRowId, named);
      return pageOf(runs, limit, run => namedRunAnswer(run, names), next);
    },
});

interface AskedRuns {
  clientRowId: number;
  filter: RunFilter;
  tags: string[] | undefined;
  limit: number;
  before: string | undefined;
}

async function listed(
  store: Store,
  { clientRowId, filter, tags, limit, before }: AskedRuns,
): Promise<ListedRuns> {
  if (tags !== undefined) {
    return store.runs.listTagged(clientRowId, { ...filter, tags }, limit, before);
  }
  return { runs: await store.runs.list(clientRowId, filter, limit, before), next: null };
}

/** Looks at each run. */
function found(store: Store, asked: AskedRuns, searched: SearchedRun): Promise<ListedRuns> {
  const { clientRowId } = asked;
  const status = asked.filter.status ?? impliedStatus(searched);
  const filter = { ...asked.filter, ...given('status', status) };
  const look = {
    clientRowId,
    async page(limit: number, before: string | undefined) {
      const { runs, next } = await listed(store, { ...asked, filter, limit, before });
      const isMore = runs.length === limit;
      return { runs, next: isMore ? runs.at(-1)!.id : next };
    },
    names: (runs: readonly { scheduleId: string }[]) => namesOf(store.schedules, clientRowId, runs),
  };
  return searchRuns(look, searched, asked.limit, asked.before);
}

/** @throws PunctualError `request_invalid`, `not_found` where no schedule has this external id */
async function scheduleIdFrom(
  store: Store,
  caller: Caller,
  reference: string | undefined,
): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  const id = await idOf(store, caller, reference);
  if (isId(id)) return id;
  throw new PunctualError('request_invalid', 'The query parameter scheduleId is not an id.', {
    refused: reference,
  });
}

function filterFrom({ status, from, to }: Wire.RunQuery): RunFilter {
  return {
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from: instantFrom(from, 'from') }),
    ...(to !== undefined && { to: instantFrom(to, 'to') }),
  };
}

/** No run is older than the epoch, where ids begin. */
function instantFrom(text: string, name: string): number {
  return Math.max(0, readInstant(text, `The query parameter ${name}`));
}
