import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { explainAt } from '../explain.ts';
import { operation } from '../openapi/operation.ts';
import { ExplainQuery, Explanation } from '../openapi/schemas/stats.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

const DAY_MS = 86_400_000;

export function explainTime(
  app: FastifyInstance,
  { store, clock, keepRunsDays, pausedSince }: ApiDeps,
): void {
  const schema = operation({
    operationId: 'explain',
    summary: 'Whether a schedule fired at an instant, and why or why not',
    description: 'There is an answer for every instant: fired, late, skipped, missed, moved, …',
    tag: 'times',
    params: SCHEDULE_ID,
    query: ExplainQuery,
    answer: Explanation,
  });
  app.get<ByScheduleId & { Querystring: Wire.ExplainQuery }>(
    '/schedule/:scheduleId/explain',
    { schema },
    async request => {
      const { params, query } = request;
      const now = clock.now();
      const historyFrom = now - keepRunsDays * DAY_MS;
      const around = { now, historyFrom, pausedSince: await pausedSince() };
      return explainAt(store, callerOf(request), params.scheduleId, query.at, around);
    },
  );
}
