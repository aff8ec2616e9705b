import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { draftNew } from '../../domain/draft.ts';
import { startOf } from '../../domain/start.ts';
import { scheduleAnswer } from '../answers.ts';
import { callerOf } from '../authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { etagOf, FIRST_VERSION } from '../etag.ts';
import { operation } from '../operation.ts';
import { Schedule, ScheduleInput } from '../schemas/schedule.ts';

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
