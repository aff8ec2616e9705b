import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { draftReplacement } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { etagOf, readCondition } from '../http/etag.ts';
import { operation } from '../openapi/operation.ts';
import { Schedule, ScheduleInput } from '../openapi/schemas/schedule.ts';
import { updateSchedule } from '../update-schedule.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function replaceSchedule(app: FastifyInstance, deps: ApiDeps): void {
  const schema = operation({
    operationId: 'replaceSchedule',
    summary: 'Replace a schedule',
    description: 'All properties: optional ones that are left out are not kept, but status is.',
    tag: 'schedules',
    params: SCHEDULE_ID,
    condition: 'If-Match',
    isTagged: true,
    body: ScheduleInput,
    answer: Schedule,
  });
  app.put<ByScheduleId & { Body: Wire.ScheduleInput }>(
    '/schedule/:scheduleId',
    { schema },
    async (request, reply) => {
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
  );
}
