import type { FastifyInstance } from 'fastify';
import { draftDeletion } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { readCondition } from '../http/etag.ts';
import { operation } from '../openapi/operation.ts';
import { DeleteResult } from '../openapi/schemas/schedule.ts';
import { updateSchedule } from '../update-schedule.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function deleteSchedule(app: FastifyInstance, deps: ApiDeps): void {
  const schema = operation({
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'It is disabled permanently and its metadata is kept. Idempotent.',
    tag: 'schedules',
    params: SCHEDULE_ID,
    condition: 'If-Match',
    answer: DeleteResult,
  });
  app.delete<ByScheduleId>('/schedule/:scheduleId', { schema }, async request => {
    const condition = readCondition('If-Match', request.headers['if-match']);
    const { scheduleId } = request.params;
    await updateSchedule(deps, callerOf(request), scheduleId, draftDeletion, condition);
    return { success: true };
  });
}
