import { checkExternalId } from '../../domain/schedule/identity.ts';
import { unstoredWhen } from '../../domain/schedule/timing-draft.ts';
import { callerOf } from '../access/authenticate.ts';
import { calendarsFor } from '../calendars.ts';
import { readInstant } from '../http/instant.ts';
import { DEFAULT_COUNT, timesAfter } from '../next-times.ts';
import { EXAMPLE_INPUT, EXAMPLE_TIMES } from '../openapi/examples/schedules.ts';
import { PreviewInput, Times } from '../openapi/schemas/time.ts';
import { route } from '../route.ts';

export const previewTimes = route({
  method: 'POST',
  path: '/v1/preview',
  operationId: 'previewTimes',
  summary: 'The times of an interval, without storing anything',
  description:
    'Interval, time zone and the fields beside them are judged as a create would judge them. A rate without `startsAt`, and ' +
    '`maxRuns`, count from `from`. Without `externalId` times stand at the start of their window.',
  tag: 'times',
  body: PreviewInput,
  answer: Times,
  example: {
    body: {
      interval: EXAMPLE_INPUT.interval,
      timezone: EXAMPLE_INPUT.timezone,
      from: '2026-05-31T14:20:00Z',
      count: 3,
    },
    answer: EXAMPLE_TIMES,
  },
  handle:
    ({ store, clock }) =>
    async request => {
      const { body } = request;
      const { from, count = DEFAULT_COUNT, externalId, exclude = [] } = body;
      const now = clock.now();
      const begin = from === undefined ? undefined : readInstant(from, 'from');
      if (externalId !== undefined) checkExternalId(externalId);
      const calendars = await calendarsFor(store, callerOf(request).clientRowId, exclude);
      return timesAfter(unstoredWhen(body, now, calendars, begin), begin ?? now, count);
    },
});
