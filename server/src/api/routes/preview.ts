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
  description: 'The interval is judged as a create would judge it.',
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
    ({ clock }) =>
    async request => {
      const { interval, timezone, from, count = DEFAULT_COUNT } = request.body;
      const after = from === undefined ? clock.now() : readInstant(from, 'from');
      return timesAfter(interval, timezone, after, count);
    },
});
