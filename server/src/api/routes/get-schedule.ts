import type { FastifyInstance } from 'fastify';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { findSchedule } from '../find-schedule.ts';
import { etagOf, isKnown, readCondition } from '../http/etag.ts';
import { operation } from '../openapi/operation.ts';
import { Schedule } from '../openapi/schemas/schedule.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function getSchedule(app: FastifyInstance, { store }: ApiDeps): void {
  const schema = operation({
    operationId: 'getSchedule',
    summary: 'Get a schedule, a deleted one too',
    description: 'The answer carries the version of the schedule as an ETag.',
    tag: 'schedules',
    params: SCHEDULE_ID,
    condition: 'If-None-Match',
    isTagged: true,
    answer: Schedule,
  });
  app.get<ByScheduleId>('/schedule/:scheduleId', { schema }, async (request, reply) => {
    const condition = readCondition('If-None-Match', request.headers['if-none-match']);
    const found = await findSchedule(store, callerOf(request), request.params.scheduleId);
    reply.header('ETag', etagOf(found.version));
    if (isKnown(condition, found.version)) return reply.code(304).send();
    return scheduleAnswer(found.schedule);
  });
}
