import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { findSchedule } from '../find.ts';
import { operation } from '../operation.ts';
import { NextQuery, Times } from '../schemas/time.ts';
import { DEFAULT_COUNT, timesAfter } from '../times.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function nextTimes(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const schema = operation({
    operationId: 'nextTimes',
    summary: 'The next times of a schedule; none where it is not enabled',
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
      const { schedule } = await findSchedule(store, callerOf(request), request.params.scheduleId);
      if (schedule.status !== 'enabled') return { times: [] };
      return timesAfter(schedule.interval, schedule.timezone, clock.now(), count);
    },
  );
}
