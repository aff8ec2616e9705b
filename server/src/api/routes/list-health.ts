import { callerOf } from '../access/authenticate.ts';
import { Board } from '../board/board.ts';
import { GroupCounts } from '../board/group-counts.ts';
import { filterFrom } from '../board/queries.ts';
import { DEFAULT_LIMIT } from '../http/pagination.ts';
import { RUN_ID } from '../openapi/examples/ids.ts';
import { EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { HealthPage, HealthQuery } from '../openapi/schemas/health.ts';
import { route } from '../route.ts';

const EXAMPLE_OUTCOME = {
  id: RUN_ID,
  status: 'succeeded',
  scheduledFor: '2026-06-01T06:30:00.000Z',
} as const;

export const listHealth = route({
  method: 'GET',
  path: '/v1/schedule/health',
  operationId: 'listHealth',
  summary: 'List schedules with their latest outcomes, the worst, the slowest or the next first',
  description:
    'A ranking is up to a minute old. A page is continued by `cursor`, in the ranking with which the first page began ' +
    'as long as this node keeps it.',
  tag: 'schedules',
  query: HealthQuery,
  answer: HealthPage,
  example: {
    query: {
      limit: 50,
      status: 'enabled',
      sort: 'worst',
      groupBy: 'host',
    },
    answer: {
      items: [
        {
          schedule: EXAMPLE_SCHEDULE,
          recent: [EXAMPLE_OUTCOME],
          last: { ...EXAMPLE_OUTCOME, endedAt: '2026-06-01T06:30:00.091Z', responseStatus: 200 },
          nextAt: '2026-06-02T06:30:00.000Z',
          p95DurationMs: 87,
          p95LateMs: 4,
          succeeded24h: 1,
          ended24h: 1,
        },
      ],
      total: { count: 1, isExact: true },
      groups: [{ name: 'example.com', count: 1 }],
    },
  },
  handle: ({ store, clock, groups }) => {
    const board = new Board(store, clock);
    const groupCounts = new GroupCounts(store, clock, groups);
    return async request => {
      const { clientRowId } = callerOf(request);
      const { limit = DEFAULT_LIMIT, cursor, sort = 'newest', groupBy, ...query } = request.query;
      const filter = filterFrom(query);
      const [page, counted] = await Promise.all([
        board.page(clientRowId, sort, { filter, limit, cursor }),
        groupBy === undefined ? undefined : groupCounts.of(clientRowId, groupBy),
      ]);
      return {
        items: page.items,
        total: page.total,
        ...(counted && { groups: counted }),
        ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
      };
    };
  },
});
