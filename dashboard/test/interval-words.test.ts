import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timesBetween } from '../../server/src/domain/calendar/calendar.ts';
import { inWords } from '../src/interval-words.ts';

test('intervals whose words are right have them', () => {
  const words: [string, string][] = [
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['0 * * * *', 'Every hour'],
    ['@hourly', 'Every hour'],
    ['30 2 * * *', 'At 02:30, each day'],
    ['0 9,17 * * *', 'At 09:00 and 17:00, each day'],
    ['@daily', 'At 00:00, each day'],
    ['0 9 * * MON-FRI', 'At 09:00, Monday through Friday'],
    ['0 0 1 * *', 'At 00:00, on day 1 of the month'],
    ['0 */2 * * *', 'On the hour, every 2 hours'],
  ];
  for (const [interval, said] of words) assert.equal(inWords(interval), said, interval);
});

test('intervals that the library would say wrongly, or in two senses, are told by their times alone', () => {
  for (const interval of [
    '*/7 * * * *',
    '*/45 * * * *',
    '*/9 * * * * *',
    '0 */5 * * *',
    '3-59/7 * * * *',
    '0 0 */2 * *',
    '0 0 1 */5 *',
    '0 0 1 * MON',
    '0 0 */2 * 1',
    '*/15 9,17 * * *',
    '* */2 * * *',
    '0 0 15W * *',
    '0 0 * * 5#2',
    '0 22-6 * * *',
    '',
    '* * * *',
    'nonsense',
    '*/0 * * * *',
  ]) {
    assert.equal(inWords(interval), null, interval);
  }
});

const NEW_YEAR = Date.UTC(2027, 0, 1);
const UNITS: Record<string, number> = { second: 1_000, minute: 60_000, hour: 3_600_000 };

test('what the words say of a step or a time of day is when it fires', () => {
  const number = (to: number) => fc.integer({ min: 0, max: to }).map(String);
  const field = (to: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: 1, max: to }).map(step => `*/${step}`),
      number(to),
      fc.tuple(number(to), number(to)).map(pair => pair.join(',')),
    );
  let every = 0;
  let daily = 0;
  fc.assert(
    fc.property(fc.option(field(59)), field(59), field(23), (second, minute, hour) => {
      const interval = [...(second === null ? [] : [second]), minute, hour, '*', '*', '*'].join(
        ' ',
      );
      const words = inWords(interval);
      if (words === null) return;
      const times = timesBetween(interval, 'UTC', NEW_YEAR, Number.POSITIVE_INFINITY, 200);
      const [, count = '1', unit] = /^Every (?:(\d+) )?(second|minute|hour)s?$/.exec(words) ?? [];
      if (unit !== undefined) {
        every += 1;
        const gaps = new Set(times.slice(1).map((time, index) => time - times[index]!));
        assert.deepEqual([...gaps], [Number(count) * UNITS[unit]!], `${interval}: ${words}`);
      }
      const said = /^At ([\d:]+)(?: and ([\d:]+))?, each day$/.exec(words);
      if (said !== null) {
        daily += 1;
        const found = new Set(times.map(time => new Date(time).toISOString().slice(11, 19)));
        const clock = (text: string) => (text.length === 5 ? `${text}:00` : text);
        const told = said.slice(1).filter(text => text !== undefined);
        assert.deepEqual([...found].sort(), [...new Set(told.map(clock))].sort(), interval);
      }
    }),
    { numRuns: 3_000 },
  );
  assert.ok(every > 20 && daily > 20, `${every} steps and ${daily} times of day were seen`);
});
