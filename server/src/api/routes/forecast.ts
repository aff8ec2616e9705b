import { callerOf } from '../access/authenticate.ts';
import { Forecast, ForecastQuery } from '../openapi/schemas/stats.ts';
import { route } from '../route.ts';
import { ForecastStats } from '../stats/forecast.ts';

export const getForecast = route({
  method: 'GET',
  path: '/v1/forecast',
  operationId: 'getForecast',
  summary: 'How many firings are to come, by minute or by hour',
  description:
    'Of enabled schedules, without retries and manual runs. `countedAt` says when they were counted. Times that ' +
    'were sent already, while a clock was ahead, are counted too.',
  tag: 'figures',
  query: ForecastQuery,
  answer: Forecast,
  example: {
    query: { span: 'week' },
    answer: {
      from: '2026-06-01T06:00:00.000Z',
      stepSeconds: 3_600,
      counts: [1, 0, 0, 0, 0, 0],
      firings: 7,
      schedules: 1,
      uncounted: 0,
      hosts: [{ host: 'example.com', firings: 7 }],
      countedAt: '2026-06-01T06:45:12.310Z',
    },
  },
  handle: ({ store, clock, groups }) => {
    const forecast = new ForecastStats(clock, groups, store.calendars);
    return request => {
      const { span = 'day', host } = request.query;
      return forecast.of(callerOf(request).clientRowId, span, host);
    };
  },
});
