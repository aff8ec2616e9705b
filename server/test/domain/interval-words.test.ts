import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { timesBetween } from '../../src/domain/calendar/times.ts';
import { intervalWords } from '../../src/domain/calendar/words/interval-words.ts';
import { meaningOf } from '../support/words-reader.ts';

describe('the words of an interval', () => {
  const said: [string, string][] = [
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['0 * * * *', 'Every hour'],
    ['@hourly', 'Every hour'],
    ['5 * * * *', 'Every hour, at minute 5'],
    ['30 2 * * *', 'At 02:30, each day'],
    ['0 9,17 * * *', 'At 09:00 and 17:00, each day'],
    ['0 9 * * MON-FRI', 'At 09:00, Monday to Friday'],
    ['30 3 * * SAT,SUN', 'At 03:30, on Saturday and Sunday'],
    ['0 0 1 * *', 'At 00:00, on day 1 of the month'],
    ['0 */2 * * *', 'Every 2 hours, from 00:00, each day'],
    ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:45, Monday to Friday'],
    ['*/7 * * * *', 'At minutes 0, 7, 14 and so on to 56 of every hour'],
    ['0 */5 * * *', 'At 00:00, 05:00, 10:00, 15:00 and 20:00, each day'],
    ['0 0 15W * *', 'At 00:00, on the working day nearest to day 15 of the month'],
    ['0 0 * * 5#2', 'At 00:00, on the second Friday of the month'],
    ['0 0 L-3 * *', 'At 00:00, on the 3rd day before the last day of the month'],
    ['0 0 1 * MON', 'At 00:00, on day 1 of the month, and also on Monday'],
    [
      '0 0 */2 * 1,4',
      'At 00:00, on days 1, 3, 5 and so on to 31 of the month, if it is Monday or Thursday',
    ],
    ['5 4 * 1,3,5-8 *', 'At 04:05, each day, in January, March and May to August'],
    ['at(2026-12-24T18:00:00)', 'Once, on 2026-12-24 at 18:00'],
    ['at(2026-12-24T18:00:05Z)', 'Once, on 2026-12-24 at 18:00:05 UTC'],
    ['at(2026-12-24T18:00+01:00)', 'Once, on 2026-12-24 at 18:00 UTC+01:00'],
    ['rate(90 minutes)', 'Every 90 minutes'],
    ['rate(1 days)', 'Every day'],
  ];
  for (const [interval, words] of said) {
    test(`${interval} is "${words}"`, () => assert.equal(intervalWords(interval), words));
  }

  test('an interval that is none is refused', () => {
    for (const interval of [
      '',
      '* * * *',
      '61 * * * *',
      '0 0 31 2 *',
      'at(2026-02-30T00:00)',
      'rate(0 days)',
    ]) {
      assert.throws(() => intervalWords(interval), { code: 'interval_invalid' }, interval);
    }
  });

  test('read by somebody else, they mean the times that are counted', () => {
    const [from, days] = [Date.UTC(2027, 0, 1), 800];
    fc.assert(
      fc.property(
        cron(),
        fc.array(fc.nat(days * 86_400 - 1), { maxLength: 40 }),
        (interval, seconds) => {
          const words = intervalWords(interval);
          const isMeant = meaningOf(words);
          const when = { interval, timezone: 'UTC' };
          const isDue = (at: number) => timesBetween(when, at, at + 1_000, 1)[0] === at;
          const due = seconds.flatMap(second =>
            timesBetween(when, from + second * 1_000, Number.POSITIVE_INFINITY, 2),
          );
          const near = due.flatMap(at =>
            [-3_600, -60, -1, 1, 60, 3_600, 86_400].map(by => at + by * 1_000),
          );
          for (const at of due)
            assert.ok(isMeant(new Date(at)), `${interval} is due ${at}: ${words}`);
          for (const at of [...near, ...seconds.map(second => from + second * 1_000)]) {
            assert.equal(
              isMeant(new Date(at)),
              isDue(at),
              `${interval} at ${new Date(at).toISOString()}: ${words}`,
            );
          }
        },
      ),
      { numRuns: 1_500 },
    );
  });
});

/** Intervals that occur, of all forms that the fields know. */
function cron(): fc.Arbitrary<string> {
  const field = (min: number, max: number, ...others: fc.Arbitrary<string>[]) => {
    const value = fc.integer({ min, max });
    const range = fc.tuple(value, value).map(ends => ends.sort((a, b) => a - b).join('-'));
    const step = fc.tuple(
      fc.oneof(fc.constant('*'), range),
      fc.integer({ min: 1, max: max - min + 1 }),
    );
    const list = fc.array(fc.oneof(value.map(String), range), { minLength: 1, maxLength: 4 });
    return fc.oneof(
      { arbitrary: fc.constant('*'), weight: 4 },
      value.map(String),
      list.map(items => items.join(',')),
      step.map(parts => parts.join('/')),
      ...others,
    );
  };
  const nth = fc
    .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom('#1', '#2', '#4', '#5', 'L'))
    .map(parts => parts.join(''));
  const date = fc.constantFrom('L', 'L-1', 'L-3,4', 'LW', '15W', '1W', '1,L', '*/2', '1-31');
  return fc
    .tuple(
      fc.oneof({ arbitrary: fc.constant('0'), weight: 3 }, field(0, 59)),
      field(0, 59),
      field(0, 23),
      field(1, 28, date, date),
      field(1, 12),
      field(0, 7, nth, nth),
    )
    .map(fields => fields.join(' '))
    .filter(interval => {
      try {
        return intervalWords(interval) !== '';
      } catch {
        return false;
      }
    });
}
