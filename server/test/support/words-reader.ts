/**
 * Reads the words of an interval as somebody would who knows nothing of cron, and says which seconds of the wall clock
 * they mean. It shares no code with what writes them.
 */
export type Meaning = (local: Date) => boolean;

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const NTH = ['first', 'second', 'third', 'fourth', 'fifth'];
const MONTH_LIST = /^(.*), in ((?:(?: and so on to | to |, | and )?(?:[A-Z][a-z]+))+)$/;

export function meaningOf(words: string): Meaning {
  const [, withoutMonths = words, months] = MONTH_LIST.exec(words) ?? [];
  const inMonth =
    months === undefined ? null : numbersOf(months, name => 1 + placeOf(MONTHS, name));
  const { clock, days } = daysOf(withoutMonths);
  const isTime = clockOf(clock);
  return local =>
    isTime(local) && days(local) && (inMonth === null || inMonth.has(local.getUTCMonth() + 1));
}

function daysOf(words: string): { clock: string; days: Meaning } {
  const each = /^(.*), each day$/.exec(words);
  if (each !== null) return { clock: each[1]!, days: () => true };
  const on =
    /^(.*?), (on .*)$/.exec(words) ?? /^(.*), ([A-Z][a-z]+day to [A-Z][a-z]+day)$/.exec(words);
  return on === null ? { clock: words, days: () => true } : { clock: on[1]!, days: dayOf(on[2]!) };
}

function dayOf(text: string): Meaning {
  const [either, also] = text.split(', and also ');
  if (also !== undefined) return anyOf([dayOf(either!), dayOf(also)]);
  const [date, weekday] = text.split(', if it is ');
  if (weekday !== undefined) {
    const [isDate, isWeekday] = [dayOf(date!), dayOf(weekday)];
    return local => isDate(local) && isWeekday(local);
  }
  const items = text.replace(/^on /, '').split(/(?:,| and| or) (?=the )/);
  return anyOf(items.map(item => oneDay(item)));
}

function oneDay(item: string): Meaning {
  const text = item.replace(/ of the month$/, '');
  if (text === 'the last working day') return local => isWorkdayNear(local, lastOf(local));
  const near = /^the working day nearest to day (\d+)$/.exec(text);
  if (near !== null) {
    return local => Number(near[1]) <= lastOf(local) && isWorkdayNear(local, Number(near[1]));
  }
  if (text === 'the last day') return local => local.getUTCDate() === lastOf(local);
  const before = /^the (\d+)(?:st|nd|rd|th) day before the last day$/.exec(text);
  if (before !== null) return local => local.getUTCDate() === lastOf(local) - Number(before[1]);
  const nth = /^the (\w+) (\w+day)$/.exec(text);
  if (nth !== null) return nthWeekday(nth[1]!, placeOf(WEEKDAYS, nth[2]!));
  const dates = /^days? (.*)$/.exec(text);
  if (dates !== null) {
    const days = numbersOf(dates[1]!, Number);
    return local => days.has(local.getUTCDate());
  }
  const weekdays = numbersOf(text, name => placeOf(WEEKDAYS, name) || 7);
  return local => weekdays.has(local.getUTCDay() || 7);
}

function nthWeekday(nth: string, weekday: number): Meaning {
  return local => {
    if (local.getUTCDay() !== weekday) return false;
    const day = local.getUTCDate();
    return nth === 'last' ? day + 7 > lastOf(local) : Math.ceil(day / 7) === 1 + placeOf(NTH, nth);
  };
}

/** Monday to Friday, never in another month. */
function isWorkdayNear(local: Date, day: number): boolean {
  const weekday = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), day)).getUTCDay();
  const last = lastOf(local);
  if (weekday === 6) return local.getUTCDate() === (day === 1 ? 3 : day - 1);
  if (weekday === 0) return local.getUTCDate() === (day === last ? day - 2 : day + 1);
  return local.getUTCDate() === day;
}

function lastOf(local: Date): number {
  return new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
}

function anyOf(meanings: Meaning[]): Meaning {
  return local => meanings.some(isMeant => isMeant(local));
}

/** In seconds of the day: the whole head of the sentence. */
function clockOf(text: string): Meaning {
  const times = /^At (\d\d:\d\d.*)$/.exec(text);
  if (times !== null) {
    const all = new Set(times[1]!.split(/, | and /).map(secondOfDay));
    return local => all.has(secondsOf(local));
  }
  const hourly = /^Every hour, at minute (\d+)$/.exec(text);
  if (hourly !== null) return local => secondsOf(local) % 3_600 === Number(hourly[1]) * 60;
  const from = /^Every (\d+) hours, from (\S+)$/.exec(text);
  if (from !== null) {
    const step = Number(from[1]) * 3_600;
    return local => secondsOf(local) % step === secondOfDay(from[2]!);
  }
  const range = /^(Every .*) from (\S+) to (\S+)$/.exec(text);
  if (range !== null) return within(range[1]!, secondOfDay(range[2]!), secondOfDay(range[3]!));
  const parts = text.split(' of ').map(partOf);
  return local => parts.every(isMeant => isMeant(local));
}

function within(pace: string, from: number, to: number): Meaning {
  const every = pace === 'Every hour' ? 3_600 : paceSeconds(pace)!;
  return local => {
    const at = secondsOf(local);
    return at >= from && at <= to && (at - from) % every === 0;
  };
}

function partOf(part: string): Meaning {
  if (part === 'Every hour') return local => secondsOf(local) % 3_600 === 0;
  if (/^every (minute|hour)$/.test(part)) return () => true;
  const pace = paceSeconds(part);
  if (pace !== null) return local => secondsOf(local) % pace === 0;
  const [, at, unit, list] = /^(At )?(?:the )?(second|minute|hour)s? (.*)$/.exec(part)!;
  const values = numbersOf(list!, Number);
  return local => {
    const [hours, minutes, seconds] = [
      local.getUTCHours(),
      local.getUTCMinutes(),
      local.getUTCSeconds(),
    ];
    if (unit === 'hour') return values.has(hours);
    if (unit === 'minute') return values.has(minutes) && (at === undefined || seconds === 0);
    return values.has(seconds);
  };
}

function paceSeconds(text: string): number | null {
  const [, count = '1', unit] = /^Every (?:(\d+) )?(second|minute)s?$/.exec(text) ?? [];
  return unit === undefined ? null : Number(count) * (unit === 'minute' ? 60 : 1);
}

/** `0 to 10, 12 and 20`, or `0, 7, 14 and so on to 56`. */
function numbersOf(text: string, numberOf: (item: string) => number): Set<number> {
  const progression = /^(.+), (.+), .+ and so on to (.+)$/.exec(text);
  if (progression !== null) {
    const [first, second, last] = progression.slice(1).map(numberOf) as [number, number, number];
    return new Set(between(first, last, second - first));
  }
  return new Set(
    text.split(/, | and | or /).flatMap(item => {
      const [from, to = from] = item.split(' to ').map(numberOf);
      return between(from!, to!, 1);
    }),
  );
}

function between(from: number, to: number, step: number): number[] {
  return Array.from(
    { length: Math.floor((to - from) / step) + 1 },
    (_, index) => from + index * step,
  );
}

function placeOf(names: string[], name: string): number {
  const place = names.indexOf(name);
  if (place === -1) throw new Error(`"${name}" is none of ${names.join(', ')}`);
  return place;
}

function secondOfDay(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

function secondsOf(local: Date): number {
  return Math.floor((local.getTime() / 1_000) % 86_400);
}
