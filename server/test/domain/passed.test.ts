import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { countTimes } from '../../src/domain/calendar/times.ts';
import { runId } from '../../src/domain/id.ts';
import { iso } from '../../src/domain/iso.ts';
import { isTooOld, missed, passedRecords, tooOld } from '../../src/domain/run/passed.ts';
import type { RunRecord } from '../../src/domain/run/run.ts';
import { spansOf } from '../../src/domain/run/unseen.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { unseenUntil } from '../support/domain/queue-rows.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const schedule = (fields: Partial<Schedule> = {}): Schedule => ({
  id: '019cb000-0000-7000-8000-000000000001',
  status: 'enabled',
  url: 'https://target.example/',
  verb: 'POST',
  interval: '* * * * *',
  timezone: 'UTC',
  createdAt: NOON,
  label: '',
  ...fields,
});
const everySecond = schedule({ interval: '* * * * * *' });
const timesOf = (records: RunRecord[]) => records.map(({ scheduledFor }) => scheduledFor - NOON);

describe('records of times that passed', () => {
  test('each time has its own, under the id that its run would have had', () => {
    const records = passedRecords(schedule(), NOON, NOON + 2 * MINUTE, 'skipped', 'Why.');
    assert.deepEqual(timesOf(records), [0, MINUTE, 2 * MINUTE]);
    assert.deepEqual(records[1], {
      id: runId(schedule().id, NOON + MINUTE),
      scheduledFor: NOON + MINUTE,
      trigger: 'schedule',
      status: 'skipped',
      attempts: [],
      reason: 'Why.',
    });
  });

  test('both ends belong to it, to the millisecond', () => {
    const between = (from: number, until: number) =>
      timesOf(passedRecords(schedule(), NOON + from, NOON + until, 'missed', ''));
    assert.deepEqual(between(0, 0), [0]);
    assert.deepEqual(between(1, MINUTE), [MINUTE]);
    assert.deepEqual(between(1, MINUTE - 1), []);
    assert.deepEqual(between(MINUTE, 0), []);
  });

  test('1,000 times are 1,000 records', () => {
    const records = passedRecords(everySecond, NOON, NOON + 999 * SECOND, 'missed', '');
    assert.equal(records.length, 1_000);
    assert.ok(records.every(record => record.missed === undefined));
  });

  test('1,001 times are one record with their number, the first and the last', () => {
    const until = NOON + 1_000 * SECOND;
    assert.deepEqual(passedRecords(everySecond, NOON - 1, until + 999, 'missed', 'Why.'), [
      {
        id: runId(everySecond.id, NOON),
        scheduledFor: NOON,
        trigger: 'schedule',
        status: 'missed',
        attempts: [],
        reason: 'Why.',
        missed: { count: 1_001, from: NOON, to: until },
      },
    ]);
  });

  test('a year of down time of an every-second schedule is one record', () => {
    const year = 365 * 86_400;
    const [record, ...others] = passedRecords(
      everySecond,
      NOON,
      NOON + (year - 1) * SECOND,
      'missed',
      '',
    );
    assert.equal(record!.missed!.count, year);
    assert.deepEqual(others, []);
  });

  test('however long the gap, every time in it is counted once', () => {
    const span = fc.integer({ min: 0, max: 3 * 3_600 * SECOND });
    const interval = fc.constantFrom('* * * * * *', '*/7 * * * * *', '* * * * *', '*/11 * * * *');
    fc.assert(
      fc.property(interval, span, span, (interval, offset, length) => {
        const [from, until] = [NOON + offset, NOON + offset + length];
        const records = passedRecords(schedule({ interval }), from, until, 'missed', '');
        const counted = records.reduce((sum, record) => sum + (record.missed?.count ?? 1), 0);
        assert.equal(counted, countTimes({ interval, timezone: 'UTC' }, from, until));
        assert.ok(records.length <= 1_000);
      }),
    );
  });
});

describe('which times are too old to be caught up with', () => {
  const hour = schedule({ policy: { catchUpSeconds: 3_600 } });
  const table: [string, Schedule, number, number, boolean][] = [
    ['24 h old, by default', schedule(), 86_400 * SECOND, 0, false],
    ['a millisecond older', schedule(), 86_400 * SECOND + 1, 0, true],
    ['an hour old where catchUpSeconds says so', hour, 3_600 * SECOND, 0, false],
    ['a millisecond older', hour, 3_600 * SECOND + 1, 0, true],
    ['anything where catching up is off', schedule({ policy: { catchUpSeconds: 0 } }), 1, 0, true],
    [
      'a year, where catchUpSeconds allows it',
      schedule({ policy: { catchUpSeconds: 31_536_000 } }),
      31_536_000 * SECOND,
      0,
      false,
    ],
    ['any age, where somebody looked when it came', hour, 86_400 * SECOND, -86_400 * SECOND, false],
  ];
  for (const [name, schedule, age, unseenUntil, isOld] of table) {
    test(`${name}: ${isOld ? 'yes' : 'no'}`, () => {
      assert.equal(isTooOld(NOON - age, schedule, NOON, NOON + unseenUntil), isOld);
    });
  }
});

describe('why a time did not fire', () => {
  const ALL_UNSEEN = unseenUntil(Number.MAX_SAFE_INTEGER);
  const reasons = (records: RunRecord[]) => records.map(({ reason }) => reason!);

  test('it passed unseen, or while Punctual was too busy: each time knows which', () => {
    const records = missed(schedule(), NOON, NOON + 3 * MINUTE, unseenUntil(NOON + 2 * MINUTE));
    assert.deepEqual(timesOf(records), [0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    const [first, second, third, fourth] = reasons(records);
    assert.match(first!, /while Punctual was not running/);
    assert.equal(second, first);
    assert.match(third!, /too busy/);
    assert.equal(fourth, third);
  });

  test('it passed while somebody had paused it, and the reason says when that was', () => {
    const pauses = [
      { since: NOON + MINUTE, until: NOON + 2 * MINUTE - 5 * SECOND },
      // Resumed, and paused again before all nodes had heard of it.
      { since: NOON + 3 * MINUTE, until: NOON + 4 * MINUTE - SECOND },
      { since: NOON + 4 * MINUTE, until: NOON + 5 * MINUTE - SECOND },
    ];
    const unseen = { until: NOON + 6 * MINUTE, spans: spansOf(pauses) };
    const records = missed(schedule(), NOON, NOON + 6 * MINUTE, unseen);
    assert.deepEqual(
      timesOf(records),
      [0, 1, 2, 3, 4, 5, 6].map(minute => minute * MINUTE),
    );
    assert.deepEqual(
      reasons(records).map(reason => reason.replace('; of such times only the latest fires.', '')),
      [
        'It passed while Punctual was not running',
        `It passed while Punctual was paused, from ${iso(NOON + MINUTE)} to ${iso(pauses[0]!.until)}`,
        'It passed while Punctual was not running',
        `It passed while Punctual was paused, from ${iso(pauses[1]!.since)} to ${iso(pauses[1]!.until)}`,
        `It passed while Punctual was paused, from ${iso(pauses[2]!.since)} to ${iso(pauses[2]!.until)}`,
        `It passed while Punctual was paused, from ${iso(pauses[2]!.since)} to ${iso(pauses[2]!.until)}`,
        'It passed while Punctual was too busy to begin it',
      ],
    );
    const [old] = tooOld(
      schedule({ policy: { catchUpSeconds: 0 } }),
      NOON + MINUTE,
      NOON + MINUTE,
      unseen,
    );
    assert.match(old!.reason!, /was paused, from .*Z to .*Z, and catching up is turned off\.$/);
  });

  test('a pause within another is the cause of its times, and the other one of those before and after', () => {
    const pauses = [
      { since: NOON, until: NOON + 3 * MINUTE },
      { since: NOON + MINUTE, until: NOON + 2 * MINUTE - 10 * SECOND },
    ];
    const unseen = { until: NOON + 5 * MINUTE, spans: spansOf(pauses) };
    assert.deepEqual(
      reasons(missed(schedule(), NOON, NOON + 2 * MINUTE, unseen)).map(
        reason => /from (\S+) to/.exec(reason)![1],
      ),
      [NOON, NOON + MINUTE, NOON].map(iso),
    );
  });

  test('whatever the causes are, each time has one record', () => {
    const instant = fc.integer({ min: 0, max: 40 * SECOND });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(instant, instant), { maxLength: 5 }),
        instant,
        instant,
        (edges, from, until) => {
          const pauses = edges.map(([since, ms]) => ({
            since: NOON + since,
            until: NOON + since + ms,
          }));
          const unseen = { until: NOON + until, spans: spansOf(pauses) };
          const end = NOON + 40 * SECOND;
          assert.deepEqual(
            missed(everySecond, NOON + from, end, unseen).map(record => record.scheduledFor),
            passedRecords(everySecond, NOON + from, end, 'missed', '').map(one => one.scheduledFor),
          );
        },
      ),
    );
  });

  test('it is too old, and the reason says from which age on', () => {
    const [old] = tooOld(schedule({ policy: { catchUpSeconds: 90 } }), NOON, NOON, ALL_UNSEEN);
    assert.equal(old!.status, 'missed');
    assert.match(old!.reason!, /older than 90 s/);
  });

  test('catching up is turned off', () => {
    const [old] = tooOld(schedule({ policy: { catchUpSeconds: 0 } }), NOON, NOON, ALL_UNSEEN);
    assert.match(old!.reason!, /catching up is turned off/);
  });

  test('a gap of more than 1,000 times that are all too old is one record', () => {
    const records = tooOld(everySecond, NOON, NOON + 1_000 * SECOND, ALL_UNSEEN);
    assert.deepEqual(
      records.map(record => record.missed?.count),
      [1_001],
    );
  });
});
