import { draftPatch } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { etagOf, readCondition } from '../http/etag.ts';
import { EXAMPLE_CHANGED_SCHEDULE } from '../openapi/examples/schedules.ts';
import { Schedule, SchedulePatch } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';
import { updateSchedule } from '../update-schedule.ts';
import { checkExternalIdIn } from '../upsert-schedule.ts';

export const patchSchedule = route({
  method: 'PATCH',
  path: '/v1/schedule/:scheduleId',
  operationId: 'patchSchedule',
  summary: 'Change some properties of a schedule',
  description: 'A JSON Merge Patch (RFC 7396): null removes an optional property.',
  tag: 'schedules',
  condition: 'If-Match',
  isTagged: true,
  body: SchedulePatch,
  consumes: ['application/json', 'application/merge-patch+json'],
  answer: Schedule,
  example: {
    body: { label: EXAMPLE_CHANGED_SCHEDULE.label, policy: EXAMPLE_CHANGED_SCHEDULE.policy },
    answer: EXAMPLE_CHANGED_SCHEDULE,
  },
  handle: deps => async (request, reply) => {
    const { body, params, headers } = request;
    checkExternalIdIn(params.scheduleId, body);
    const changed = await updateSchedule(deps, callerOf(request), params.scheduleId, {
      names: body,
      conditions: { match: readCondition('If-Match', headers['if-match']) },
      decide: (current, now, references) => draftPatch(body, current, now, deps.allow, references),
    });
    reply.header('ETag', etagOf(changed.version));
    return scheduleAnswer(changed.schedule, deps.clock.now());
  },
});
