import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../openapi/operation.ts';
import { Forecast, ForecastQuery, Stats, StatsQuery } from '../openapi/schemas/stats.ts';
import { ForecastStats } from '../stats/forecast.ts';
import { ScheduleGroups } from '../stats/groups.ts';
import { ClientStats } from '../stats/stats.ts';

const DEFAULT_MINUTES = 60;

/** What has been, and what is to come, in numbers. */
export function statsAndForecast(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const stats = new ClientStats(store, clock);
  const groups = new ScheduleGroups(store.stats, clock);
  const forecast = new ForecastStats(clock, groups);

  const statsSchema = operation({
    operationId: 'getStats',
    summary: 'What ended in the last minutes, how late, what fails, and what is due next',
    description: 'Counted in whole minutes, for this client.',
    tag: 'figures',
    query: StatsQuery,
    answer: Stats,
  });
  app.get<{ Querystring: Wire.StatsQuery }>('/stats', { schema: statsSchema }, async request => {
    const { clientRowId } = callerOf(request);
    const answer = await stats.of(clientRowId, request.query.minutes ?? DEFAULT_MINUTES);
    // Who looks at what has been may look at what is to come next, and a million take seconds to count.
    groups.warm(clientRowId);
    return answer;
  });

  const forecastSchema = operation({
    operationId: 'getForecast',
    summary: 'How many firings are to come, by minute or by hour',
    description:
      'Of enabled schedules, without retries and manual runs. `countedAt` says when they were counted. Times that ' +
      'were sent already, while a clock was ahead, are counted too.',
    tag: 'figures',
    query: ForecastQuery,
    answer: Forecast,
  });
  app.get<{ Querystring: Wire.ForecastQuery }>('/forecast', { schema: forecastSchema }, request => {
    const { span = 'day', host } = request.query;
    return forecast.of(callerOf(request).clientRowId, span, host);
  });
}
