import type * as Wire from '@punctual/client';
import { newId, runId } from '../../domain/id.ts';
import { refuseDeleted } from '../../domain/schedule/draft.ts';
import type { IdempotentCall } from '../../store/contract/idempotency.ts';
import type { Caller } from '../../store/contract/keys.ts';
import { callerOf } from '../access/authenticate.ts';
import { runAnswer } from '../answers.ts';
import { findRun } from '../find-run.ts';
import { findSchedule } from '../find-schedule.ts';
import { MANUAL_RUN_ID, SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { Run } from '../openapi/schemas/run.ts';
import { type EndpointDeps, route } from '../route.ts';

export const triggerSchedule = route({
  method: 'POST',
  path: '/v1/schedule/:scheduleId/trigger',
  operationId: 'triggerSchedule',
  summary: 'Run a schedule now, once, a disabled one too',
  description:
    'The answer tells the run as it was queued. A client has 1,000 manual runs that have not ended, at ' +
    'most: one more is a 400 (`too_many_waiting`).',
  tag: 'runs',
  answer: Run,
  isKeyed: true,
  example: {
    answer: {
      id: MANUAL_RUN_ID,
      scheduleId: SCHEDULE_ID,
      scheduledFor: '2026-06-01T06:44:25.100Z',
      trigger: 'manual',
      status: 'queued',
      attempts: [],
    },
  },
  handle: deps => (request, reply) => {
    const caller = callerOf(request);
    const { scheduleId } = request.params;
    return deps.replayer.answer(request, reply, {
      make: call => trigger(deps, caller, scheduleId, call),
      replay: ([id]) => findRun(deps.store, caller, id!, deps.clock.now()),
    });
  },
});

/** @returns null where a call with this key was faster */
async function trigger(
  { store, clock, engine }: EndpointDeps,
  caller: Caller,
  reference: string,
  call?: IdempotentCall,
): Promise<Wire.Run | null> {
  const { schedule } = await findSchedule(store, caller, reference);
  refuseDeleted(schedule, 'triggered');
  const now = clock.now();
  // Of its own for every call, and carrying exactly `now`, by which runs are listed and found.
  const id = runId(newId(now), now);
  const run = { id, scheduledFor: now };
  const inserted = await store.outbox.insertManual(caller.clientRowId, schedule.id, run, call);
  if (inserted === 'replayed') return null;
  if (inserted === 'unknown') {
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
}
