import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseInterval } from '../../src/domain/calendar/cron/interval.ts';
import { checkInterval, timesBetween } from '../../src/domain/calendar/times.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import refused from '../data/cron-invalid.json' with { type: 'json' };
import { cpuMs } from '../support/cpu-time.ts';

/** The days of 2026 (from 1 January) on which an interval occurs in UTC, as MM-DD. */
function daysOf2026(interval: string): string[] {
  const times = timesBetween(
    { interval, timezone: 'UTC' },
    Date.UTC(2026, 0),
    Date.UTC(2027, 0) - 1,
    100_000,
  );
  return [...new Set(times.map(time => new Date(time).toISOString().slice(5, 10)))];
}

/** The times of day on 1 January 2026 at which an interval occurs in UTC, as HH:MM:SS. */
function timesOfDay(interval: string): string[] {
  const times = timesBetween(
    { interval, timezone: 'UTC' },
    Date.UTC(2026, 0),
    Date.UTC(2026, 0, 2) - 1,
    100_000,
  );
  return times.map(time => new Date(time).toISOString().slice(11, 19));
}

function refusal(interval: string, timezone = 'UTC'): PunctualError {
  try {
    checkInterval({ interval, timezone });
  } catch (error) {
    assert.ok(error instanceof PunctualError, String(error));
    return error;
  }
  assert.fail(`${JSON.stringify(interval)} in ${JSON.stringify(timezone)} was accepted`);
}

test('each of the 200 collected invalid cases is refused, for its interval or its time zone', () => {
  assert.equal(refused.length, 200);
  for (const { expr, tz } of refused as { expr: string; tz?: string }[]) {
    const code = tz === undefined ? 'interval_invalid' : 'timezone_unknown';
    assert.equal(refusal(expr, tz).code, code, expr);
  }
});

test('a refusal names the field and the bad part of it', () => {
  const sentences: [interval: string, sentence: string][] = [
    ['* 24 * * *', "The interval's hour field has 24, which is above 23."],
    ['* * 0 * *', "The interval's day of month field has 0, which is below 1."],
    ['* * * * Mo', `${field('day of week')} "Mo", which is not ${weekdays}.`],
    ['5-1 * * * *', `${field('minute')} the range "5-1", whose start comes after its end.`],
    ['-1 * * * *', `${field('minute')} "-1", which is not a range of the form a-b.`],
    ['*/90 * * * *', `${field('minute')} "*/90", whose step is not a number from 1 to 60.`],
    ['1/2/3 * * * * *', `${field('second')} "1/2/3", which has more than one step.`],
    ['* * * ,5 *', `${field('month')} an empty item in its list.`],
    ['* * * * 5#6', `${field('day of week')} "5#6", where 5#1 to 5#5 or 5L can be.`],
    ['* * L-31 * *', `${field('day of month')} "L-31", where L-1 to L-30 can be.`],
    ['0 0 1,15W * *', `${field('day of month')} "1,15W", where W ${workday}.`],
    ['0 0 15W,L * *', `${field('day of month')} "15W,L", where W ${workday}.`],
    ['0 0 1-15W * *', `${field('day of month')} "1-15W", where W ${workday}.`],
    ['0 0 LW/2 * *', `${field('day of month')} "LW/2", where W ${workday}.`],
    [
      '0 0 ?,3 * *',
      `${field('day of month')} "?,3", where ? stands alone: no list, range or step.`,
    ],
    ['0 0 * * 1,?', `${field('day of week')} "1,?", where ? stands alone: no list, range or step.`],
    ['0 0 31 2 *', 'The interval never occurs: none of its months has such a day.'],
    ['@daily 5', 'The interval\'s macro "@daily" does not stand alone.'],
    [' \t ', `The interval is empty; it needs five fields: ${names}.`],
    ['* * *', `The interval has 3 fields; it needs five (${names}), or six with seconds in front.`],
    ['24 24 24 24 24', "The interval's hour field has 24, which is above 23."],
  ];
  for (const [interval, sentence] of sentences) assert.equal(refusal(interval).message, sentence);
});

const names = 'minute, hour, day of month, month, day of week';
const workday = 'stands alone: one day such as 15W or LW, and no list, range or step';
const weekdays = 'a number from 0 to 7 or a name from SUN to SAT';

function field(name: string): string {
  return `The interval's ${name} field has`;
}

test('a refusal echoes at most 40 characters of the interval, and no control characters', () => {
  const long = refusal(`${'x'.repeat(900)} * * * *`).message;
  assert.match(long, /"x{40}"…/);
  assert.match(refusal(`${'9'.repeat(900)} * * * *`).message, / 9{40}…,/);
  for (const stray of ['\0', '\u202e', '\ud800', '\u2028'])
    assert.match(
      refusal(`a${stray}b * * * *`).message,
      /^[^\p{C}\p{Zl}]+ has the character U\+[^\p{C}]+$/u,
    );
});

test('lines of a crontab, and white space that nobody sees, are named as what they are', () => {
  const command = 'after five fields; a sixth field is a command here: send the first five.';
  const separate = 'only spaces and tabs separate fields.';
  const sentences: [interval: string, sentence: string][] = [
    ['0 2 * * * curl', `The interval has "curl" ${command}`],
    ['0 2 * * * /usr/bin/curl -s https://x', `The interval has "/usr/bin/curl" ${command}`],
    ['0 2 * * curl', `${field('day of week')} "curl", which is not ${weekdays}.`],
    ['0 0 2 * * mo', `${field('day of week')} "mo", which is not ${weekdays}.`],
    ['0 0 2 * * MONDAY', `${field('day of week')} "MONDAY", which is not ${weekdays}.`],
    ['CRON_TZ=Europe/Berlin 0 2 * * *', `The interval has "CRON_TZ=Europe/Berlin": ${zone}`],
    ['TZ=UTC @daily', `The interval has "TZ=UTC": ${zone}`],
    ['0 2 * * *\n', `The interval ends with a line end; ${separate}`],
    ['0 2 * * *\r\n', `The interval ends with a line end; ${separate}`],
    ['\ufeff0 2 * * *', `The interval begins with a byte order mark (U+FEFF); ${separate}`],
    ['0\u00a02 * * *', `The interval has a no-break space (U+00A0); ${separate}`],
  ];
  for (const [interval, sentence] of sentences) assert.equal(refusal(interval).message, sentence);
  for (const interval of ['rate(5 minutes)\n', 'at(2999-01-01T00:00)\n'])
    assert.match(refusal(interval).message, /; the text that was sent ends with a line end\.$/);
  for (const interval of ['\trate(5 minutes)', '\tat(2999-01-01T00:00)'])
    assert.match(
      refusal(interval).message,
      /stand alone; the text that was sent begins with a tab\.$/,
    );
});

const zone = 'send the time zone as timezone, and the fields alone.';

test('every piece that a refusal quotes is a piece that was sent, from one mark of the language to the next', () => {
  const words = ['*', '?', 'L', 'W', '#', '/', '-', ',', ' ', '\t', '\n', '\u00a0', '@daily', '@'];
  const parts = [
    'curl',
    'FRIL',
    'mon',
    'xyz',
    '15W',
    '0',
    '7',
    '61',
    '5#2',
    'L-3',
    'TZ=UTC',
    'at(',
    '|',
  ];
  const text = fc.array(fc.constantFrom(...words, ...parts), { maxLength: 12 });
  const fields = fc.array(
    text.map(all => all.join('')),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(fields, given => {
      const interval = given.join(' ');
      const piece = /"(.+)"(…?)/u.exec(refusedFor(interval));
      if (piece === null) return;
      const literal = RegExp.escape(piece[1]!);
      const end = piece[2] === '' ? '(?=$|[ \\t,/#-])' : '';
      assert.match(interval, new RegExp(`(?<=^|[ \\t,/#-])${literal}${end}`, 'u'));
    }),
    { numRuns: 20_000 },
  );
});

function refusedFor(interval: string): string {
  try {
    checkInterval({ interval, timezone: 'UTC' });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('an interval of 1,000 characters is read, one of 1,001 is refused unread', () => {
  const long = `${'1,'.repeat(495)}12 * * * *`;
  assert.equal(long.length, 1_000);
  checkInterval({ interval: long, timezone: 'UTC' });
  assert.match(refusal(`${long} `).message, /has 1001 characters, where 1,000 are the most/);
});

test('the slowest intervals of 1,000 characters are judged within 500 ms', () => {
  const slow = ['*/1,', '1-1,', 'L', '5L,', '5#', '#', '9', 'JAN-', '* ', '\t', '@', 'W', 'L-'];
  for (const part of slow) {
    const text = part.repeat(Math.floor(990 / part.length));
    for (const interval of [`${text} * * * *`, `* * ${text} * *`, `* * * * ${text}`, text]) {
      const start = cpuMs();
      try {
        parseInterval(interval);
      } catch {}
      assert.ok(cpuMs() - start < 500, interval.slice(0, 40));
    }
  }
});

test('fields are separated by any number of spaces and tabs, and by nothing else', () => {
  assert.deepEqual(timesOfDay('  30\t2  *\t* *  '), ['02:30:00']);
  for (const other of ['\n', '\r', '\u00a0', '\u2003', '\0'])
    refusal(['30', '2', '*', '*', '*'].join(other));
});

test('names are three ASCII letters in any case, and stand where numbers can stand', () => {
  const januaryMondays = ['01-05', '01-12', '01-19', '01-26'];
  for (const interval of ['0 0 * JAN MON', '0 0 * jan mon', '0 0 * jAn-1 Mon-1/3'])
    assert.deepEqual(daysOf2026(interval), januaryMondays);
  // Both are upper-cased to ASCII by String.prototype.toUpperCase.
  for (const interval of ['* * * * \u017fun', '* * * * fr\u0131', '@da\u0131ly']) refusal(interval);
  for (const interval of ['JAN * * * *', '* * MON * *', '* * * MON *', '* * * * JAN'])
    refusal(interval);
});

test('0 and 7 are both Sunday, alone, in lists and at the end of a range', () => {
  const sundays = daysOf2026('0 0 * * 0');
  assert.deepEqual(sundays.slice(0, 3), ['01-04', '01-11', '01-18']);
  for (const same of ['7', '0,7', '7-7', 'SUN', 'sun-sun', '7/2'])
    assert.deepEqual(daysOf2026(`0 0 * * ${same}`), sundays, same);
  assert.deepEqual(daysOf2026('0 0 * * FRI-SUN'), daysOf2026('0 0 * * 5,6,0'));
  assert.deepEqual(daysOf2026('0 0 * * 5-7'), daysOf2026('0 0 * * 5,6,0'));
  assert.equal(daysOf2026('0 0 * * 0-7').length, 365);
});

test('a range that would wrap round is refused', () => {
  for (const interval of ['50-10 * * * *', '* 22-2 * * *', '* * * NOV-FEB *', '* * * * FRI-MON'])
    assert.match(refusal(interval).message, /whose start comes after its end/);
});

test('a/n goes from a to the last value in steps of n, and Saturday ends the week', () => {
  assert.deepEqual(timesOfDay('40/8 3 * * *'), ['03:40:00', '03:48:00', '03:56:00']);
  assert.deepEqual(daysOf2026('0 0 * * 3/2'), daysOf2026('0 0 * * 3,5'));
  assert.deepEqual(timesOfDay('0 5-11/3 * * *'), ['05:00:00', '08:00:00', '11:00:00']);
});

test('a step may be as great as the field has values, and no greater', () => {
  assert.deepEqual(timesOfDay('*/60 */24 * * *'), ['00:00:00']);
  for (const interval of ['*/61 * * * *', '* */25 * * *', '* * */32 * *', '* * * */13 *'])
    assert.match(refusal(interval).message, /whose step is not a number/);
  refusal('* * * * */8');
});

test('a sixth field in front is for seconds', () => {
  assert.deepEqual(timesOfDay('*/20 59 23 * * *'), ['23:59:00', '23:59:20', '23:59:40']);
});

test('macros stand for five fields, in any case of letters', () => {
  const meanings = {
    '@yearly': '0 0 1 1 *',
    '@annually': '0 0 1 1 *',
    '@monthly': '0 0 1 * *',
    '@weekly': '0 0 * * 0',
    '@daily': '0 0 * * *',
    '@midnight': '0 0 * * *',
    '@hourly': '0 * * * *',
  };
  for (const [macro, meaning] of Object.entries(meanings)) {
    assert.deepEqual(parseInterval(macro), parseInterval(meaning));
    assert.deepEqual(parseInterval(` ${macro.toUpperCase()}\t`), parseInterval(meaning));
  }
});

test('either day field may match when neither begins with a star', () => {
  assert.deepEqual(daysOf2026('0 0 13 3 FRI'), ['03-06', '03-13', '03-20', '03-27']);
  assert.deepEqual(daysOf2026('0 0 1,15 3 7'), ['03-01', '03-08', '03-15', '03-22', '03-29']);
});

test('both day fields must match when one begins with a star, the star of a step included', () => {
  assert.deepEqual(daysOf2026('0 0 */2 3 MON'), ['03-09', '03-23']);
  assert.deepEqual(daysOf2026('0 0 1-7 3 */7'), ['03-01']);
  assert.deepEqual(daysOf2026('0 0 *,13 3 MON'), daysOf2026('0 0 * 3 MON'));
});

test('? alone in a day field is a star, and nothing anywhere else', () => {
  assert.deepEqual(daysOf2026('0 0 ? 3 MON'), daysOf2026('0 0 * 3 MON'));
  assert.deepEqual(daysOf2026('0 0 13 * ?'), daysOf2026('0 0 13 * *'));
  for (const interval of ['? * * * *', '* ? * * *', '* * * ? *', '* * ?,1 * *', '* * * * ?/2'])
    refusal(interval);
});

test('L in the day of month counts from the last day of the month', () => {
  assert.deepEqual(daysOf2026('0 0 L 1-4 *'), ['01-31', '02-28', '03-31', '04-30']);
  assert.deepEqual(daysOf2026('0 0 l-3,1 2 *'), ['02-01', '02-25']);
  assert.deepEqual(daysOf2026('0 0 L-30 1-4 *'), ['01-01', '03-01']);
});

test('LW is the last working day, nW the one nearest to the nth within its month', () => {
  assert.deepEqual(daysOf2026('0 0 LW 1-5 *'), ['01-30', '02-27', '03-31', '04-30', '05-29']);
  assert.deepEqual(daysOf2026('0 0 1W 8 *'), ['08-03'], 'the 1st is a Saturday');
  assert.deepEqual(daysOf2026('0 0 31w 5 *'), ['05-29'], 'the 31st is a Sunday');
  assert.deepEqual(daysOf2026('0 0 15W 2,3 *'), ['02-16', '03-16'], 'Sundays');
  assert.deepEqual(daysOf2026('0 0 31W 1-4 *'), ['01-30', '03-31'], 'not in shorter months');
  for (const interval of [
    '* * W * *',
    '* * 1,15W * *',
    '* * 0W * *',
    '* * 32W * *',
    '* * 1-5W * *',
  ])
    refusal(interval);
});

test('nL and n#k in the day of week are the last and the kth of their month', () => {
  assert.deepEqual(daysOf2026('0 0 * 1-3 5L'), ['01-30', '02-27', '03-27']);
  for (const same of ['FRIL', 'fril', '5#L']) {
    assert.deepEqual(daysOf2026(`0 0 * * ${same}`), daysOf2026('0 0 * * 5L'));
  }
  assert.deepEqual(daysOf2026('0 0 * 1 FRI#2,1#1'), ['01-05', '01-09']);
  assert.deepEqual(daysOf2026('0 0 * 1-4 7#5'), ['03-29']);
  assert.deepEqual(daysOf2026('0 0 13 2 SUN#1'), ['02-01', '02-13'], 'either may match');
});

test('a day that only leap years have is accepted, a day that no year has is not', () => {
  checkInterval({ interval: '0 0 29 2 *', timezone: 'UTC' });
  checkInterval({ interval: '0 0 29 2 */7', timezone: 'UTC' });
  for (const interval of ['0 0 30 2 *', '0 0 31 4,6,9,11 *', '0 0 31W 2 *', '0 0 L-30 4 *'])
    assert.match(refusal(interval).message, /never occurs/);
  checkInterval({ interval: '0 0 31 2 MON', timezone: 'UTC' });
});
