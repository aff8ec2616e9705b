import { draftReplacement } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { etagOf, readCondition } from '../http/etag.ts';
import { EXAMPLE_CHANGED_SCHEDULE, EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { Schedule, ScheduleInput } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';
import { updateSchedule } from '../update-schedule.ts';

export const replaceSchedule = route({
  method: 'PUT',
  path: '/v1/schedule/:scheduleId',
  operationId: 'replaceSchedule',
  summary: 'Replace a schedule',
  description: 'All properties: optional ones that are left out are not kept, but status is.',
  tag: 'schedules',
  condition: 'If-Match',
  isTagged: true,
  body: ScheduleInput,
  answer: Schedule,
  example: {
    body: {
      ...EXAMPLE_INPUT,
      label: EXAMPLE_CHANGED_SCHEDULE.label,
      policy: EXAMPLE_CHANGED_SCHEDULE.policy,
    },
    answer: EXAMPLE_CHANGED_SCHEDULE,
  },
  handle: deps => async (request, reply) => {
    const { body, params, headers } = request;
    const changed = await updateSchedule(
      deps,
      callerOf(request),
      params.scheduleId,
      (current, now) => draftReplacement(body, current, now, deps.allow),
      readCondition('If-Match', headers['if-match']),
    );
    reply.header('ETag', etagOf(changed.version));
    return scheduleAnswer(changed.schedule);
  },
});
