import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { findSchedule } from '../find-schedule.ts';
import { etagOf, isKnown, readCondition } from '../http/etag.ts';
import { EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { Schedule } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';

export const getSchedule = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId',
  operationId: 'getSchedule',
  summary: 'Get a schedule, a deleted one too',
  description: 'The answer carries the version of the schedule as an ETag.',
  tag: 'schedules',
  condition: 'If-None-Match',
  isTagged: true,
  answer: Schedule,
  example: { answer: EXAMPLE_SCHEDULE },
  handle:
    ({ store, clock }) =>
    async (request, reply) => {
      const condition = readCondition('If-None-Match', request.headers['if-none-match']);
      const found = await findSchedule(store, callerOf(request), request.params.scheduleId);
      reply.header('ETag', etagOf(found.version));
      if (isKnown(condition, found.version)) return reply.code(304).send();
      return scheduleAnswer(found.schedule, clock.now());
    },
});
