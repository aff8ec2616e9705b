import { callerOf } from '../access/authenticate.ts';
import { explainAt } from '../explain.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { ExplainQuery, Explanation } from '../openapi/schemas/stats.ts';
import { route } from '../route.ts';

const DAY_MS = 86_400_000;

export const explain = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId/explain',
  operationId: 'explain',
  summary: 'Whether a schedule fired at an instant, and why or why not',
  description: 'There is an answer for every instant: fired, late, skipped, missed, moved, …',
  tag: 'times',
  query: ExplainQuery,
  answer: Explanation,
  example: {
    query: { at: '2026-06-01T09:00' },
    answer: {
      scheduleId: SCHEDULE_ID,
      at: '2026-06-01T07:00:00.000Z',
      verdict: 'neverDue',
      sentence:
        'It was never due: "30 8 * * *" has no time at 2026-06-01 09:00:00 in Europe/Berlin.',
      interval: '30 8 * * *',
      timezone: 'Europe/Berlin',
      previous: '2026-06-01T06:30:00.000Z',
      next: '2026-06-02T06:30:00.000Z',
    },
  },
  handle:
    ({ store, clock, keepRunsDays, pausedSince, engine }) =>
    async request => {
      const { params, query } = request;
      const now = clock.now();
      const historyFrom = now - keepRunsDays * DAY_MS;
      // If nodes share the store, another one may work on a run that has begun.
      const startedInPause = store.cluster === null && !engine.hasStarted;
      const around = { now, historyFrom, startedInPause, pausedSince: await pausedSince() };
      return explainAt(store, callerOf(request), params.scheduleId, query.at, around);
    },
});
