import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import type { RunView } from '../../store/contract/runs.ts';
import { callerOf } from '../access/authenticate.ts';
import { findSchedule } from '../find-schedule.ts';
import { DEFAULT_COUNT, unsentTimesAfter } from '../next-times.ts';
import { EXAMPLE_TIMES } from '../openapi/examples/schedules.ts';
import { NextQuery, Times } from '../openapi/schemas/time.ts';
import { route } from '../route.ts';

/** More than there are times in a window of `unsentTimesAfter`: manual runs may stand between. */
const MOST_RUNS = 2_000;

export const nextTimes = route({
  method: 'GET',
  path: '/v1/schedule/:scheduleId/next',
  operationId: 'nextTimes',
  summary: 'The next times of a schedule; none where it is not enabled',
  description: 'Times that were sent already, while a clock was ahead, are left out.',
  tag: 'times',
  query: NextQuery,
  answer: Times,
  example: { query: { count: 3 }, answer: EXAMPLE_TIMES },
  handle:
    ({ store, clock }) =>
    async request => {
      const { count = DEFAULT_COUNT } = request.query;
      const { clientRowId } = callerOf(request);
      const { schedule } = await findSchedule(store, callerOf(request), request.params.scheduleId);
      if (schedule.status !== 'enabled') return { times: [] };
      await loadCalendars(store.calendars, [schedule]);
      const sentIn = async (from: number, to: number) => {
        const filter = { scheduleId: schedule.id, from, to };
        const runs = await store.runs.list(clientRowId, filter, MOST_RUNS);
        return new Set(runs.filter(wasSent).map(({ scheduledFor }) => scheduledFor));
      };
      return { times: await unsentTimesAfter(schedule, () => clock.now(), count, sentIn) };
    },
});

function wasSent({ trigger, status }: RunView): boolean {
  return trigger === 'schedule' && (status === 'succeeded' || status === 'failed');
}
