import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkInterval,
  countTimes,
  lastTime,
  nextTime,
  timesBetween,
} from '../../src/domain/calendar/times.ts';
import vectors from '../data/cron-vectors.json' with { type: 'json' };
import { cpuMs } from '../support/cpu-time.ts';

const DAY_MS = 86_400_000;

/** The first `count` times strictly after `from`, as ISO 8601 without the seconds. */
function times(interval: string, timezone: string, from: string, count: number): string[] {
  const found: string[] = [];
  let at: number | null = Date.parse(from);
  while (found.length < count) {
    at = nextTime({ interval, timezone }, at);
    if (at === null) break;
    found.push(short(at));
  }
  return found;
}

function short(at: number): string {
  return new Date(at).toISOString().replace(':00.000Z', 'Z');
}

/** How often an interval occurs within [from, until). */
function occurrences(interval: string, timezone: string, from: string, until: string): number {
  return countTimes({ interval, timezone }, Date.parse(from), Date.parse(until) - 1);
}

test('each of the 560 collected cases gives the expected times', () => {
  assert.equal(vectors.length, 560);
  for (const { id, expr, tz, from, expect } of vectors) {
    const expected = expect.map(time => Date.parse(time));
    let after: number | null = Date.parse(from);
    for (const time of expected) {
      after = nextTime({ interval: expr, timezone: tz }, after!);
      assert.equal(after, time, id);
    }
  }
});

test('list, count and last time agree with each of the 560 collected cases', () => {
  for (const { id, expr, tz, from, expect } of vectors) {
    const expected = expect.map(time => Date.parse(time));
    const first = Date.parse(from) + 1;
    const last = expected.at(-1)!;
    assert.deepEqual(
      timesBetween({ interval: expr, timezone: tz }, first, last, 1_000),
      expected,
      id,
    );
    assert.equal(countTimes({ interval: expr, timezone: tz }, first, last), expected.length, id);
    assert.equal(lastTime({ interval: expr, timezone: tz }, first, last), last, id);
    assert.equal(
      lastTime({ interval: expr, timezone: tz }, first, last - 1),
      expected.at(-2) ?? null,
      id,
    );
  }
});

test('02:30 daily in Berlin fires at 03:00 on 29 March 2026, when 02:30 does not exist', () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00Z', 3), [
    '2026-03-28T01:30Z',
    '2026-03-29T01:00Z',
    '2026-03-30T00:30Z',
  ]);
});

test('all fixed times in one gap fire as one, together with one that is regular at its end', () => {
  const day = ['2026-03-29T00:00Z', '2026-03-30T00:00Z'] as const;
  assert.deepEqual(times('0,10,30 2,3 * * *', 'Europe/Berlin', day[0], 3), [
    '2026-03-29T01:00Z',
    '2026-03-29T01:10Z',
    '2026-03-29T01:30Z',
  ]);
  assert.equal(occurrences('0,10,30 2,3 * * *', 'Europe/Berlin', ...day), 3);
  assert.equal(occurrences('30 2 * * *', 'Europe/Berlin', ...day), 1);
  assert.equal(occurrences('* 30 2 * * *', 'Europe/Berlin', ...day), 1);
});

test('an interval that follows the clock has nothing in a gap', () => {
  const day = ['2026-03-28T23:00Z', '2026-03-29T22:00Z'] as const;
  assert.equal(occurrences('*/30 2 * * *', 'Europe/Berlin', ...day), 0);
  assert.equal(occurrences('30 * * * *', 'Europe/Berlin', ...day), 23);
  assert.equal(occurrences('30 */2 * * *', 'Europe/Berlin', ...day), 11);
});

test('01:30 daily in New York fires once on 1 November 2026, when 01:30 comes twice', () => {
  assert.deepEqual(times('30 1 * * *', 'America/New_York', '2026-11-01T04:00Z', 2), [
    '2026-11-01T05:30Z',
    '2026-11-02T06:30Z',
  ]);
  assert.deepEqual(times('30 1 * * *', 'America/New_York', '2026-11-01T05:30Z', 1), [
    '2026-11-02T06:30Z',
  ]);
});

test('an interval that follows the clock fires in both passes of an overlap', () => {
  const day = ['2026-11-01T04:00Z', '2026-11-02T05:00Z'] as const;
  assert.equal(occurrences('30 * * * *', 'America/New_York', ...day), 25);
  assert.equal(occurrences('*/20 1 * * *', 'America/New_York', ...day), 6);
  assert.equal(occurrences('0,20,40 1 * * *', 'America/New_York', ...day), 3);
});

test('a-b/n in the minute or hour is fixed: only a star in front follows the clock', () => {
  const day = ['2026-11-01T04:00Z', '2026-11-02T05:00Z'] as const;
  assert.equal(occurrences('0-59/20 1 * * *', 'America/New_York', ...day), 3);
  assert.equal(occurrences('5,*/20 1 * * *', 'America/New_York', ...day), 4);
  assert.equal(occurrences('*/20,5 1 * * *', 'America/New_York', ...day), 8);
});

test('a star in the seconds alone leaves an interval fixed', () => {
  const day = ['2026-11-01T04:00Z', '2026-11-02T05:00Z'] as const;
  assert.equal(occurrences('* 30 1 * * *', 'America/New_York', ...day), 60);
});

test('a gap before midnight is judged by the day that did not end: Nuuk, Saturday 23:30', () => {
  assert.deepEqual(times('30 23 * * SAT', 'America/Nuuk', '2024-03-30T12:00Z', 1), [
    '2024-03-31T01:00Z',
  ]);
  assert.equal(
    occurrences('30 23 * * SUN', 'America/Nuuk', '2024-03-31T00:00Z', '2024-03-31T12:00Z'),
    0,
  );
});

test('a gap across midnight is judged by the day of each time: Pyongyang, 4 and 5 May 2018', () => {
  const night = ['2018-05-04T14:00Z', '2018-05-04T15:30Z'] as const;
  assert.deepEqual(times('45 23 4 5 *', 'Asia/Pyongyang', night[0], 1), ['2018-05-04T15:00Z']);
  assert.equal(occurrences('45 23 5 5 *', 'Asia/Pyongyang', ...night), 0);
  assert.equal(occurrences('0,45 23,0 * * *', 'Asia/Pyongyang', ...night), 2, '23:00, 00:00');
});

test('a gap at midnight moves the first time of the day: Havana, 8 March 2026', () => {
  assert.deepEqual(times('0 0 * * SUN', 'America/Havana', '2026-03-07T12:00Z', 1), [
    '2026-03-08T05:00Z',
  ]);
});

test('the day that Apia left out in 2011 is not caught up', () => {
  assert.deepEqual(times('0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', 2), [
    '2011-12-29T22:00Z',
    '2011-12-30T22:00Z',
  ]);
  assert.equal(
    times('0 12 30 12 *', 'Pacific/Apia', '2011-01-01T00:00Z', 1)[0]?.slice(0, 4),
    '2012',
  );
});

test('a gap of exactly 3 hours is caught up: Casey, 18 October 2009', () => {
  assert.deepEqual(times('30 3 * * *', 'Antarctica/Casey', '2009-10-17T12:00Z', 1), [
    '2009-10-17T18:00Z',
  ]);
});

test('a change back of more than 3 hours holds nothing back: Kwajalein, 30 September 1969', () => {
  assert.deepEqual(times('0 12 30 9 *', 'Kwajalein', '1969-09-29T12:00Z', 2), [
    '1969-09-30T01:00Z',
    '1969-10-01T00:00Z',
  ]);
});

test('times before 1970 and offsets of odd seconds keep to the whole local minute', () => {
  assert.deepEqual(times('0 12 * * *', 'Europe/Berlin', '1800-01-01T00:00Z', 1), [
    '1800-01-01T11:06:32.000Z',
  ]);
  assert.deepEqual(times('0 12 1 1 *', 'UTC', '1969-06-01T00:00Z', 1), ['1970-01-01T12:00Z']);
  assert.deepEqual(times('0 0 29 2 *', 'UTC', '1896-03-01T00:00Z', 1), ['1904-02-29T00:00Z']);
});

test('29 February on a Sunday is found 40 years on, across 2100', () => {
  assert.deepEqual(times('0 9 29 2 */7', 'Europe/Berlin', '2088-03-01T00:00Z', 1), [
    '2128-02-29T08:00Z',
  ]);
});

test('times are those of the years 1 to 9999', () => {
  const last = Date.parse('9999-12-31T23:59:00Z');
  assert.equal(nextTime({ interval: '* * * * *', timezone: 'UTC' }, last - 1), last);
  assert.equal(nextTime({ interval: '* * * * *', timezone: 'UTC' }, last), null);
  assert.equal(
    nextTime({ interval: '* * * * *', timezone: 'UTC' }, last),
    null,
    'remembered as null',
  );
  assert.equal(
    nextTime({ interval: '* * * * *', timezone: 'UTC' }, Number.POSITIVE_INFINITY),
    null,
  );
  assert.deepEqual(
    timesBetween({ interval: '* * * * *', timezone: 'UTC' }, last, Number.POSITIVE_INFINITY, 9),
    [last],
  );
  assert.equal(
    lastTime({ interval: '* * * * *', timezone: 'UTC' }, 0, Number.POSITIVE_INFINITY),
    last,
  );
  const first = Date.parse('0001-01-01T00:00:00Z');
  assert.equal(
    nextTime({ interval: '* * * * *', timezone: 'UTC' }, Number.NEGATIVE_INFINITY),
    first,
  );
  assert.equal(
    lastTime({ interval: '* * * * *', timezone: 'UTC' }, Number.NEGATIVE_INFINITY, first - 1),
    null,
  );
  assert.equal(
    countTimes({ interval: '* * * * *', timezone: 'UTC' }, Number.NEGATIVE_INFINITY, first),
    1,
  );
});

test('an interval that its time zone leaves no time has no next time', () => {
  // 29 March is a Sunday exactly in the years when that night has no 02:00 to 02:59.
  assert.equal(
    nextTime({ interval: '*/5 2 29 3 */7', timezone: 'Europe/Berlin' }, Date.UTC(2026, 0)),
    null,
  );
  checkInterval({ interval: '*/5 2 29 3 */7', timezone: 'Europe/Berlin' });
});

test('a time counts as after an instant only when it is strictly later, to the millisecond', () => {
  const noon = Date.parse('2026-07-01T12:00Z');
  assert.equal(nextTime({ interval: '0 12 * * *', timezone: 'UTC' }, noon - 0.5), noon);
  assert.equal(nextTime({ interval: '0 12 * * *', timezone: 'UTC' }, noon - 1), noon);
  assert.equal(nextTime({ interval: '0 12 * * *', timezone: 'UTC' }, noon), noon + DAY_MS);
  assert.equal(nextTime({ interval: '0 12 * * *', timezone: 'UTC' }, noon + 0.5), noon + DAY_MS);
});

test('what was answered before changes no answer, whatever the order of the questions', () => {
  const noon = Date.parse('2026-07-01T12:00Z');
  const at = (days: number, ms = 0) => noon + days * DAY_MS + ms;
  const questions: [after: number, next: number][] = [
    [at(0), at(1)],
    [at(0, 1), at(1)],
    [at(1, -1), at(1)],
    [at(1), at(2)],
    [at(0, -1), at(0)],
    [at(5), at(6)],
    [at(1, 1), at(2)],
    [at(0), at(1)],
  ];
  for (const [after, next] of questions)
    assert.equal(nextTime({ interval: '0 12 * * *', timezone: 'Etc/UTC' }, after), next);
  assert.notEqual(
    nextTime({ interval: '0 12 * * *', timezone: 'Asia/Tokyo' }, at(0)),
    at(1),
    'a pair of its own',
  );
});

test('both ends of a stretch belong to it, and a limit cuts its end', () => {
  const from = Date.parse('2026-07-01T00:00Z');
  const until = from + 2 * DAY_MS;
  const midnights = [from, from + DAY_MS, until];
  assert.deepEqual(
    timesBetween({ interval: '@daily', timezone: 'UTC' }, from, until, 10),
    midnights,
  );
  assert.deepEqual(
    timesBetween({ interval: '@daily', timezone: 'UTC' }, from, until, 2),
    midnights.slice(0, 2),
  );
  assert.deepEqual(timesBetween({ interval: '@daily', timezone: 'UTC' }, from, until, 0), []);
  assert.deepEqual(
    timesBetween({ interval: '@daily', timezone: 'UTC' }, from + 0.5, until - 0.5, 10),
    [from + DAY_MS],
  );
  assert.equal(countTimes({ interval: '@daily', timezone: 'UTC' }, from, until), 3);
  assert.equal(countTimes({ interval: '@daily', timezone: 'UTC' }, from + 0.5, until - 0.5), 1);
  assert.equal(countTimes({ interval: '@daily', timezone: 'UTC' }, until, from), 0);
  assert.equal(lastTime({ interval: '@daily', timezone: 'UTC' }, from, until), until);
  assert.equal(
    lastTime({ interval: '@daily', timezone: 'UTC' }, from + 1, until - 1),
    from + DAY_MS,
  );
  assert.equal(lastTime({ interval: '@daily', timezone: 'UTC' }, from + 1, from + 2), null);
});

test('the last time may be the end of a gap, or lie in a segment before it', () => {
  const zone = 'Europe/Berlin';
  const gapEnd = Date.parse('2026-03-29T01:00Z');
  assert.equal(lastTime({ interval: '30 2 * * *', timezone: zone }, 0, gapEnd + 3_600_000), gapEnd);
  assert.equal(
    lastTime({ interval: '30 2 * * *', timezone: zone }, 0, gapEnd - 1),
    Date.parse('2026-03-28T01:30Z'),
  );
  assert.equal(
    lastTime({ interval: '0 9 1 1 *', timezone: zone }, 0, gapEnd),
    Date.parse('2026-01-01T08:00Z'),
  );
  assert.equal(
    lastTime({ interval: '30 2 * * *', timezone: zone }, gapEnd + 1, gapEnd + 3_600_000),
    null,
  );
});

test('every second of ten years is counted within 500 ms', () => {
  const from = Date.parse('2026-01-01T00:00Z');
  const start = cpuMs();
  const count = countTimes(
    { interval: '* * * * * *', timezone: 'Europe/Berlin' },
    from,
    from + 3_650 * DAY_MS - 1,
  );
  assert.ok(cpuMs() - start < 500);
  assert.equal(count, 3_650 * 86_400);
});

test('an unknown time zone or a bad interval is refused by every function', () => {
  const calls = [
    (interval: string, timezone: string) => checkInterval({ interval, timezone }),
    (interval: string, timezone: string) => nextTime({ interval, timezone }, 0),
    (interval: string, timezone: string) => lastTime({ interval, timezone }, 0, 1),
    (interval: string, timezone: string) => countTimes({ interval, timezone }, 0, 1),
    (interval: string, timezone: string) => timesBetween({ interval, timezone }, 0, 1, 1),
  ];
  for (const call of calls) {
    assert.throws(() => call('0 0 * * *', 'Mars/Phobos'), { code: 'timezone_unknown' });
    assert.throws(() => call('0 0 * *', 'UTC'), { code: 'interval_invalid' });
  }
});
