import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Class, classify, enumerate } from '../../sim/model/calendar/enumerator.ts';
import { clockNotes } from '../../src/domain/calendar/clock-change.ts';
import { nextTime } from '../../src/domain/calendar/times.ts';
import {
  type ExplainedRun,
  type ExplainFacts,
  type Explanation,
  explain,
} from '../../src/domain/run/explain.ts';
import {
  heldAt,
  liveTimings,
  type State,
  timingHistories,
} from '../support/domain/timing-histories.ts';
import { casesOf } from '../support/long.ts';

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
  startedInPause: fc.boolean(),
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
    { numRuns: casesOf(2_000) },
  );
});

test('a time that is due is never called undue, and another one never due', () => {
  fc.assert(
    fc.property(facts, given => {
      const { interval, timezone } = given.held;
      const due = nextTime({ interval, timezone }, given.at)!;
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
    { numRuns: casesOf(1_000) },
  );
});

test('a note of a moved or repeated time names an instant at which the interval fires', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...intervals),
      fc.constantFrom(...zones),
      instant,
      (interval, timezone, from) => {
        for (const note of clockNotes({ interval, timezone }, from, from + 366 * 86_400_000)) {
          const fires = nextTime({ interval, timezone }, note.at - 1) === note.at;
          if (note.kind !== 'dropped') assert.ok(fires, JSON.stringify(note));
        }
      },
    ),
    { numRuns: 300 },
  );
});

/** How many histories, 400 or more in the long form; EXPLAIN_SEED repeats a run. */
const HISTORIES = Number(process.env.EXPLAIN_HISTORIES ?? casesOf(50));
const SEED =
  process.env.EXPLAIN_SEED === undefined ? {} : { seed: Number(process.env.EXPLAIN_SEED) };
const DAY_MS = 86_400_000;

test('under random changes every verdict is that of the enumerator for what held then', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(
      timingHistories,
      fc.array(
        fc.record({
          part: fraction,
          isOnTime: fc.constantFrom(true, true, true, false),
          nowPart: fraction,
        }),
        {
          minLength: 30,
          maxLength: 30,
        },
      ),
      (history, questions) => {
        const states = liveTimings(history);
        for (const { part, isOnTime, nowPart } of states.length > 0 ? questions : []) {
          const { at, now } = questionIn(states, part, isOnTime, nowPart);
          const verdict = assertAgreement(states, at, now);
          seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
        }
      },
    ),
    // To shrink a history takes minutes.
    { numRuns: HISTORIES, ...SEED, endOnFailure: true },
  );
  if (HISTORIES < 400) return;
  const unseen = VERDICTS.filter(verdict => !seen.has(verdict));
  assert.deepEqual(unseen, [], 'the histories come to every verdict');
});

// Evenly: doubles of fast-check crowd at 0.
const fraction = fc.integer({ min: 0, max: 1_000_000 }).map(part => part / 1_000_000);
const VERDICTS = [
  ...['upcoming', 'unrecorded', 'paused', 'excluded', 'rolled', 'beforeStart', 'afterEnd'],
  ...['completed', 'deleted', 'notCreated', 'neverDue'],
];

/** An instant within a state or beside it, mostly one of the times that its interval has. */
function questionIn(states: State[], part: number, isOnTime: boolean, nowPart: number) {
  const index = Math.min(states.length - 1, Math.floor(part * states.length));
  const { since, world, scene } = states[index]!;
  const until = Math.max(since + 1, states[index + 1]?.since ?? scene.to);
  const within = part * states.length - index;
  const anywhere = Math.floor(since + within * (until - since));
  const { interval, timezone, createdAt, startsAt, hashed, windowSeconds } = world;
  const isRate = interval.startsWith('rate(');
  const plain = {
    ...{ interval, timezone, createdAt, hashed: hashed! },
    ...(isRate && startsAt !== undefined && { startsAt }),
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
  const near = isOnTime ? enumerate(plain, anywhere, until) : [];
  const at = near[0] ?? anywhere;
  const latest = states.at(-1)!.since;
  const now = Math.max(latest, Math.floor(at + (nowPart - 0.4) * 2 * DAY_MS));
  return { at, now };
}

function assertAgreement(states: State[], at: number, now: number): string {
  const { schedule } = states.at(-1)!;
  const held = at > now ? heldAt(states, Number.MAX_SAFE_INTEGER) : heldAt(states, at);
  const state = states.find(({ since }) => since === (held.since ?? states[0]!.since))!;
  const facts = {
    at,
    now,
    schedule,
    held,
    run: null,
    row: null,
    historyFrom: 0,
    pausedSince: null,
    startedInPause: false,
  };
  const told = explain(facts);
  const { world } = state;
  const asked = `${at} at ${now} of ${JSON.stringify({ world, held })}`;
  const isLast = held.until === null && schedule.statusReason === 'completed';
  const expected = expectedOf(classify(world, at), {
    status: isLast ? 'completed' : held.status,
    isBefore: at <= schedule.createdAt,
    isToCome: at > now,
    isDeleted: held.status === 'deleted',
  });
  const verdict = UNDUE.includes(told.verdict) ? 'neverDue' : told.verdict;
  assert.equal(verdict, expected.verdict, asked);
  if (expected.movedTo !== undefined) assert.equal(told.movedTo, expected.movedTo, asked);
  assertNeighbours(told, state, held.until ?? Number.POSITIVE_INFINITY, asked);
  return verdict;
}

const UNDUE = ['neverDue', 'moved', 'dropped', 'repeated'];

interface Circumstances {
  status: string;
  isBefore: boolean;
  isToCome: boolean;
  isDeleted: boolean;
}

function expectedOf(
  given: Class,
  { status, isBefore, isToCome, isDeleted }: Circumstances,
): { verdict: string; movedTo?: number } {
  if (isBefore) return { verdict: 'notCreated' };
  if (isDeleted) return { verdict: status };
  switch (given.is) {
    case 'beforeCreate':
      return { verdict: 'notCreated' };
    case 'never':
      return { verdict: 'neverDue' };
    case 'rolled':
      return { verdict: 'rolled', movedTo: given.movedTo };
    case 'due':
    case 'paused':
      if (status === 'completed') return { verdict: 'completed' };
      if (status === 'disabled' || given.is === 'paused') return { verdict: 'paused' };
      return { verdict: isToCome ? 'upcoming' : 'unrecorded' };
    default:
      return { verdict: given.is };
  }
}

/** The nominal times around the instant are those of the enumerator, as far as it looks. */
function assertNeighbours(
  { at, previous, next }: Explanation,
  { since, world, scene }: State,
  until: number,
  asked: string,
): void {
  const after = Math.max(world.createdAt, since);
  const nearMs = (scene.to - scene.from) / 4;
  const before = enumerate(world, Math.max(after + 1, at - nearMs), at).at(-1);
  if (before !== undefined && before < until) assert.equal(previous, before, `before ${asked}`);
  if (previous !== undefined) assert.ok(previous < at && previous > after, `before ${asked}`);
  const from = Math.max(at, after) + 1;
  const [following] = enumerate(world, from, from + nearMs);
  if (following !== undefined) {
    assert.equal(next, following <= until ? following : undefined, `after ${asked}`);
  }
}
