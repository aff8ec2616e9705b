import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveTiming } from '../../src/domain/calendar/resolve-timing.ts';
import {
  checkInterval,
  countTimes,
  isFixedToMinute,
  nextTime,
  timesBetween,
} from '../../src/domain/calendar/times.ts';
import type { Timing, When } from '../../src/domain/calendar/timing.ts';
import { offsetMsOf } from '../../src/domain/calendar/window.ts';
import { PunctualError } from '../../src/domain/errors.ts';

/** The forms of an interval beside cron, and what bounds their times. */

const at = (text: string) => Date.parse(text);
const shown = (times: number[]) => times.map(time => new Date(time).toISOString());
const berlin = (interval: string) => ({ interval, timezone: 'Europe/Berlin' });
const CREATED = at('2026-11-01T12:00:00.250Z');

function resolved(interval: string, timing: Timing, timezone = 'UTC'): When {
  const facts = { createdAt: CREATED, hashed: 'x', versions: [] };
  const derived = resolveTiming({ interval, timezone, timing }, facts);
  return derived === undefined ? { interval, timezone } : { interval, timezone, timing: derived };
}

const timesOf = (when: When, from: string, until: string) =>
  shown(timesBetween(when, at(from), at(until), 1_000));

describe('at(…): once', () => {
  const once = (interval: string, timezone = 'Europe/Berlin') =>
    shown([nextTime({ interval, timezone }, 0)!])[0];

  test('local in the time zone, with or without seconds', () => {
    assert.equal(once('at(2026-12-24T18:00:00)'), '2026-12-24T17:00:00.000Z');
    assert.equal(once('at(2026-12-24T18:00)'), '2026-12-24T17:00:00.000Z');
  });

  test('absolute with Z or an offset, whatever the time zone is', () => {
    assert.equal(once('at(2026-12-24T18:00:00Z)'), '2026-12-24T18:00:00.000Z');
    assert.equal(once('at(2026-12-24T18:00:00+05:30)'), '2026-12-24T12:30:00.000Z');
  });

  test('in a spring gap the first moment after it, in an overlap the first pass', () => {
    assert.equal(once('at(2026-03-29T02:30:00)'), '2026-03-29T01:00:00.000Z');
    assert.equal(once('at(2026-10-25T02:30:00)'), '2026-10-25T00:30:00.000Z');
    assert.equal(once('at(2011-12-30T09:00:00)', 'Pacific/Apia'), '2011-12-30T10:00:00.000Z');
  });

  test('it has one time, before and after it none', () => {
    const when = berlin('at(2026-12-24T18:00:00)');
    const time = at('2026-12-24T17:00:00Z');
    assert.equal(nextTime(when, time - 1), time);
    assert.equal(nextTime(when, time), null);
    assert.equal(countTimes(when, time, time), 1);
    assert.equal(countTimes(when, time + 1, Number.POSITIVE_INFINITY), 0);
  });

  for (const wrong of [
    'at()',
    'at(2026-12-24)',
    'at(2026-02-30T10:00:00)',
    'at(2026-12-24T24:00:00)',
    'at(2026-12-24T18:00:60)',
    'at(2026-12-24 18:00:00)',
    'at(2026-12-24T18:00:00',
    'at(2026-12-24T18:00:00+25:00)',
    'at(0000-01-01T00:00:00)',
    'at(2026-12-24T18:00:00)x',
    'AT(2026-12-24T18:00:00)',
    'at(２０２６-12-24T18:00:00)',
  ]) {
    test(`${wrong} is refused`, () =>
      assert.throws(() => checkInterval(berlin(wrong)), PunctualError));
  }
});

describe('rate(…): a period of elapsed time', () => {
  test('without startsAt the first time comes a period after the create, up to the whole second', () => {
    assert.deepEqual(
      timesOf(resolved('rate(90 minutes)', {}), '2026-11-01T12:00:00Z', '2026-11-01T17:00:00Z'),
      ['2026-11-01T13:30:01.000Z', '2026-11-01T15:00:01.000Z', '2026-11-01T16:30:01.000Z'],
    );
  });

  test('with startsAt the first time is startsAt', () => {
    const when = resolved('rate(1 day)', { startsAt: at('2026-11-03T08:00:00Z') });
    assert.deepEqual(timesOf(when, '2026-11-01T00:00:00Z', '2026-11-05T00:00:00Z'), [
      '2026-11-03T08:00:00.000Z',
      '2026-11-04T08:00:00.000Z',
    ]);
  });

  test('a day has 24 hours, and the time zone changes nothing', () => {
    const when = resolved('rate(1 day)', { startsAt: at('2026-10-24T08:00:00Z') }, 'Europe/Berlin');
    assert.deepEqual(timesOf(when, '2026-10-25T00:00:00Z', '2026-10-26T12:00:00Z'), [
      '2026-10-25T08:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
    ]);
  });

  test('singular and plural are alike', () => {
    for (const unit of ['second', 'minute', 'hour', 'day']) {
      const [one, many] = [resolved(`rate(2 ${unit})`, {}), resolved(`rate(2 ${unit}s)`, {})];
      assert.equal(nextTime(one, CREATED), nextTime(many, CREATED));
    }
  });

  for (const wrong of [
    'rate(0 minutes)',
    'rate(367 days)',
    'rate(1.5 hours)',
    'rate(-1 hours)',
    'rate(5)',
    'rate(5 weeks)',
    'rate(5 minutes',
    'rate( minutes)',
    'Rate(5 minutes)',
  ]) {
    test(`${wrong} is refused`, () =>
      assert.throws(() => checkInterval(berlin(wrong)), PunctualError));
  }

  test('1 second and 366 days are the bounds', () => {
    checkInterval(berlin('rate(1 second)'));
    checkInterval(berlin('rate(366 days)'));
  });

  const ANY_RATE = 'a rate instead, such as rate(90 minutes)';
  for (const [every, advice] of [
    ['@every 90m', 'rate(90 minutes) instead'],
    ['@every 1h30m', 'rate(90 minutes) instead'],
    ['@every 2.5h', 'rate(150 minutes) instead'],
    ['@every 1.1h', 'rate(66 minutes) instead'],
    ['@EVERY 45s', 'rate(45 seconds) instead'],
    ['@every 1.5s', ANY_RATE],
    ['@every 1.2.3h', ANY_RATE],
    ['@every 2d', ANY_RATE],
    ['@every soon', ANY_RATE],
  ]) {
    test(`${every} is refused, and the sentence says to write ${advice}`, () => {
      assert.throws(() => checkInterval(berlin(every!)), {
        message: `The interval has @every: write ${advice}.`,
      });
    });
  }
});

describe('maxRuns', () => {
  test('counts from countFrom, and a time before it is not limited', () => {
    const when = resolved('0 * * * *', { maxRuns: 2, countFrom: at('2026-11-01T12:30:00Z') });
    assert.deepEqual(timesOf(when, '2026-11-01T11:00:00Z', '2026-11-02T00:00:00Z'), [
      '2026-11-01T11:00:00.000Z',
      '2026-11-01T12:00:00.000Z',
      '2026-11-01T13:00:00.000Z',
      '2026-11-01T14:00:00.000Z',
    ]);
  });

  test('an end of a hundred years off counts as none, and a nearer one is exact', () => {
    const far = resolved('0 0 * * *', { maxRuns: 1_000_000, countFrom: CREATED });
    assert.equal(far.timing?.lastAt, undefined);
    const near = resolved('* * * * *', { maxRuns: 1_000_000, countFrom: CREATED });
    assert.equal(countTimes(near, CREATED, Number.POSITIVE_INFINITY), 1_000_000);
  });

  test('fewer times within the bounds leave no last one', () => {
    const when = resolved('0 0 * * *', {
      maxRuns: 5,
      countFrom: CREATED,
      endsAt: at('2026-11-04T00:00:00Z'),
    });
    assert.equal(when.timing?.lastAt, undefined);
    assert.equal(countTimes(when, CREATED, Number.POSITIVE_INFINITY), 2);
  });
});

describe('the window', () => {
  test('is the first 48 bits of SHA-256 as a share of it, in whole seconds', () => {
    // sha256('x') begins with 2d711642b726 (hexadecimal).
    const share = 0x2d711642b726 / 2 ** 48;
    assert.equal(offsetMsOf('x', 3_600), Math.floor(share * 3_600) * 1_000);
    assert.equal(offsetMsOf('x', 1), 0);
  });

  test('daylight saving decides before it', () => {
    const when = resolved('30 2 * * *', { windowSeconds: 3_600 }, 'Europe/Berlin');
    const gapEnd = at('2026-03-29T01:00:00Z');
    assert.equal(nextTime(when, gapEnd - 1), gapEnd + offsetMsOf('x', 3_600));
  });
});

test('only an interval with one minute and one hour can move to another day', () => {
  for (const one of ['30 2 * * *', '0 30 2 * * MON', '*/20 30 2 * * *', '@daily', '59 23 31 * *']) {
    assert.ok(isFixedToMinute(one), one);
  }
  for (const many of [
    ...['*/5 2 * * *', '30 2,3 * * *', '0 */24 * * *', '* 30 * * * *', '@hourly'],
    ...['rate(1 day)', 'at(2026-12-24T18:00:00)'],
  ]) {
    assert.ok(!isFixedToMinute(many), many);
  }
});
