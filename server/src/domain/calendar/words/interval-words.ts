import { fieldsOf, parseInterval } from '../cron/interval.ts';
import { parseDayOfMonth, parseDayOfWeek } from '../cron/interval-days.ts';
import { HOUR, MINUTE, MONTH, parseList, SECOND } from '../cron/interval-field.ts';
import { isOneOff, isRate } from '../interval-form.ts';
import { localOfOneOff } from '../one-off.ts';
import { parseRate } from '../rate.ts';
import { clockWords } from './clock-words.ts';
import { dayWords, monthWords } from './day-words.ts';

/**
 * An interval in words, as its times are counted: from the values that its fields name, not from their text. So
 * `*`+`/7 * * * *` is "At minutes 0, 7, 14 and so on to 56 of every hour", since 60 is no multiple of 7.
 *
 * The words say times of the wall clock. Changes of the clock, bounds, calendars and windows are not in them.
 *
 * @throws PunctualError `interval_invalid`
 */
export function intervalWords(interval: string): string {
  if (isOneOff(interval)) return oneOffWords(interval);
  return isRate(interval) ? rateWords(interval) : cronWords(interval);
}

function cronWords(interval: string): string {
  parseInterval(interval);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = fieldsOf(interval);
  const { text, isOfDay } = clockWords({
    seconds: ascending(parseList(SECOND, second)),
    minutes: ascending(parseList(MINUTE, minute)),
    hours: ascending(parseList(HOUR, hour)),
  });
  const days = dayWords(parseDayOfMonth(dayOfMonth), parseDayOfWeek(dayOfWeek));
  const months = monthWords(parseList(MONTH, month));
  const eachDay = isOfDay ? 'each day' : null;
  return [text, days ?? eachDay, months].filter(part => part !== null).join(', ');
}

function ascending(values: Iterable<number>): number[] {
  return [...values].sort((a, b) => a - b);
}

/** Without a zone it is a time of the schedule's wall clock. */
function oneOffWords(interval: string): string {
  const local = localOfOneOff(interval);
  const at = interval.slice('at('.length, -1);
  const zone = local === null ? ` ${offsetName(at)}` : '';
  const [day, time = ''] = at.replace(/Z|[+-]\d\d:\d\d$/, '').split('T');
  return `Once, on ${day} at ${time.replace(/^(\d\d:\d\d):00$/, '$1')}${zone}`;
}

function offsetName(at: string): string {
  return at.endsWith('Z') ? 'UTC' : `UTC${at.slice(-'+01:00'.length)}`;
}

function rateWords(interval: string): string {
  parseRate(interval);
  const [count = '', unit = ''] = interval.slice('rate('.length, -1).split(/ +/);
  const one = unit.replace(/s$/, '');
  return Number(count) === 1 ? `Every ${one}` : `Every ${Number(count)} ${one}s`;
}
