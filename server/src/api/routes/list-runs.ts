import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { RunFilter } from '../../store/contract/runs.ts';
import { callerOf } from '../access/authenticate.ts';
import { runListAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { readInstant } from '../http/instant.ts';
import { DEFAULT_LIMIT, idBefore, pageOf } from '../http/pagination.ts';
import { operation } from '../openapi/operation.ts';
import { RunPage, RunQuery } from '../openapi/schemas/run.ts';

export function listRuns(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const schema = operation({
    operationId: 'listRuns',
    summary: 'List runs, newest first',
    description:
      'All runs of this client, or those that the query asks for. A page is continued by `cursor`.',
    tag: 'runs',
    query: RunQuery,
    answer: RunPage,
  });
  app.get<{ Querystring: Wire.RunQuery }>('/run', { schema }, async request => {
    const { limit = DEFAULT_LIMIT, cursor, ...query } = request.query;
    const { clientRowId } = callerOf(request);
    const filter = { ...filterFrom(query), now: clock.now() };
    const found = await store.runs.list(clientRowId, filter, limit + 1, idBefore(cursor));
    return pageOf(found, limit, runListAnswer);
  });
}

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
