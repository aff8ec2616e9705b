import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { PunctualError } from '../../domain/errors.ts';
import type { StepRange } from '../../store/contract/stats.ts';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { findSchedule } from '../find-schedule.ts';
import { readInstant } from '../http/instant.ts';
import { operation } from '../openapi/operation.ts';
import { History, HistoryQuery } from '../openapi/schemas/stats.ts';
import { HistoryStats } from '../stats/history.ts';
import { type ByScheduleId, SCHEDULE_ID } from './params.ts';

const MOST_STEPS = 1_000;

export function countHistory(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const history = new HistoryStats(store.stats, clock);
  const schema = operation({
    operationId: 'getHistory',
    summary: "What became of a schedule's times, counted step by step",
    description: 'Ended runs and times that did not fire, by their nominal times.',
    tag: 'figures',
    params: SCHEDULE_ID,
    query: HistoryQuery,
    answer: History,
  });
  app.get<ByScheduleId & { Querystring: Wire.HistoryQuery }>(
    '/schedule/:scheduleId/history',
    { schema },
    async request => {
      const caller = callerOf(request);
      const { schedule } = await findSchedule(store, caller, request.params.scheduleId);
      return history.of(caller.clientRowId, schedule.id, rangeFrom(request.query));
    },
  );
}

function rangeFrom({ from, to, stepSeconds }: Wire.HistoryQuery): StepRange {
  const stepMs = stepSeconds * 1_000;
  const first = readInstant(from, 'The query parameter from');
  const last = readInstant(to, 'The query parameter to');
  const range = {
    from: Math.floor(Math.max(0, first) / stepMs) * stepMs,
    to: Math.ceil(Math.max(0, last) / stepMs) * stepMs,
    stepMs,
  };
  const steps = (range.to - range.from) / stepMs;
  if (steps <= 0) throw refused('The query parameter to must be after from.');
  if (steps > MOST_STEPS) {
    throw refused(`From from to to there are ${steps} steps, above the limit of ${MOST_STEPS}.`);
  }
  return range;
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
