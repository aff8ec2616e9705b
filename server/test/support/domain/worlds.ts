import fc from 'fast-check';
import { enumerate, type World } from '../../../sim/model/calendar/enumerator.ts';
import { readCron } from '../../../sim/model/calendar/plain-cron.ts';
import { changesOf, wallTime } from '../../../sim/model/calendar/zone-lists.ts';
import type { Period } from '../../../src/domain/calendar/exclusion/period.ts';

/**
 * Random schedules for property tests: any interval with any of the other fields, near a change of the clock.
 *
 * Bounds, calendars and questions are often put on a time of the schedule or a millisecond beside it, because faults
 * live there.
 */
export interface Scene {
  world: World;
  /** The span in which questions are asked: epoch ms, `to` exclusive. */
  from: number;
  to: number;
  /** Pairs of instants within the span, each in its order. */
  questions: [from: number, until: number][];
}

/** A place in a span: on one of its times or anywhere, and some ms beside it. */
interface Spot {
  part: number;
  isOnTime: boolean;
  besideMs: number;
}

interface PlainInterval {
  interval: string;
  /** On either side of the middle. */
  spanMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const FIRST_YEAR_AT = Date.UTC(1986, 0);
const LAST_YEAR_AT = Date.UTC(2035, 0);

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Havana', // midnight does not exist
  'America/Santiago',
  'Asia/Beirut', // midnight does not exist
  'Australia/Lord_Howe', // 30 minutes
  'Africa/Casablanca', // Ramadan
  'America/Nuuk', // the gap ends at midnight
  'America/Sao_Paulo', // midnight comes twice
  'Asia/Pyongyang', // 30 minutes, across midnight
  'Pacific/Apia', // a whole day left out
  'UTC',
  'Asia/Kathmandu',
];

export const scenes: fc.Arbitrary<Scene> = aroundMiddles(scenesAround);

/**
 * Up to `most` scenes around one instant, for what changes from one to the next: now and then the time zone too. All have
 * the shortest of their spans.
 */
export function scenesOfOneMiddle(most: number): fc.Arbitrary<Scene[]> {
  return aroundMiddles((timezone, middle) => {
    const zone = fc.oneof(
      { weight: 4, arbitrary: fc.constant(timezone) },
      { weight: 1, arbitrary: fc.constantFrom(...ZONES) },
    );
    const several = (sceneIn: (zone: string) => fc.Arbitrary<Scene>) =>
      fc.array(zone.chain(sceneIn), { minLength: 2, maxLength: most, size: 'max' });
    return fc
      .oneof(
        {
          weight: 4,
          arbitrary: several(each => sceneOf(each, middle, onceADay(each, middle))),
        },
        { weight: 1, arbitrary: several(each => sceneOf(each, middle, oftenADay)) },
        { weight: 1, arbitrary: several(each => sceneOf(each, middle, rates)) },
        { weight: 2, arbitrary: several(each => scenesAround(each, middle)) },
      )
      .map(scenes => {
        const spanMs = Math.min(...scenes.map(({ from, to }) => (to - from) / 2));
        return scenes.map(scene => ({ ...scene, from: middle - spanMs, to: middle + spanMs }));
      });
  });
}

function aroundMiddles<T>(
  make: (timezone: string, middle: number) => fc.Arbitrary<T>,
): fc.Arbitrary<T> {
  return fc
    .constantFrom(...ZONES)
    .chain(timezone => middleOf(timezone).chain(middle => make(timezone, middle)));
}

function scenesAround(timezone: string, middle: number): fc.Arbitrary<Scene> {
  return fc.oneof(
    { weight: 5, arbitrary: sceneOf(timezone, middle, onceADay(timezone, middle)) },
    { weight: 2, arbitrary: sceneOf(timezone, middle, oftenADay) },
    { weight: 1, arbitrary: sceneOf(timezone, middle, bySecond) },
    { weight: 2, arbitrary: sceneOf(timezone, middle, rates) },
    { weight: 1, arbitrary: sceneOf(timezone, middle, oneOffs(middle)) },
  );
}

function middleOf(timezone: string): fc.Arbitrary<number> {
  const anywhere = fc.integer({ min: FIRST_YEAR_AT, max: LAST_YEAR_AT });
  const changes = changesOf(timezone).filter(at => at >= FIRST_YEAR_AT && at < LAST_YEAR_AT);
  if (changes.length === 0) return anywhere;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...changes) },
    { weight: 1, arbitrary: anywhere },
  );
}

const minute = fc.oneof(fc.constantFrom('0', '30', '59', '05'), fc.integer({ min: 0, max: 59 }));
const hour = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 3, 22, 23) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 23 }) },
);
const days = fc.oneof(
  { weight: 3, arbitrary: fc.constant('* * *') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('*', '*', '*/2', '1', '15', '31', '1-7', '28-31', '*/10', '5,20'),
        fc.constantFrom('*', '*', '*/2', '1-6', 'MAR,OCT', '3-12/7'),
        fc.constantFrom('*', '*', 'MON', '7', '1-5', 'sat,sun', '*/2', 'FRI-SUN'),
      )
      .map(fields => fields.join(' ')),
  },
);

/** Cron whose minute and hour are one number each; often on the very day of the middle. */
function onceADay(timezone: string, middle: number): fc.Arbitrary<PlainInterval> {
  const thisDay = fc.constantFrom(-1, 0, 0, 1).map(away => {
    const wall = new Date(wallTime(timezone, middle) + away * DAY_MS);
    return `${wall.getUTCDate()} ${wall.getUTCMonth() + 1} *`;
  });
  const someDays = fc.oneof({ weight: 3, arbitrary: days }, { weight: 1, arbitrary: thisDay });
  const written = fc
    .tuple(fc.constantFrom('', '', '', '0 ', '59 ', '*/20 ', '7,40 '), minute, hour, someDays)
    .map(([second, ...fields]) => second + fields.join(' '));
  const macros = fc.constantFrom('@daily', '@midnight', '@weekly', '@Monthly', '@yearly');
  return fc.record({
    interval: fc.oneof({ weight: 9, arbitrary: written }, { weight: 1, arbitrary: macros }),
    spanMs: fc.constantFrom(10, 45, 45, 45, 400).map(count => count * DAY_MS),
  });
}

const oftenADay: fc.Arbitrary<PlainInterval> = fc.record({
  interval: fc.oneof(
    { weight: 1, arbitrary: fc.constant('@hourly') },
    {
      weight: 9,
      arbitrary: fc
        .tuple(
          fc.constantFrom('*', '*/15', '0', '30', '0,30', '10-50/20', '59', '5/25', '*/7'),
          fc.constantFrom('*', '*/2', '0-23', '2', '1-3', '22,23,0', '0-23/2', '*/23', '23'),
          days,
        )
        .map(fields => fields.join(' ')),
    },
  ),
  spanMs: fc.constantFrom(1, 3, 6).map(count => count * DAY_MS),
});

const bySecond: fc.Arbitrary<PlainInterval> = fc.record({
  interval: fc
    .tuple(
      fc.constantFrom('*', '*/10', '0', '1,59', '30-35', '59'),
      fc.constantFrom('*', '*/10', '0', '0,30', '59', '25-35'),
      fc.constantFrom('*', '0-23', '2', '0', '23', '1-3'),
    )
    .map(fields => `${fields.join(' ')} * * *`),
  spanMs: fc.constantFrom(2, 5).map(count => count * HOUR_MS),
});

const rates: fc.Arbitrary<PlainInterval> = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 366 })),
    fc.constantFrom(SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS),
    fc.integer({ min: 1, max: 300 }),
  )
  .map(([count, unitMs, periods]) => {
    const names = new Map([
      [SECOND_MS, 'second'],
      [MINUTE_MS, 'minute'],
      [HOUR_MS, 'hour'],
    ]);
    const name = names.get(unitMs) ?? 'day';
    const plural = count === 1 ? '' : 's';
    const spanMs = Math.min(count * unitMs * periods, 700 * DAY_MS);
    return { interval: `rate(${count} ${name}${plural})`, spanMs };
  });

function oneOffs(middle: number): fc.Arbitrary<PlainInterval> {
  const minutesOff = fc.oneof(
    fc.integer({ min: -300, max: 300 }),
    fc.integer({ min: -1_000, max: 1_000 }),
  );
  return fc
    .tuple(minutesOff, fc.integer({ min: 0, max: 59 }), fc.constantFrom('', '', 'Z', '+05:45'))
    .chain(([minutes, seconds, zone]) =>
      fc.constantFrom(-10, -5, -4, -3, 0, 1, 2, 3, 5, 9, 11, 13).map(hours => {
        const wall = middle + minutes * MINUTE_MS + seconds * SECOND_MS + hours * HOUR_MS;
        const text = new Date(wall).toISOString().slice(0, seconds === 0 ? 16 : 19);
        return { interval: `at(${text}${zone})`, spanMs: 3 * DAY_MS };
      }),
    );
}

/** The middle of a span is mostly a change of the clock. */
const spot = fc.oneof(
  { weight: 4, arbitrary: spotIn(0, 1) },
  {
    weight: 1,
    arbitrary: spotIn(0, 1).map(each => ({ ...each, part: 0.5, isOnTime: false })),
  },
);

function spotIn(min: number, max: number): fc.Arbitrary<Spot> {
  return fc.record({
    // Evenly: doubles of fast-check crowd at 0.
    part: fc.integer({ min: min * 1_000_000, max: max * 1_000_000 }).map(part => part / 1_000_000),
    isOnTime: fc.boolean(),
    besideMs: fc.constantFrom(0, 0, 0, -1, 1, -SECOND_MS, SECOND_MS, 12_345),
  });
}

function sceneOf(
  timezone: string,
  middle: number,
  intervals: fc.Arbitrary<PlainInterval>,
): fc.Arbitrary<Scene> {
  return intervals.chain(({ interval, spanMs }) => {
    const [from, to] = [middle - spanMs, middle + spanMs];
    return fc
      .record({
        world: worldOf({ interval, timezone }, from, to),
        asked: fc.array(fc.tuple(spot, spot), QUESTIONS),
      })
      .map(({ world, asked }) => {
        const nominal = enumerate(world, from, to);
        const questions = asked.map(pair =>
          inOrder(pair.map(each => place(each, from, to, nominal))),
        );
        return { world, from, to, questions };
      });
  });
}

const QUESTIONS = { minLength: 4, maxLength: 8 };

/** Every field is there in a part of the worlds. */
function worldOf(
  base: { interval: string; timezone: string },
  from: number,
  to: number,
): fc.Arbitrary<World> {
  const createdAt = fc.oneof(
    fc.integer({ min: from - 30 * DAY_MS, max: to }),
    fc
      .integer({ min: Math.floor(from / SECOND_MS), max: Math.floor(to / SECOND_MS) })
      .map(s => s * SECOND_MS),
  );
  return createdAt.chain(created => {
    const plain: World = { ...base, createdAt: created };
    const times = enumerate(plain, from, to);
    const instantIn = (min: number, max: number) =>
      spotIn(min, max).map(each => place(each, from, to, times));
    const early = fc.oneof(instantIn(0, 0.4), instantIn(0, 0.4), instantIn(0, 1));
    const late = fc.oneof(instantIn(0.6, 1), instantIn(0.6, 1), instantIn(0, 1));
    const sometimes = <T>(value: fc.Arbitrary<T>, freq = 2) =>
      fc.option(value, { nil: undefined, freq });
    return fc
      .record({
        bounds: fc.tuple(sometimes(early), sometimes(late)),
        maxRuns: sometimes(
          fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 400 })),
        ),
        countFrom: early,
        pausedUntil: sometimes(early),
        windowSeconds: sometimes(
          fc.oneof(fc.constantFrom(1, 60, 3_600, 86_400), fc.integer({ min: 1, max: 86_400 })),
        ),
        hashed: sometimes(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), 9),
        calendars: sometimes(calendarsOf(base.timezone, from, to, times), 3),
        onExcluded: fc.constantFrom(
          undefined,
          'skip',
          'nextDay',
          'nextDay',
          'previousDay',
          'previousDay',
        ),
      })
      .map(({ bounds, maxRuns, countFrom, onExcluded, calendars, ...others }) => {
        const [startsAt, endsAt] = orderedBounds(bounds);
        return definedOnly<World>({
          ...plain,
          startsAt,
          endsAt,
          maxRuns,
          countFrom: maxRuns === undefined ? undefined : countFrom,
          calendars: calendars?.map((periods, index) => ({ name: `calendar-${index}`, periods })),
          onExcluded: calendars === undefined || !isMovable(base.interval) ? undefined : onExcluded,
          ...others,
        });
      });
  });
}

/** The API takes onExcluded only with one number for the minute and one for the hour. */
function isMovable(interval: string): boolean {
  if (/^(at|rate)\(/.test(interval)) return false;
  return readCron(interval).hasOneTimeOfDay;
}

function calendarsOf(
  timezone: string,
  from: number,
  to: number,
  times: number[],
): fc.Arbitrary<Period[][]> {
  const several = fc.array(periodsOf(timezone, from, to, times), { minLength: 1, maxLength: 3 });
  const freeze = fc
    .record({ start: spot, days: fc.integer({ min: 30, max: 32 }), isBefore: fc.boolean() })
    .map(({ start, days, isBefore }): Period[][] => {
      const at = place({ ...start, isOnTime: true, besideMs: 0 }, from, to, times);
      const day = Math.floor(wallTime(timezone, at) / DAY_MS) - (isBefore ? days - 1 : 0);
      return [[{ from: day * DAY_MS, to: (day + days) * DAY_MS, isLocal: true, summary: '' }]];
    });
  return fc.oneof({ weight: 4, arbitrary: several }, { weight: 1, arbitrary: freeze });
}

/** Days, hours of the wall clock and instants; a few last longer than a time may be moved. */
function periodsOf(
  timezone: string,
  from: number,
  to: number,
  times: number[],
): fc.Arbitrary<Period[]> {
  const spanMs = to - from;
  const short = fc.constantFrom(1, MINUTE_MS, HOUR_MS, 3 * HOUR_MS, DAY_MS, 2 * DAY_MS, 4 * DAY_MS);
  const lengthMs = fc.oneof(
    { weight: 9, arbitrary: short.filter(each => each <= spanMs / 5) },
    { weight: 1, arbitrary: fc.integer({ min: 28, max: 34 }).map(count => count * DAY_MS) },
  );
  const kind = spanMs < 5 * DAY_MS ? ['wall', 'instant'] : ['day', 'day', 'wall', 'instant'];
  return fc.array(
    fc
      .record({ start: spot, lengthMs, kind: fc.constantFrom(...kind) })
      .map(({ start, lengthMs, kind }): Period => {
        const at = place(start, from, to, times);
        const isLocal = kind !== 'instant';
        const begin = isLocal ? wallTime(timezone, at) : at;
        const first = kind === 'day' ? Math.floor(begin / DAY_MS) * DAY_MS : begin;
        const long = kind === 'day' ? Math.max(DAY_MS, lengthMs) : lengthMs;
        return { from: first, to: first + long, isLocal, summary: '' };
      }),
    { maxLength: 6 },
  );
}

function place(
  { part, isOnTime, besideMs }: Spot,
  from: number,
  to: number,
  times: number[],
): number {
  const nearest = times[Math.min(times.length - 1, Math.floor(part * times.length))];
  const anywhere = Math.floor(from + part * (to - from));
  const at = (isOnTime ? nearest : undefined) ?? anywhere;
  return Math.min(to - 1, Math.max(from, at + besideMs));
}

function inOrder(pair: number[]): [number, number] {
  return pair.toSorted((a, b) => a - b) as [number, number];
}

function orderedBounds([one, other]: [number | undefined, number | undefined]) {
  if (one === undefined || other === undefined || one < other) return [one, other];
  return one === other ? [one, one + 1] : [other, one];
}

function definedOnly<T>(value: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}
