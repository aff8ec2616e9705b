import { intervalWords as wordsOf } from '../../domain/calendar/words/interval-words.ts';
import { IntervalWordsList, WordsInput } from '../openapi/schemas/time.ts';
import { route } from '../route.ts';
import { inPlace } from '../update-schedule.ts';

export const intervalWords = route({
  method: 'POST',
  path: '/v1/words',
  operationId: 'intervalWords',
  summary: 'Intervals in words',
  description:
    'The words come from the values that the service counts the times of. So `*/7 * * * *` is not "every 7 minutes". They ' +
    'are times of the wall clock, without bounds, calendars and windows. An invalid interval is a 400.',
  tag: 'times',
  body: WordsInput,
  answer: IntervalWordsList,
  example: {
    body: { intervals: ['*/15 9-17 * * 1-5', '*/7 * * * *'] },
    answer: {
      items: [
        {
          interval: '*/15 9-17 * * 1-5',
          words: 'Every 15 minutes from 09:00 to 17:45, Monday to Friday',
        },
        {
          interval: '*/7 * * * *',
          words: 'At minutes 0, 7, 14 and so on to 56 of every hour',
        },
      ],
    },
  },
  handle:
    () =>
    async ({ body }) => ({
      items: body.intervals.map((interval, index) => ({
        interval,
        words: inPlace(`intervals[${index}]`, () => wordsOf(interval)),
      })),
    }),
});
