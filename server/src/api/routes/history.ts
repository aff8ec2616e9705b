import type * as Wire from '@punctual/client';
import { PunctualError } from '../../domain/errors.ts';
import type { StepRange } from '../../store/contract/stats.ts';
import { callerOf } from '../access/authenticate.ts';
import { findSchedule } from '../find-schedule.ts';
import { readInstant } from '../http/instant.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { History, HistoryQuery } from '../openapi/schemas/stats.ts';
import { route } from '../route.ts';
import { HistoryStats } from '../stats/history.ts';

const MOST_STEPS = 1_000;

export const getHistory = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId/history',
  operationId: 'getHistory',
  summary: "Count the results of a schedule's times, step by step",
  description: 'Ended runs and times that did not fire, by their nominal times.',
  tag: 'figures',
  query: HistoryQuery,
  answer: History,
  example: {
    query: { from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z', stepSeconds: 3_600 },
    answer: {
      scheduleId: SCHEDULE_ID,
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-06-02T00:00:00.000Z',
      stepSeconds: 3_600,
      steps: [{ at: '2026-06-01T06:00:00.000Z', succeeded: 1, failed: 0, skipped: 0, missed: 0 }],
    },
  },
  handle: ({ store, clock }) => {
    const history = new HistoryStats(store.stats, clock);
    return async request => {
      const caller = callerOf(request);
      const { schedule } = await findSchedule(store, caller, request.params.scheduleId);
      return history.of(caller.clientRowId, schedule.id, rangeFrom(request.query));
    };
  },
});

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
