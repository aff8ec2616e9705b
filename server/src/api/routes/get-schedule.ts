import type { FastifyInstance } from 'fastify';
import { scheduleAnswer } from '../answers.ts';
import { callerOf } from '../authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { findSchedule } from '../find.ts';
import { operation } from '../operation.ts';
import { Schedule } from '../schemas/schedule.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function getSchedule(app: FastifyInstance, { store }: ApiDeps): void {
  const schema = operation({
    operationId: 'getSchedule',
    summary: 'Get a schedule, a deleted one too',
    tag: 'schedules',
    params: SCHEDULE_ID,
    answer: Schedule,
  });
  app.get<ByScheduleId>('/schedule/:scheduleId', { schema }, async request => {
    const found = await findSchedule(store, callerOf(request), request.params.scheduleId);
    return scheduleAnswer(found.schedule);
  });
}
