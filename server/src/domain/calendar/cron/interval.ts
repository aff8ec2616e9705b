import { monthLength } from '../../civil.ts';
import { PunctualError } from '../../errors.ts';
import { characterName } from '../../white-space.ts';
import { type Bits, bitsOf } from './bits.ts';
import { parseDayOfMonth, parseDayOfWeek } from './interval-days.ts';
import { HOUR, MINUTE, MONTH, parseList, quoted, SECOND, upperCase } from './interval-field.ts';
import { type DaysByShape, daysByShape, everOccurs } from './month-days.ts';

/**
 * The interval language: what a schedule's `interval` says, as a value.
 *
 * Five fields (minute, hour, day of month, month, day of week), a sixth for seconds in front, or a
 * macro. The dialect is Vixie cron's, with `L`, `W`, `#` and `?` as Quartz and croner know them
 * (docs of the fields: interval-field.ts and interval-days.ts).
 */
export interface Interval {
  readonly seconds: Bits;
  readonly minutes: Bits;
  readonly hours: Bits;
  readonly months: Bits;
  /** Day of month and day of week together. */
  readonly daysByShape: DaysByShape;
  /**
   * The minute or the hour begins with `*`: through a change of daylight saving the interval
   * follows the running clock. Any other is fixed to its times of day.
   */
  readonly followsClock: boolean;
}

export const MOST_CHARACTERS = 1_000;

const MACROS: ReadonlyMap<string, string> = new Map([
  ['@YEARLY', '0 0 1 1 *'],
  ['@ANNUALLY', '0 0 1 1 *'],
  ['@MONTHLY', '0 0 1 * *'],
  ['@WEEKLY', '0 0 * * 0'],
  ['@DAILY', '0 0 * * *'],
  ['@MIDNIGHT', '0 0 * * *'],
  ['@HOURLY', '0 * * * *'],
]);

const MACRO_NAMES = [...MACROS.keys()].join(', ').toLowerCase();
const FIELDS = 'minute, hour, day of month, month, day of week';

/**
 * Guarantee: takes time in proportion to the text, which is refused unread above 1,000 characters;
 * what it returns occurs again and again, for ever.
 *
 * @example parseInterval('30 2 * * MON-FRI').followsClock // false
 * @throws PunctualError `interval_invalid`
 */
export function parseInterval(text: string): Interval {
  if (text.length > MOST_CHARACTERS)
    throw invalid(`The interval has ${text.length} characters, where 1,000 are the most.`);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = fieldsOf(text);
  const seconds = bitsOf(parseList(SECOND, second));
  const minutes = bitsOf(parseList(MINUTE, minute));
  const hours = bitsOf(parseList(HOUR, hour));
  const byDate = parseDayOfMonth(dayOfMonth);
  const months = parseList(MONTH, month);
  const days = daysByShape({ dayOfMonth: byDate, dayOfWeek: parseDayOfWeek(dayOfWeek) });
  if (!everOccurs(days, lengthsOf(months)))
    throw invalid('The interval never occurs: none of its months has such a day.');
  return {
    seconds,
    minutes,
    hours,
    months: bitsOf(months),
    daysByShape: days,
    followsClock: minute.startsWith('*') || hour.startsWith('*'),
  };
}

type SixFields = [string, string, string, string, string, string];

/** Only space and tab separate fields, and may stand around them. */
export function fieldsOf(text: string): SixFields {
  refuseStray(text);
  if (/^[ \t]+(?:at|rate)\(/.test(text)) throw invalid(STANDS_ALONE, text);
  const fields = text.split(/[ \t]+/).filter(field => field !== '');
  if (fields[0]?.startsWith('@')) return macroFields(fields);
  refuseLinesOfTables(fields);
  if (fields.length === 5) fields.unshift('0');
  if (fields.length !== 6) throw invalid(countSentence(fields.length));
  return fields as SixFields;
}

/** A character that nobody sees, but for space and tab. */
function refuseStray(text: string): void {
  const stray = STRAY.exec(text);
  if (stray === null) return;
  const [character] = stray;
  const isLast = stray.index + character.length === text.length;
  const verb = stray.index === 0 ? 'begins with' : isLast ? 'ends with' : 'has';
  throw invalid(
    `The interval ${verb} ${characterName(character)}; only spaces and tabs separate fields.`,
  );
}

const STANDS_ALONE = 'The interval has one of the forms at(…) and rate(…), which stand alone.';
const STRAY = /\r\n|(?![ \t])[\s\p{C}]/u;

/** Parts of a line of a crontab that stand elsewhere here, or nowhere: its time zone and its command. */
function refuseLinesOfTables(fields: readonly string[]): void {
  const [first = ''] = fields;
  if (/^(?:CRON_)?TZ=/i.test(first))
    throw invalid(
      `The interval has ${quoted(first)}: send the time zone as timezone, and the fields alone.`,
    );
  const sixth = fields[5];
  if (sixth !== undefined && COMMAND.test(sixth))
    throw invalid(
      `The interval has ${quoted(sixth)} after five fields; a sixth field is a command here: send the first five.`,
    );
}

/** A word or a path that nobody means as a weekday: with seconds in front, a sixth field is one. */
const COMMAND = /^(?!sun|mon|tue|wed|thu|fri|sat|[a-z]{1,2}(?:[-,#/]|$))[a-z./~$"']/i;

function macroFields([macro = '', ...others]: string[]): SixFields {
  const meaning = MACROS.get(upperCase(macro));
  if (meaning === undefined)
    throw invalid(`The interval has ${quoted(macro)}, which is none of ${MACRO_NAMES}.`);
  if (others.length > 0)
    throw invalid(`The interval's macro ${quoted(macro)} does not stand alone.`);
  return ['0', ...meaning.split(' ')] as SixFields;
}

function countSentence(count: number): string {
  if (count === 0) return `The interval is empty; it needs five fields: ${FIELDS}.`;
  const found = count === 1 ? '1 field' : `${count} fields`;
  return `The interval has ${found}; it needs five (${FIELDS}), or six with seconds in front.`;
}

/** In a common year and in a leap year. */
function lengthsOf(months: Iterable<number>): Set<number> {
  const lengths = new Set<number>();
  for (const month of months) lengths.add(monthLength(2023, month)).add(monthLength(2024, month));
  return lengths;
}

function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('interval_invalid', sentence, { refused });
}
