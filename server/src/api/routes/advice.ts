import { callerOf } from '../access/authenticate.ts';
import { Advice } from '../openapi/schemas/stats.ts';
import { route } from '../route.ts';
import { AdviceStats } from '../stats/advice.ts';

export const advice = route({
  method: 'GET',
  path: '/v1/advice',
  operationId: 'advice',
  summary: 'Find many firings at the same second to one host, and the window that spreads them',
  description:
    'More than 100 firings at one second of the next 24 hours, from schedules of one interval without a window. To ' +
    'accept an advice, send its ids and `{"windowSeconds": …}` to `POST /v1/schedule/patch`.',
  tag: 'figures',
  answer: Advice,
  example: {
    answer: {
      items: [],
      countedAt: '2026-06-01T06:45:12.310Z',
    },
  },
  handle: ({ store, clock, groups }) => {
    const stats = new AdviceStats(store, clock, groups);
    return request => stats.of(callerOf(request).clientRowId);
  },
});
