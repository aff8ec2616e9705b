import { draftDeletion } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { readCondition } from '../http/etag.ts';
import { DeleteResult } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';
import { updateSchedule } from '../update-schedule.ts';

export const deleteSchedule = route({
  method: 'DELETE',
  path: '/v1/schedule/:scheduleId',
  operationId: 'deleteSchedule',
  summary: 'Delete a schedule',
  description:
    'It is disabled permanently and its metadata is kept. Idempotent by its id; its external id names it no more.',
  tag: 'schedules',
  condition: 'If-Match',
  answer: DeleteResult,
  example: {
    answer: { success: true },
  },
  handle: deps => async request => {
    const { params, headers } = request;
    await updateSchedule(deps, callerOf(request), params.scheduleId, {
      conditions: { match: readCondition('If-Match', headers['if-match']) },
      decide: draftDeletion,
    });
    return { success: true };
  },
});
