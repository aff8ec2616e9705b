import { callerOf } from '../access/authenticate.ts';
import { SCHEDULE_ID, TARGET } from '../openapi/examples/ids.ts';
import { EXAMPLE_TALLY } from '../openapi/examples/runs.ts';
import { Stats, StatsQuery } from '../openapi/schemas/stats.ts';
import { route } from '../route.ts';
import { ClientStats } from '../stats/stats.ts';

const DEFAULT_MINUTES = 60;

export const getStats = route({
  method: 'GET',
  path: '/v1/stats',
  operationId: 'getStats',
  summary:
    'Get the runs of the last minutes, their lateness, failing schedules and the next firings',
  description: 'Counted in whole minutes, for this client.',
  tag: 'figures',
  query: StatsQuery,
  answer: Stats,
  example: {
    query: { minutes: 60 },
    answer: {
      from: '2026-06-01T06:00:00.000Z',
      to: '2026-06-01T06:45:12.310Z',
      total: EXAMPLE_TALLY,
      minutes: [{ at: '2026-06-01T06:30:00.000Z', ...EXAMPLE_TALLY }],
      failing: [
        {
          scheduleId: SCHEDULE_ID,
          label: 'Daily report',
          url: TARGET,
          failures: 2,
          inARow: 1,
          lastFailedFor: '2026-06-01T06:30:00.000Z',
          error: 'The answer was 500.',
        },
      ],
      next: [
        {
          scheduleId: SCHEDULE_ID,
          label: 'Daily report',
          url: TARGET,
          scheduledFor: '2026-06-02T06:30:00.000Z',
          dueAt: '2026-06-02T06:30:00.000Z',
          isRetry: false,
        },
      ],
      openBreakers: [
        {
          origin: 'https://down.example.com',
          since: '2026-06-01T06:31:04.220Z',
          openedAt: '2026-06-01T06:31:15.871Z',
        },
      ],
      enabledSchedules: 1,
      disabledSchedules: 0,
    },
  },
  handle: ({ store, clock, groups }) => {
    const stats = new ClientStats(store, clock);
    return async request => {
      const { clientRowId } = callerOf(request);
      const answer = await stats.of(clientRowId, request.query.minutes ?? DEFAULT_MINUTES);
      // A caller of the statistics may ask for the forecast next, and a million schedules take
      // seconds to count.
      groups.warm(clientRowId);
      return answer;
    };
  },
});
