import { draftReplacement } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { externalIdIn } from '../find-schedule.ts';
import { etagOf, readConditions } from '../http/etag.ts';
import { EXAMPLE_CHANGED_SCHEDULE, EXAMPLE_INPUT } from '../openapi/examples/schedules.ts';
import { Schedule, ScheduleInput } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';
import { updateSchedule } from '../update-schedule.ts';
import { checkExternalIdIn, upsertSchedule } from '../upsert-schedule.ts';

export const replaceSchedule = route({
  method: 'PUT',
  path: '/v1/schedule/:scheduleId',
  operationId: 'replaceSchedule',
  summary: 'Replace a schedule',
  description:
    'All properties: optional ones that are left out are not kept, but `status`, `externalId` and `pausedUntil` are. By ' +
    '`ext:` and an external id it makes the schedule where there is none.',
  tag: 'schedules',
  condition: 'If-Match',
  isUpsert: true,
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
    const caller = callerOf(request);
    const conditions = readConditions(headers);
    checkExternalIdIn(params.scheduleId, body);
    const externalId = externalIdIn(params.scheduleId);
    const written =
      externalId === null
        ? await updateSchedule(deps, caller, params.scheduleId, {
            names: body,
            conditions,
            decide: (current, now, references) =>
              draftReplacement(body, current, now, deps.allow, references),
          })
        : await upsertSchedule(deps, caller, externalId, body, conditions);
    reply.header('ETag', etagOf(written.version));
    return scheduleAnswer(written.schedule, deps.clock.now());
  },
});
