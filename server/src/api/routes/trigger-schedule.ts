import type { FastifyInstance } from 'fastify';
import { newId, runId } from '../../domain/id.ts';
import { refuseDeleted } from '../../domain/schedule/draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { runAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { findSchedule } from '../find-schedule.ts';
import { operation } from '../openapi/operation.ts';
import { Run } from '../openapi/schemas/run.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

export function triggerSchedule(app: FastifyInstance, deps: ApiDeps): void {
  const { store, clock, engine } = deps;
  const schema = operation({
    operationId: 'triggerSchedule',
    summary: 'Run a schedule now, once, a disabled one too',
    description:
      'The answer tells the run as it was queued. A client has 1,000 manual runs that have not ended, at ' +
      'most: one more is a 400 (`too_many_waiting`).',
    tag: 'runs',
    params: SCHEDULE_ID,
    answer: Run,
  });
  app.post<ByScheduleId>('/schedule/:scheduleId/trigger', { schema }, async request => {
    const caller = callerOf(request);
    const { schedule } = await findSchedule(store, caller, request.params.scheduleId);
    refuseDeleted(schedule, 'triggered');
    const now = clock.now();
    // Of its own for every call, and carrying exactly `now`, by which runs are listed and found.
    const id = runId(newId(now), now);
    const run = { id, scheduledFor: now };
    if (!(await store.outbox.insertManual(caller.clientRowId, schedule.id, run))) {
      // It was deleted in between.
      refuseDeleted({ ...schedule, status: 'deleted' }, 'triggered');
    }
    engine.wakeOutbox(schedule.id);
    const queued = {
      ...run,
      scheduleId: schedule.id,
      trigger: 'manual' as const,
      status: 'queued' as const,
      attempts: [],
    };
    return runAnswer(queued, []);
  });
}
