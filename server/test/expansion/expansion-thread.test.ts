import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { ExpansionThread } from '../../src/expansion/expansion-thread.ts';

const NOW = Date.UTC(2026, 2, 1);
const textOf = (rule: string) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART;TZID=Europe/Berlin:20260301T090000',
    'DTEND;TZID=Europe/Berlin:20260301T100000',
    rule,
    'SUMMARY:Maintenance',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');
const daily = { kind: 'ics', ics: textOf('RRULE:FREQ=DAILY;COUNT=400') } as const;
const broken = { kind: 'ics', ics: textOf('RRULE:FREQ=SOMETIMES') } as const;

describe('the thread that expands calendars', () => {
  const thread = new ExpansionThread();
  after(() => thread.close());

  test('it gives the same periods as this thread, to each who asks', async () => {
    const asked = Array.from({ length: 5 }, () => thread.expand(daily, NOW));
    const expected = await periodsOf(daily, NOW);
    assert.equal(expected.length, 400);
    for (const periods of await Promise.all(asked)) assert.deepEqual(periods, expected);
  });

  test('it says why a text cannot be read, in the same sentence', async () => {
    const here = await periodsOf(broken, NOW).catch(error => error);
    const there = await thread.expand(broken, NOW).catch(error => error);
    assert.equal(there.code, 'calendar_invalid');
    assert.deepEqual([there.code, there.message], [here.code, here.message]);
  });

  test('this thread goes on while a text is expanded', async () => {
    const long = Array.from({ length: 200 }, (_, n) =>
      textOf('RRULE:FREQ=MINUTELY;BYMINUTE=1,2;COUNT=2000').replace('UID:1', `UID:${n}`),
    ).join('\r\n');
    let turns = 0;
    const counter = setInterval(() => (turns += 1), 1);
    const expanded = thread.expand({ kind: 'ics', ics: long }, NOW).catch(error => error);
    await expanded;
    clearInterval(counter);
    assert.ok(turns > 0, 'no turn of the event loop came in between');
  });
});

test('what is under way when the service stops fails, and nothing starts after it', async () => {
  const thread = new ExpansionThread();
  const underWay = thread.expand(daily, NOW);
  const failed = assert.rejects(underWay, /^Error: The service stopped/);
  await thread.close();
  await failed;
  await assert.rejects(thread.expand(daily, NOW), /closed/);
});
