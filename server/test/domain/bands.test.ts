import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BandFacts, bandsBetween, editsOf } from '../../src/domain/run/bands.ts';
import type { HeldSchedule } from '../../src/domain/run/standing.ts';
import { causeIn, causesBetween, spansOf } from '../../src/domain/run/unseen.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
const HELD: HeldSchedule = {
  interval: '* * * * *',
  timezone: 'UTC',
  status: 'enabled',
  since: null,
  until: null,
};
const bands = (facts: Partial<BandFacts>) => {
  const whole = {
    ...{ schedule: { createdAt: NOON - 1 }, held: [HELD], missed: [], pauses: [] },
    ...{ pausedSince: null, now: NOON + 60 * MINUTE },
    ...facts,
  };
  return bandsBetween(whole, NOON, NOON + 60 * MINUTE).map(({ kind, from, until }) => [
    kind,
    (from - NOON) / MINUTE,
    (until - NOON) / MINUTE,
  ]);
};
const DOWN = 'It passed while Punctual was not running, and catching up is turned off.';
const missedAt = (minute: number, reason = DOWN) => ({
  scheduledFor: NOON + minute * MINUTE,
  reason,
});
const SECOND = 1 / 60;

test('missed times of one cause are one band, cut where another time fired', () => {
  const missed = [
    missedAt(3),
    missedAt(4),
    missedAt(5),
    missedAt(9),
    missedAt(10, 'It passed while Punctual was too busy to begin it.'),
  ];
  assert.deepEqual(bands({ missed }), [
    ['down', 3, 5 + SECOND],
    ['down', 9, 9 + SECOND],
    ['busy', 10, 10 + SECOND],
  ]);
});

test('a record of many times is one band, also where it began before', () => {
  const many = { count: 2_000, from: NOON - 1_990 * MINUTE, to: NOON + 9 * MINUTE };
  const missed = [{ scheduledFor: many.from, reason: DOWN, missed: many }];
  assert.deepEqual(bands({ missed }), [['down', 0, 9 + SECOND]]);
});

test('a pause of the installation is a band for a schedule without any time in it, and once', () => {
  const pause = { since: NOON + 5 * MINUTE, until: NOON + 7 * MINUTE };
  const reason = `It passed while ${spansOf([pause])[0]!.why}; of such times only the latest fires.`;
  const missed = [missedAt(5, reason), missedAt(6, reason)];
  assert.deepEqual(bands({ pauses: [pause], missed }), [['halted', 5, 7]]);
  assert.deepEqual(bands({ pausedSince: NOON + 50 * MINUTE }), [['halted', 50, 60]]);
});

test('a pause, a snooze and the end of a schedule follow each other', () => {
  const changedAt = NOON + 10 * MINUTE;
  const pausedUntil = NOON + 40 * MINUTE;
  const endsAt = NOON + 50 * MINUTE;
  const held: HeldSchedule[] = [
    { ...HELD, status: 'disabled', until: changedAt },
    { ...HELD, timing: { pausedUntil, endsAt }, since: changedAt },
  ];
  const schedule = { createdAt: NOON + 2 * MINUTE };
  assert.deepEqual(bands({ held, schedule }), [
    ['notCreated', 0, 2 + SECOND / 1_000],
    ['paused', 2 + SECOND / 1_000, 10],
    ['paused', 10, 40],
    ['afterEnd', 50, 60],
  ]);
});

test('a changed interval, zone or bound is an edit, a pause is none', () => {
  const at = (minute: number) => NOON + minute * MINUTE;
  const held: HeldSchedule[] = [
    { ...HELD, until: at(1) },
    { ...HELD, since: at(1), until: at(2), interval: '*/2 * * * *' },
    { ...HELD, since: at(2), until: at(3), interval: '*/2 * * * *', status: 'disabled' },
    { ...HELD, since: at(3), until: at(4), interval: '*/2 * * * *', timezone: 'Asia/Tokyo' },
    {
      ...HELD,
      since: at(4),
      until: at(5),
      interval: '*/2 * * * *',
      timezone: 'Asia/Tokyo',
      timing: { pausedUntil: at(9) },
    },
    {
      ...HELD,
      since: at(5),
      interval: '*/2 * * * *',
      timezone: 'Asia/Tokyo',
      timing: { endsAt: at(9) },
    },
  ];
  assert.deepEqual(editsOf(held), [
    { at: at(1), sentence: 'Its interval was changed from "* * * * *" to "*/2 * * * *".' },
    { at: at(3), sentence: 'Its time zone was changed from UTC to Asia/Tokyo.' },
    { at: at(5), sentence: 'Its bounds, its window or its calendars were changed.' },
  ]);
});

test('the cause of a missed time is read from the words that the domain writes', () => {
  const pause = { since: NOON, until: NOON + MINUTE };
  const causes = causesBetween(
    { until: NOON + 10 * MINUTE, spans: spansOf([pause]) },
    NOON - MINUTE,
    NOON + 20 * MINUTE,
  );
  assert.deepEqual(
    causes.map(({ why }) => causeIn(`It passed while ${why}, and catching up is turned off.`)),
    ['down', 'halted', 'down', 'busy'],
  );
});
