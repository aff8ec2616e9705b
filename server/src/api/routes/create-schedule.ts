import { startOf } from '../../domain/run/start.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { etagOf, FIRST_VERSION } from '../http/etag.ts';
import { EXAMPLE_INPUT, EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { Schedule, ScheduleInput } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';

export const createSchedule = route({
  method: 'POST',
  path: '/v1/schedule',
  operationId: 'createSchedule',
  summary: 'Create a schedule',
  description:
    'It is enabled unless the body says otherwise, and fires first at its next time after now.',
  tag: 'schedules',
  body: ScheduleInput,
  answer: Schedule,
  isTagged: true,
  example: { body: EXAMPLE_INPUT, answer: EXAMPLE_SCHEDULE },
  handle:
    ({ store, clock, allow, engine }) =>
    async (request, reply) => {
      const now = clock.now();
      const schedule = draftNew(request.body, now, allow);
      const start = startOf(schedule, now);
      await store.schedules.insert(callerOf(request).clientRowId, [{ schedule, start }]);
      if (start) engine.wake(start.first);
      reply.header('ETag', etagOf(FIRST_VERSION));
      return scheduleAnswer(schedule);
    },
});
