import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { startOf } from '../../domain/run/start.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { etagOf, FIRST_VERSION } from '../http/etag.ts';
import { operation } from '../openapi/operation.ts';
import { Schedule, ScheduleInput } from '../openapi/schemas/schedule.ts';

export function createSchedule(app: FastifyInstance, deps: ApiDeps): void {
  const { store, clock, allow, engine } = deps;
  const schema = operation({
    operationId: 'createSchedule',
    summary: 'Create a schedule',
    description:
      'It is enabled unless the body says otherwise, and fires first at its next time after now.',
    tag: 'schedules',
    body: ScheduleInput,
    answer: Schedule,
    isTagged: true,
  });
  app.post<{ Body: Wire.ScheduleInput }>('/schedule', { schema }, async (request, reply) => {
    const now = clock.now();
    const schedule = draftNew(request.body, now, allow);
    const start = startOf(schedule, now);
    await store.schedules.insert(callerOf(request).clientRowId, [{ schedule, start }]);
    if (start) engine.wake(start.first);
    reply.header('ETag', etagOf(FIRST_VERSION));
    return scheduleAnswer(schedule);
  });
}
