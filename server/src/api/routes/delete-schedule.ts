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
  description: 'It is disabled permanently and its metadata is kept. Idempotent.',
  tag: 'schedules',
  condition: 'If-Match',
  answer: DeleteResult,
  example: {
    answer: { success: true },
  },
  handle: deps => async request => {
    const condition = readCondition('If-Match', request.headers['if-match']);
    const { scheduleId } = request.params;
    await updateSchedule(deps, callerOf(request), scheduleId, draftDeletion, condition);
    return { success: true };
  },
});
