import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { RunFilter } from '../../store/contract/runs.ts';
import { callerOf } from '../access/authenticate.ts';
import { runListAnswer } from '../answers.ts';
import { readInstant } from '../http/instant.ts';
import { DEFAULT_LIMIT, idBefore, pageOf } from '../http/pagination.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { EXAMPLE_RUN } from '../openapi/examples/runs.ts';
import { RunPage, RunQuery } from '../openapi/schemas/run.ts';
import { route } from '../route.ts';

export const listRuns = route({
  method: 'GET',
  path: '/v1/run',
  operationId: 'listRuns',
  summary: 'List runs, newest first',
  description:
    'All runs of this client, or those that the query asks for. A page is continued by `cursor`.',
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
    },
    answer: { items: [EXAMPLE_RUN] },
  },
  handle:
    ({ store, clock }) =>
    async request => {
      const { limit = DEFAULT_LIMIT, cursor, ...query } = request.query;
      const { clientRowId } = callerOf(request);
      const filter = { ...filterFrom(query), now: clock.now() };
      const found = await store.runs.list(clientRowId, filter, limit + 1, idBefore(cursor));
      return pageOf(found, limit, runListAnswer);
    },
});

function filterFrom({ scheduleId, status, from, to }: Wire.RunQuery): RunFilter {
  if (scheduleId !== undefined && !isId(scheduleId)) {
    throw new PunctualError('request_invalid', 'The query parameter scheduleId is not an id.');
  }
  return {
    ...(scheduleId !== undefined && { scheduleId }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from: instantFrom(from, 'from') }),
    ...(to !== undefined && { to: instantFrom(to, 'to') }),
  };
}

/** No run is older than the epoch, where ids begin. */
function instantFrom(text: string, name: string): number {
  return Math.max(0, readInstant(text, `The query parameter ${name}`));
}
