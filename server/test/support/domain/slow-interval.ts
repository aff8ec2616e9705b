import fc from 'fast-check';
import type { SlowInterval } from './debian-loop.ts';

/**
 * Intervals for property tests: the text beside a plain statement of what it means, so that nothing
 * of the service's own parser or calendar is needed to judge them.
 */
interface SlowField {
  readonly text: string;
  has(value: number): boolean;
}

interface SlowDays {
  readonly text: string;
  matches(wall: Date): boolean;
}

type NameOf = (value: number) => string;

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');
const DAY_MS = 86_400_000;

/** One item: `*`, `*` with a step, a value, an open step, a range, a range with a step. */
function itemOf(min: number, max: number, nameOf: NameOf = String): fc.Arbitrary<SlowField> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: max - min + 1 });
  const stepped = (text: string, from: number, to: number, by: number): SlowField => ({
    text: by === 1 ? text : `${text}/${by}`,
    has: candidate => candidate >= from && candidate <= to && (candidate - from) % by === 0,
  });
  const range = fc.tuple(value, value).map(pair => pair.sort((a, b) => a - b));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(stepped('*', min, max, 1)) },
    { weight: 2, arbitrary: step.map(by => stepped('*', min, max, by)) },
    { weight: 4, arbitrary: value.map(only => stepped(nameOf(only), only, only, 1)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(value, fc.integer({ min: 2, max: max - min + 1 }))
        .map(([from, by]) => stepped(nameOf(from), from, max, by)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(range, fc.oneof(fc.constant(1), step))
        .map(([[from, to], by]) => stepped(`${nameOf(from!)}-${nameOf(to!)}`, from!, to!, by)),
    },
  );
}

function fieldOf(min: number, max: number, nameOf: NameOf = String): fc.Arbitrary<SlowField> {
  const item = itemOf(min, max, nameOf);
  const list = fc.array(item, { minLength: 2, maxLength: 3 }).map(
    (items): SlowField => ({
      text: items.map(each => each.text).join(','),
      has: value => items.some(each => each.has(value)),
    }),
  );
  return fc.oneof({ weight: 4, arbitrary: item }, { weight: 1, arbitrary: list });
}

/** A value by number or by name, in either case of letters. */
function named(min: number, names: string[]): fc.Arbitrary<NameOf> {
  return fc.constantFrom<NameOf[]>(
    String,
    (value: number) => names[value - min]!,
    (value: number) => names[value - min]!.toLowerCase(),
  );
}

const everyDay: SlowDays = { text: '*', matches: () => true };

function dayOfMonth(): fc.Arbitrary<SlowDays> {
  const plain = fieldOf(1, 31).map(
    (field): SlowDays => ({ text: field.text, matches: wall => field.has(wall.getUTCDate()) }),
  );
  const beforeLast = fc.integer({ min: 0, max: 30 }).map(
    (before): SlowDays => ({
      text: before === 0 ? 'L' : `L-${before}`,
      matches: wall => daysLeft(wall) === before,
    }),
  );
  const workday = fc.integer({ min: 1, max: 31 }).map(
    (target): SlowDays => ({
      text: `${target}W`,
      matches: wall => isNearestWorkday(wall, target),
    }),
  );
  const lastWorkday: SlowDays = {
    text: 'LW',
    matches: wall => isWorkday(wall) && laterDays(wall).every(day => !isWorkday(day)),
  };
  const special = fc.oneof(beforeLast, workday, fc.constant(lastWorkday));
  return daysOf(plain, special);
}

function dayOfWeek(): fc.Arbitrary<SlowDays> {
  const plain = named(0, WEEKDAYS)
    .chain(nameOf => fieldOf(0, 6, nameOf))
    .map((field): SlowDays => ({ text: field.text, matches: wall => field.has(wall.getUTCDay()) }));
  const sunday: SlowDays = { text: '7', matches: wall => wall.getUTCDay() === 0 };
  const nth = fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 5 })).map(
    ([weekday, place]): SlowDays => ({
      text: `${weekday}#${place}`,
      matches: wall =>
        wall.getUTCDay() === weekday % 7 && Math.ceil(wall.getUTCDate() / 7) === place,
    }),
  );
  const last = fc.integer({ min: 0, max: 7 }).map(
    (weekday): SlowDays => ({
      text: `${weekday}L`,
      matches: wall => wall.getUTCDay() === weekday % 7 && daysLeft(wall) < 7,
    }),
  );
  return daysOf(plain, fc.oneof(fc.constant(sunday), nth, last));
}

function daysOf(plain: fc.Arbitrary<SlowDays>, special: fc.Arbitrary<SlowDays>) {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(everyDay, { ...everyDay, text: '?' }) },
    { weight: 4, arbitrary: plain },
    { weight: 2, arbitrary: special },
  );
}

/** The days of the same month after this one. */
function laterDays(wall: Date): Date[] {
  return Array.from({ length: daysLeft(wall) }, (_, index) => {
    return new Date(wall.getTime() + (index + 1) * DAY_MS);
  });
}

function daysLeft(wall: Date): number {
  const last = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0));
  return last.getUTCDate() - wall.getUTCDate();
}

function isWorkday(wall: Date): boolean {
  return wall.getUTCDay() >= 1 && wall.getUTCDay() <= 5;
}

function isNearestWorkday(wall: Date, target: number): boolean {
  const lastDay = wall.getUTCDate() + daysLeft(wall);
  if (!isWorkday(wall) || target > lastDay) return false;
  const distance = Math.abs(wall.getUTCDate() - target);
  for (let day = 1; day <= lastDay; day += 1) {
    const other = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), day));
    if (isWorkday(other) && Math.abs(day - target) < distance) return false;
  }
  return true;
}

function isStar(text: string): boolean {
  return text.startsWith('*') || text === '?';
}

interface Parts {
  seconds: SlowField | undefined;
  minutes: SlowField;
  hours: SlowField;
  byDate: SlowDays;
  months: SlowField;
  byWeekday: SlowDays;
}

function slowInterval(parts: Parts): SlowInterval {
  const { seconds, minutes, hours, byDate, months, byWeekday } = parts;
  const both = isStar(byDate.text) || isStar(byWeekday.text);
  const fields = [minutes, hours, byDate, months, byWeekday].map(field => field.text);
  return {
    text: [...(seconds === undefined ? [] : [seconds.text]), ...fields].join(' '),
    followsClock: isStar(minutes.text) || isStar(hours.text),
    matches: wall =>
      minutes.has(wall.getUTCMinutes()) &&
      hours.has(wall.getUTCHours()) &&
      (seconds?.has(wall.getUTCSeconds()) ?? wall.getUTCSeconds() === 0) &&
      months.has(wall.getUTCMonth() + 1) &&
      (both
        ? byDate.matches(wall) && byWeekday.matches(wall)
        : byDate.matches(wall) || byWeekday.matches(wall)),
  };
}

const months = fc.oneof(
  { weight: 3, arbitrary: fc.constant<SlowField>({ text: '*', has: () => true }) },
  { weight: 1, arbitrary: named(1, MONTHS).chain(nameOf => fieldOf(1, 12, nameOf)) },
);

/** Any interval of five fields. */
export const fiveFields: fc.Arbitrary<SlowInterval> = fc
  .record({
    seconds: fc.constant(undefined),
    minutes: fieldOf(0, 59),
    hours: fieldOf(0, 23),
    byDate: dayOfMonth(),
    months,
    byWeekday: dayOfWeek(),
  })
  .map(slowInterval);

/** Any interval of six fields. */
export const sixFields: fc.Arbitrary<SlowInterval> = fc
  .record({
    seconds: fieldOf(0, 59),
    minutes: fieldOf(0, 59),
    hours: fieldOf(0, 23),
    byDate: fc.constant(everyDay),
    months: fc.constant<SlowField>({ text: '*', has: () => true }),
    byWeekday: fc.constant(everyDay),
  })
  .map(slowInterval);

/** Days only, at noon: for searches over many years. */
export const noonOnDays: fc.Arbitrary<SlowInterval> = fc
  .record({
    seconds: fc.constant(undefined),
    minutes: fc.constant<SlowField>({ text: '0', has: value => value === 0 }),
    hours: fc.constant<SlowField>({ text: '12', has: value => value === 12 }),
    byDate: dayOfMonth(),
    months: named(1, MONTHS).chain(nameOf => fieldOf(1, 12, nameOf)),
    byWeekday: dayOfWeek(),
  })
  .map(slowInterval);
