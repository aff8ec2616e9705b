import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { filterFrom } from '../board/queries.ts';
import { DEFAULT_LIMIT, idBefore, pageOf } from '../http/pagination.ts';
import { EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { SchedulePage, ScheduleQuery } from '../openapi/schemas/schedule.ts';
import { route } from '../route.ts';

export const listSchedules = route({
  method: 'GET',
  path: '/v1/schedule',
  operationId: 'listSchedules',
  summary: 'List schedules, newest first',
  description: 'Deleted ones only where `status` asks for them. A page is continued by `cursor`.',
  tag: 'schedules',
  query: ScheduleQuery,
  answer: SchedulePage,
  example: {
    query: { limit: 20, status: 'enabled', label: 'report', url: 'http', tag: ['team:billing'] },
    answer: { items: [EXAMPLE_SCHEDULE] },
  },
  handle:
    ({ store, clock }) =>
    async request => {
      const { limit = DEFAULT_LIMIT, cursor, ...query } = request.query;
      const { clientRowId } = callerOf(request);
      // One more than asked for tells whether another page follows.
      const before = idBefore(cursor);
      const filter = filterFrom(query);
      const { schedules, next } = await store.schedules.list(
        clientRowId,
        filter,
        limit + 1,
        before,
      );
      const now = clock.now();
      return pageOf(schedules, limit, schedule => scheduleAnswer(schedule, now), next);
    },
});
