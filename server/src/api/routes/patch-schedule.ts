import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { draftPatch } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { etagOf, readCondition } from '../http/etag.ts';
import { operation } from '../openapi/operation.ts';
import { Schedule, SchedulePatch } from '../openapi/schemas/schedule.ts';
import { updateSchedule } from '../update-schedule.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function patchSchedule(app: FastifyInstance, deps: ApiDeps): void {
  const schema = operation({
    operationId: 'patchSchedule',
    summary: 'Change some properties of a schedule',
    description: 'A JSON Merge Patch (RFC 7396): null removes an optional property.',
    tag: 'schedules',
    params: SCHEDULE_ID,
    condition: 'If-Match',
    isTagged: true,
    body: SchedulePatch,
    consumes: ['application/json', 'application/merge-patch+json'],
    answer: Schedule,
  });
  app.patch<ByScheduleId & { Body: Wire.SchedulePatch }>(
    '/schedule/:scheduleId',
    { schema },
    async (request, reply) => {
      const { body, params, headers } = request;
      const changed = await updateSchedule(
        deps,
        callerOf(request),
        params.scheduleId,
        (current, now) => draftPatch(body, current, now, deps.allow),
        readCondition('If-Match', headers['if-match']),
      );
      reply.header('ETag', etagOf(changed.version));
      return scheduleAnswer(changed.schedule);
    },
  );
}
