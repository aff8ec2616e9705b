import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import type { ApiDeps } from '../deps.ts';
import { DEFAULT_LIMIT, idBefore, pageOf } from '../http/pagination.ts';
import { operation } from '../openapi/operation.ts';
import { SchedulePage, ScheduleQuery } from '../openapi/schemas/schedule.ts';

export function listSchedules(app: FastifyInstance, { store }: ApiDeps): void {
  const schema = operation({
    operationId: 'listSchedules',
    summary: 'List schedules, newest first',
    description: 'Deleted ones only where `status` asks for them. A page is continued by `cursor`.',
    tag: 'schedules',
    query: ScheduleQuery,
    answer: SchedulePage,
  });
  app.get<{ Querystring: Wire.ScheduleQuery }>('/schedule', { schema }, async request => {
    const { limit = DEFAULT_LIMIT, cursor, ...filter } = request.query;
    const { clientRowId } = callerOf(request);
    // One more than asked for tells whether another page follows.
    const before = idBefore(cursor);
    const { schedules, next } = await store.schedules.list(clientRowId, filter, limit + 1, before);
    return pageOf(schedules, limit, scheduleAnswer, next);
  });
}
