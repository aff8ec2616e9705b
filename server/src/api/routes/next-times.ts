import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import type { RunView } from '../../store/contract/runs.ts';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { findSchedule } from '../find-schedule.ts';
import { DEFAULT_COUNT, unsentTimesAfter } from '../next-times.ts';
import { operation } from '../openapi/operation.ts';
import { NextQuery, Times } from '../openapi/schemas/time.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

/** More than there are times in a window of `unsentTimesAfter`: manual runs may stand between. */
const MOST_RUNS = 2_000;

export function nextTimes(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const schema = operation({
    operationId: 'nextTimes',
    summary: 'The next times of a schedule; none where it is not enabled',
    description: 'Times that were sent already, while a clock was ahead, are left out.',
    tag: 'times',
    params: SCHEDULE_ID,
    query: NextQuery,
    answer: Times,
  });
  app.get<ByScheduleId & { Querystring: Wire.NextQuery }>(
    '/schedule/:scheduleId/next',
    { schema },
    async request => {
      const { count = DEFAULT_COUNT } = request.query;
      const { clientRowId } = callerOf(request);
      const { schedule } = await findSchedule(store, callerOf(request), request.params.scheduleId);
      if (schedule.status !== 'enabled') return { times: [] };
      const sentIn = async (from: number, to: number) => {
        const filter = { scheduleId: schedule.id, from, to };
        const runs = await store.runs.list(clientRowId, filter, MOST_RUNS);
        return new Set(runs.filter(wasSent).map(({ scheduledFor }) => scheduledFor));
      };
      return { times: await unsentTimesAfter(schedule, clock.now(), count, sentIn) };
    },
  );
}

function wasSent({ trigger, status }: RunView): boolean {
  return trigger === 'schedule' && (status === 'succeeded' || status === 'failed');
}
