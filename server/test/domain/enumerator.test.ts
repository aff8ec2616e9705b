import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { dueTimes } from '../../sim/model/calendar/due-times.ts';
import { classify, enumerate, type World } from '../../sim/model/calendar/enumerator.ts';
import type { Period } from '../../src/domain/calendar/exclusion/period.ts';
import { scenes } from '../support/domain/worlds.ts';
import { casesOf } from '../support/long.ts';

/** The oracle of the calendar, held against cases whose instants were found by hand. */

interface CronVector {
  id: string;
  expr: string;
  tz: string;
  /** Exclusive. */
  from: string;
  expect: string[];
}

const VECTORS: CronVector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../data/cron-vectors.json'), 'utf8'),
);

const CREATED_AT = Date.parse('2026-01-01T00:00:00.400Z');

function isInReach({ from, expect }: CronVector): boolean {
  return [from, ...expect].every(text => text >= '1980' && text < '2038');
}

function times(world: Partial<World>, from: string, to: string): string[] {
  const whole = { interval: '0 0 * * *', timezone: 'UTC', createdAt: CREATED_AT, ...world };
  return enumerate(whole, Date.parse(from), Date.parse(to)).map(iso);
}

function verdict(world: Partial<World>, at: string) {
  const whole = { interval: '0 0 * * *', timezone: 'UTC', createdAt: CREATED_AT, ...world };
  const found = classify(whole, Date.parse(at));
  return found.is === 'rolled' ? `rolled ${iso(found.movedTo)}` : found.is;
}

function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/** Local where neither end has a `Z`; a date alone is its first moment. */
function period(from: string, to: string): Period {
  const isLocal = !from.endsWith('Z');
  const read = (text: string) => {
    if (!isLocal) return Date.parse(text);
    return Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`);
  };
  return { from: read(from), to: read(to), isLocal, summary: '' };
}

function calendarsOf(...periods: Period[]) {
  return { calendars: [{ name: 'closed', periods }] };
}

suite('step 1: the times of an interval', () => {
  test('each of the cron vectors from 1980 to 2037 is met', () => {
    const reachable = VECTORS.filter(isInReach);
    assert.ok(reachable.length >= 550, `${reachable.length}`);
    for (const { id, expr, tz, from, expect } of reachable) {
      const world = { interval: expr, timezone: tz, createdAt: 0 };
      const found = enumerate(world, Date.parse(from) + 1, Date.parse(expect.at(-1)!) + 1);
      assert.deepEqual(found.map(iso), expect, `${id} ${expr} ${tz}`);
    }
  });

  test('`from` is inclusive and `to` is exclusive', () => {
    assert.deepEqual(times({}, '2026-03-01T00:00:00Z', '2026-03-03T00:00:00Z'), [
      '2026-03-01T00:00:00Z',
      '2026-03-02T00:00:00Z',
    ]);
  });

  test('several seconds of a gap are one time at its end', () => {
    const world = { interval: '*/20 30 2 * * *', timezone: 'Europe/Berlin' };
    assert.deepEqual(times(world, '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'), [
      '2026-03-29T01:00:00Z',
      '2026-03-30T00:30:00Z',
      '2026-03-30T00:30:20Z',
      '2026-03-30T00:30:40Z',
    ]);
  });

  test('a fixed job fires in the first pass of an overlap only, one with a star in both', () => {
    const fixed = { interval: '30 2 * * *', timezone: 'Europe/Berlin' };
    const star = { interval: '*/30 2 * * *', timezone: 'Europe/Berlin' };
    const span = ['2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z'] as const;
    assert.deepEqual(times(fixed, ...span), ['2026-10-25T00:30:00Z']);
    assert.deepEqual(times(star, ...span), [
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:00:00Z',
      '2026-10-25T01:30:00Z',
    ]);
  });

  test('a span that begins in the second pass does not repeat the first', () => {
    const world = { interval: '30 2 * * *', timezone: 'Europe/Berlin' };
    assert.deepEqual(times(world, '2026-10-25T01:15:00Z', '2026-10-25T12:00:00Z'), []);
  });

  test('the day of a gap is the date that does not exist', () => {
    // In Nuuk Saturday the 30th ends at 23:00; the clock goes on at 00:00 of Sunday.
    const nuuk = { interval: '30 23 * * SAT', timezone: 'America/Nuuk' };
    assert.deepEqual(times(nuuk, '2024-03-30T00:00:00Z', '2024-03-31T12:00:00Z'), [
      '2024-03-31T01:00:00Z',
    ]);
    // In Pyongyang Friday the 4th ends at 23:30; the clock goes on at 00:00 of Saturday.
    const pyongyang = { interval: '45 23 * * FRI', timezone: 'Asia/Pyongyang' };
    assert.deepEqual(times(pyongyang, '2018-05-04T00:00:00Z', '2018-05-05T12:00:00Z'), [
      '2018-05-04T15:00:00Z',
    ]);
  });

  test('a day that is left out is not made up for', () => {
    const world = { interval: '0 12 * * *', timezone: 'Pacific/Apia' };
    assert.deepEqual(times(world, '2011-12-29T12:00:00Z', '2012-01-01T00:00:00Z'), [
      '2011-12-29T22:00:00Z',
      '2011-12-30T22:00:00Z',
      '2011-12-31T22:00:00Z',
    ]);
  });

  const ONE_OFFS: [interval: string, timezone: string, at: string][] = [
    ['at(2026-12-24T18:00:00)', 'Europe/Berlin', '2026-12-24T17:00:00Z'],
    ['at(2026-12-24T18:00)', 'Europe/Berlin', '2026-12-24T17:00:00Z'],
    ['at(2026-12-24T18:00:07Z)', 'Europe/Berlin', '2026-12-24T18:00:07Z'],
    ['at(2026-12-24T18:00+05:45)', 'Europe/Berlin', '2026-12-24T12:15:00Z'],
    ['at(2026-03-29T02:30:00)', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['at(2026-10-25T02:30:00)', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['at(2011-12-30T12:00:00)', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
  ];
  for (const [interval, timezone, at] of ONE_OFFS) {
    test(`${interval} in ${timezone} is ${at}`, () => {
      assert.deepEqual(times({ interval, timezone }, '2011-01-01', '2027-01-01'), [at]);
    });
  }

  test('a rate begins one period after the create, which is brought up to the whole second', () => {
    const world = { interval: 'rate(90 minutes)', timezone: 'Europe/Berlin' };
    assert.deepEqual(times(world, '2026-01-01T00:00:00Z', '2026-01-01T03:00:02Z'), [
      '2026-01-01T01:30:01Z',
      '2026-01-01T03:00:01Z',
    ]);
  });

  test('a rate with a start begins there', () => {
    const world = { interval: 'rate(1 day)', startsAt: Date.parse('2026-03-28T12:00:00Z') };
    const berlin = { ...world, timezone: 'Europe/Berlin' };
    assert.deepEqual(times(berlin, '2026-03-01T00:00:00Z', '2026-03-30T12:00:01Z'), [
      '2026-03-28T12:00:00Z',
      '2026-03-29T12:00:00Z',
      '2026-03-30T12:00:00Z',
    ]);
  });
});

test('step 2: startsAt is inclusive, endsAt exclusive, and the window does not count', () => {
  const world = {
    startsAt: Date.parse('2026-03-02T00:00:00Z'),
    endsAt: Date.parse('2026-03-04T00:00:00Z'),
    offsetMs: 3_600_000,
  };
  assert.deepEqual(times(world, '2026-03-01T00:00:00Z', '2026-03-09T00:00:00Z'), [
    '2026-03-02T01:00:00Z',
    '2026-03-03T01:00:00Z',
  ]);
});

suite('step 3: calendars', () => {
  test('local days are judged by the wall clock, instants are not', () => {
    const world = { interval: '0 0,12 * * *', timezone: 'Asia/Kathmandu' };
    const span = ['2026-05-01T18:15:00Z', '2026-05-03T18:15:00Z'] as const;
    const local = calendarsOf(period('2026-05-02', '2026-05-03'));
    assert.deepEqual(times({ ...world, ...local }, ...span), [
      '2026-05-02T18:15:00Z',
      '2026-05-03T06:15:00Z',
    ]);
    const absolute = calendarsOf(period('2026-05-02T06:15:00Z', '2026-05-02T06:15:01Z'));
    assert.deepEqual(times({ ...world, ...absolute }, ...span), [
      '2026-05-01T18:15:00Z',
      '2026-05-02T18:15:00Z',
      '2026-05-03T06:15:00Z',
    ]);
  });

  test('a time that a gap has moved is judged by the clock that then runs', () => {
    const world = { interval: '30 2 * * *', timezone: 'Europe/Berlin' };
    const gap = calendarsOf(period('2026-03-29T02:00:00', '2026-03-29T03:00:00'));
    const after = calendarsOf(period('2026-03-29T03:00:00', '2026-03-29T03:00:01'));
    const span = ['2026-03-29T00:00:00Z', '2026-03-29T12:00:00Z'] as const;
    assert.deepEqual(times({ ...world, ...gap }, ...span), ['2026-03-29T01:00:00Z']);
    assert.deepEqual(times({ ...world, ...after }, ...span), []);
  });

  const MONDAY = { interval: '30 9 * * MON', timezone: 'UTC' };
  const LONG_SPAN = ['2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z'] as const;
  const MAY = ['2026-05-01T00:00:00Z', '2026-05-20T00:00:00Z'] as const;

  test('nextDay and previousDay pass over all days that are held', () => {
    const closed = calendarsOf(period('2026-05-10', '2026-05-13'));
    assert.deepEqual(times({ ...MONDAY, ...closed, onExcluded: 'nextDay' }, ...MAY), [
      '2026-05-04T09:30:00Z',
      '2026-05-13T09:30:00Z',
      '2026-05-18T09:30:00Z',
    ]);
    assert.deepEqual(times({ ...MONDAY, ...closed, onExcluded: 'previousDay' }, ...MAY), [
      '2026-05-04T09:30:00Z',
      '2026-05-09T09:30:00Z',
      '2026-05-18T09:30:00Z',
    ]);
  });

  test('two that meet are one', () => {
    const world = { interval: '0 9 * * *', ...calendarsOf(period('2026-05-03', '2026-05-05')) };
    assert.deepEqual(times({ ...world, onExcluded: 'nextDay' }, ...MAY).slice(0, 4), [
      '2026-05-01T09:00:00Z',
      '2026-05-02T09:00:00Z',
      '2026-05-05T09:00:00Z',
      '2026-05-06T09:00:00Z',
    ]);
  });

  test('a move reaches 31 days and no further', () => {
    const yearly = { interval: '0 0 1 3 *', onExcluded: 'nextDay' as const };
    const thirty = calendarsOf(period('2026-03-01', '2026-04-01'));
    const more = calendarsOf(period('2026-03-01', '2026-04-01T00:00:01'));
    assert.deepEqual(times({ ...yearly, ...thirty }, ...LONG_SPAN), ['2026-04-01T00:00:00Z']);
    assert.deepEqual(times({ ...yearly, ...more }, ...LONG_SPAN), []);
  });

  test('a span sees the times that come from far outside of it', () => {
    const world = {
      interval: '0 0 1 3 *',
      ...calendarsOf(period('2026-03-01', '2026-04-01')),
      onExcluded: 'nextDay' as const,
    };
    assert.deepEqual(times(world, '2026-04-01T00:00:00Z', '2026-04-01T00:00:01Z'), [
      '2026-04-01T00:00:00Z',
    ]);
  });

  test('a move that would leave the bounds is skipped', () => {
    const closed = calendarsOf(period('2026-05-11', '2026-05-12'));
    const world = { ...MONDAY, ...closed };
    const endsAt = Date.parse('2026-05-12T09:30:00Z');
    const startsAt = Date.parse('2026-05-10T09:30:01Z');
    const span = ['2026-05-08T00:00:00Z', '2026-05-15T00:00:00Z'] as const;
    assert.deepEqual(times({ ...world, endsAt, onExcluded: 'nextDay' }, ...span), []);
    assert.deepEqual(times({ ...world, startsAt, onExcluded: 'previousDay' }, ...span), []);
  });

  test('a moved time meets gaps and overlaps as cron does', () => {
    const berlin = { timezone: 'Europe/Berlin', onExcluded: 'nextDay' as const };
    const spring = calendarsOf(period('2026-03-28', '2026-03-29'));
    assert.deepEqual(
      times({ ...berlin, ...spring, interval: '30 2 28 3 *' }, '2026-03-01', '2026-04-01'),
      ['2026-03-29T01:00:00Z'],
    );
    const autumn = calendarsOf(period('2026-10-24', '2026-10-25'));
    assert.deepEqual(
      times({ ...berlin, ...autumn, interval: '30 2 24 10 *' }, '2026-10-01', '2026-11-01'),
      ['2026-10-25T00:30:00Z'],
    );
  });

  test('a time that a gap has moved keeps its own time of day on the other day', () => {
    const world = { interval: '15 30 2 29 3 *', timezone: 'Europe/Berlin' };
    const closed = calendarsOf(period('2026-03-29', '2026-03-30'));
    const moved = { ...world, ...closed, onExcluded: 'nextDay' as const };
    assert.deepEqual(times(moved, '2026-03-01', '2026-04-01'), ['2026-03-30T00:30:15Z']);
  });

  test('several seconds of a gap move as the one time that they are', () => {
    const world = { interval: '*/20 30 2 29 3 *', timezone: 'Europe/Berlin' };
    const closed = calendarsOf(period('2026-03-29', '2026-03-30'));
    const moved = { ...world, ...closed, onExcluded: 'nextDay' as const };
    assert.deepEqual(times(moved, '2026-03-01', '2026-04-01'), ['2026-03-30T00:30:00Z']);
  });

  test('the other day is counted from the date that does not exist', () => {
    const world = { interval: '45 23 4 5 *', timezone: 'Asia/Pyongyang' };
    const closed = calendarsOf(period('2018-05-04', '2018-05-05T00:00:01'));
    const span = ['2018-05-01', '2018-05-10'] as const;
    assert.deepEqual(times({ ...world, ...closed, onExcluded: 'nextDay' }, ...span), [
      '2018-05-05T14:45:00Z',
    ]);
    assert.deepEqual(times({ ...world, ...closed, onExcluded: 'previousDay' }, ...span), [
      '2018-05-03T15:15:00Z',
    ]);
  });

  test('a day that the zone leaves out is passed over', () => {
    const world = { interval: '0 12 29 12 *', timezone: 'Pacific/Apia' };
    const closed = calendarsOf(period('2011-12-29', '2011-12-30'));
    const moved = { ...world, ...closed, onExcluded: 'nextDay' as const };
    assert.deepEqual(times(moved, '2011-12-01', '2012-01-10'), ['2011-12-30T22:00:00Z']);
  });
});

suite('step 4: maxRuns', () => {
  test('the first times after countFrom are left, and all before it', () => {
    const world = { maxRuns: 2, countFrom: Date.parse('2026-03-03T00:00:00Z') };
    assert.deepEqual(times(world, '2026-03-02T00:00:00Z', '2026-04-01T00:00:00Z'), [
      '2026-03-02T00:00:00Z',
      '2026-03-03T00:00:00Z',
      '2026-03-04T00:00:00Z',
      '2026-03-05T00:00:00Z',
    ]);
  });

  test('countFrom is held against the nominal time', () => {
    const world = { maxRuns: 1, countFrom: Date.parse('2026-03-03T00:30:00Z') };
    const span = ['2026-03-02T00:00:00Z', '2026-04-01T00:00:00Z'] as const;
    assert.deepEqual(
      times({ ...world, offsetMs: 1_800_000 }, ...span).at(-1),
      '2026-03-04T00:30:00Z',
    );
    assert.deepEqual(
      times({ ...world, offsetMs: 1_801_000 }, ...span).at(-1),
      '2026-03-03T00:30:01Z',
    );
  });

  test('excluded times do not count, paused ones do', () => {
    const world = { maxRuns: 3, countFrom: Date.parse('2026-03-01T00:00:00Z') };
    const span = ['2026-03-01T00:00:01Z', '2026-04-01T00:00:00Z'] as const;
    const closed = calendarsOf(period('2026-03-02', '2026-03-04'));
    const pausedUntil = Date.parse('2026-03-05T00:00:00Z');
    assert.deepEqual(times({ ...world, ...closed, pausedUntil }, ...span), [
      '2026-03-05T00:00:00Z',
      '2026-03-06T00:00:00Z',
    ]);
  });
});

test('step 5: the offset is the first 48 bits of SHA-256 times the window, in whole seconds', () => {
  // The hash of abc begins with ba7816bf8f01. Divided by 2^48 and times 600 that is 437.04 seconds.
  const world = { hashed: 'abc', windowSeconds: 600 };
  assert.deepEqual(times(world, '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'), [
    '2026-03-01T00:07:17Z',
  ]);
  assert.deepEqual(times({ windowSeconds: 600 }, '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'), [
    '2026-03-01T00:00:00Z',
  ]);
});

test('step 6: the pause is held against the nominal time, and its end is inclusive', () => {
  const world = { offsetMs: 60_000, pausedUntil: Date.parse('2026-03-02T00:01:00Z') };
  assert.deepEqual(times(world, '2026-03-01T00:00:00Z', '2026-03-04T00:00:00Z'), [
    '2026-03-02T00:01:00Z',
    '2026-03-03T00:01:00Z',
  ]);
});

suite('the verdict on an instant', () => {
  const world: Partial<World> = {
    interval: '30 9 * * *',
    startsAt: Date.parse('2026-05-04T00:00:00Z'),
    endsAt: Date.parse('2026-05-20T00:00:00Z'),
    offsetMs: 60_000,
    pausedUntil: Date.parse('2026-05-06T00:00:00Z'),
    maxRuns: 8,
    countFrom: Date.parse('2026-05-01T00:00:00Z'),
    ...calendarsOf(period('2026-05-10', '2026-05-12')),
  };
  const VERDICTS: [at: string, is: string][] = [
    ['2026-05-03T09:31:00Z', 'beforeStart'],
    ['2026-05-04T09:31:00Z', 'paused'],
    ['2026-05-05T09:31:00Z', 'paused'],
    ['2026-05-06T09:30:00Z', 'never'],
    ['2026-05-06T09:31:00Z', 'due'],
    ['2026-05-10T09:31:00Z', 'excluded'],
    ['2026-05-13T09:31:00Z', 'due'],
    ['2026-05-14T09:31:00Z', 'afterEnd'],
    ['2026-05-20T09:31:00Z', 'afterEnd'],
  ];
  for (const [at, is] of VERDICTS) {
    test(`${at} is ${is}`, () => assert.equal(verdict(world, at), is));
  }

  test('a moved time says where to, unless that is beyond the end', () => {
    const moving: Partial<World> = { ...world, interval: '30 9 * * MON', onExcluded: 'nextDay' };
    assert.equal(verdict(moving, '2026-05-11T09:31:00Z'), 'rolled 2026-05-12T09:31:00Z');
    assert.equal(verdict(moving, '2026-05-12T09:31:00Z'), 'due');
    assert.equal(verdict({ ...moving, maxRuns: 1 }, '2026-05-11T09:31:00Z'), 'afterEnd');
    assert.equal(verdict({ ...moving, maxRuns: 1 }, '2026-05-12T09:31:00Z'), 'afterEnd');
  });

  test('an instant is due where it is enumerated, and a moved time goes to one of them', () => {
    fc.assert(
      fc.property(scenes, ({ world, questions }) => {
        const { pausedUntil: _, ...unpaused } = world;
        for (const at of questions.flat()) {
          const found = classify(world, at);
          assert.equal(found.is === 'due', enumerate(world, at, at + 1).length === 1);
          const goesTo = found.is === 'rolled' ? found.movedTo : at;
          const isLeft = ['due', 'paused', 'rolled'].includes(found.is);
          assert.equal(enumerate(unpaused, goesTo, goesTo + 1).length === 1, isLeft);
        }
      }),
      { numRuns: casesOf(200) },
    );
  });
});

test('croner counts short spans by the same lists, whatever release of time zones Node has', () => {
  // By releases before 2026f the winter has begun there.
  for (const day of ['2026-07-22', '2026-12-22', '2027-02-22'])
    for (let hour = 0; hour < 24; hour += 1) {
      const from = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000;
      const world = { interval: '*/20 1,22 * * *', timezone: 'America/Havana', createdAt: from };
      const times = dueTimes(world.interval, world.timezone, from, from + 1_800_000);
      assert.deepEqual(times, enumerate(world, from + 1, from + 1_800_001));
    }
});
