import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextTime } from '../../src/domain/calendar/calendar.ts';
import { clockNotes } from '../../src/domain/calendar/clock-change.ts';
import { type ExplainedRun, type ExplainFacts, explain } from '../../src/domain/run/explain.ts';

/** Whatever is asked, about whatever is on record, there is an answer. */

const START = Date.UTC(2026, 0, 1);
const END = Date.UTC(2027, 0, 1);
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
const intervals = ['30 2 * * *', '*/30 2 * * *', '0 */2 * * *', '15 1,2,3 * * *', '* * * * * *'];
const instant = fc.integer({ min: START, max: END });
const whole = instant.map(at => Math.floor(at / 60_000) * 60_000);
const run: fc.Arbitrary<ExplainedRun> = fc.record({
  scheduledFor: instant,
  trigger: fc.constantFrom('schedule', 'manual'),
  status: fc.constantFrom(
    'queued',
    'running',
    'retrying',
    'succeeded',
    'failed',
    'skipped',
    'missed',
  ),
  attempts: fc.array(fc.record({ error: fc.string() }), { maxLength: 2 }),
});
const facts: fc.Arbitrary<ExplainFacts> = fc.record({
  at: fc.oneof(instant, whole),
  now: instant,
  schedule: fc.record({ createdAt: instant }),
  held: fc.record({
    interval: fc.constantFrom(...intervals),
    timezone: fc.constantFrom(...zones),
    status: fc.constantFrom('enabled', 'disabled', 'deleted'),
    since: fc.option(instant),
    until: fc.option(instant),
  }),
  run: fc.option(run),
  row: fc.option(fc.record({ scheduledFor: instant, begun: fc.boolean() })),
  historyFrom: instant,
  pausedSince: fc.option(instant),
});

test('every instant has one answer in one sentence, and it never throws', () => {
  fc.assert(
    fc.property(facts, given => {
      const { verdict, sentence, previous, next } = explain(given);
      assert.ok(verdict.length > 0);
      assert.match(sentence, /^[A-Z"].*[.!)]?$/su);
      if (previous !== undefined) assert.ok(previous < given.at);
      if (next !== undefined) assert.ok(next > given.at);
    }),
    { numRuns: 2_000 },
  );
});

test('a time that is due is never called undue, and another one never due', () => {
  fc.assert(
    fc.property(facts, given => {
      const { interval, timezone } = given.held;
      const due = nextTime(interval, timezone, given.at)!;
      const clean: ExplainFacts = {
        ...given,
        run: null,
        held: { ...given.held, status: 'enabled' },
      };
      const undue = ['neverDue', 'moved', 'dropped', 'repeated', 'notCreated'];
      const early = { createdAt: START - 1 };
      assert.ok(!undue.includes(explain({ ...clean, at: due, schedule: early }).verdict));
      if (due > given.at + 1) {
        const between = explain({ ...clean, at: due - 1, schedule: early });
        assert.ok(undue.includes(between.verdict), between.sentence);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a note of a moved or repeated time names an instant at which the interval fires', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...intervals),
      fc.constantFrom(...zones),
      instant,
      (interval, timezone, from) => {
        for (const note of clockNotes(interval, timezone, from, from + 366 * 86_400_000)) {
          const fires = nextTime(interval, timezone, note.at - 1) === note.at;
          if (note.kind !== 'dropped') assert.ok(fires, JSON.stringify(note));
        }
      },
    ),
    { numRuns: 300 },
  );
});
