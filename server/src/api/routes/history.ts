import type * as Wire from '@punctual/client';
import { iso } from '../../domain/iso.ts';
import type { StepRange } from '../../store/contract/stats.ts';
import { callerOf } from '../access/authenticate.ts';
import { findSchedule } from '../find-schedule.ts';
import { readSteps } from '../http/step-range.ts';
import { SCHEDULE_ID } from '../openapi/examples/ids.ts';
import { History, HistoryQuery } from '../openapi/schemas/history.ts';
import { route } from '../route.ts';
import type { StepHistory } from '../stats/history.ts';

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
  handle:
    ({ store, history }) =>
    async request => {
      const caller = callerOf(request);
      const { schedule } = await findSchedule(store, caller, request.params.scheduleId);
      const range = readSteps(request.query);
      const [counted] = await history.of(caller.clientRowId, [schedule.id], range);
      return answer(counted!, range);
    },
});

function answer({ scheduleId, from, steps }: StepHistory, range: StepRange): Wire.History {
  return {
    scheduleId,
    from: iso(from),
    to: iso(range.to),
    stepSeconds: range.stepMs / 1_000,
    steps: steps.map(({ at, ...same }) => ({ at: iso(at), ...same })),
    ...(from > range.from && { isPartial: true }),
  };
}
