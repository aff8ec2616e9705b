import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { intervalLine, nextTime } from '../../src/domain/calendar/times.ts';
import { type Band, bandsBetween } from '../../src/domain/run/bands.ts';
import { explain } from '../../src/domain/run/explain.ts';
import {
  heldAt,
  liveTimings,
  type State,
  timingHistories,
} from '../support/domain/timing-histories.ts';
import { casesOf, isLongRun } from '../support/long.ts';

/** Bands say of an instant what explain says of it, whatever was changed. */

const DAY_MS = 86_400_000;
const HISTORIES = Number(process.env.BAND_HISTORIES ?? casesOf(100));
/** A few histories that are drawn anew may meet no deleted schedule: the long run draws many. */
const ALWAYS_THE_SAME = isLongRun ? {} : { seed: 20_261_127 };
const STANDINGS = ['notCreated', 'deleted', 'completed', 'beforeStart', 'afterEnd', 'paused'];
/** Of an instant that is no time of its interval, or that a calendar takes away. */
const APART = ['neverDue', 'moved', 'dropped', 'repeated', 'excluded', 'rolled'];
const fraction = fc.integer({ min: 0, max: 1_000_000 }).map(part => part / 1_000_000);
const questions = fc.array(fc.record({ part: fraction, kind: fc.nat(2), nowPart: fraction }), {
  minLength: 40,
  maxLength: 40,
});

test('under random changes a band says what explain says of the instants in it', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(timingHistories, questions, (history, asked) => {
      const states = liveTimings(history);
      if (states.length === 0) return;
      for (const question of asked) {
        const [kind, verdict] = assertAgreement(states, question);
        seen.set(`${kind} ${verdict}`, (seen.get(`${kind} ${verdict}`) ?? 0) + 1);
      }
    }),
    { numRuns: HISTORIES, endOnFailure: true, ...ALWAYS_THE_SAME },
  );
  for (const kind of ['notCreated', 'paused', 'deleted']) {
    assert.ok(seen.has(`${kind} ${kind}`), `${kind} is seen: ${[...seen]}`);
  }
  assert.ok(
    [...seen.keys()].some(key => key.startsWith('undefined un')),
    'times without a band',
  );
});

type Question = { part: number; kind: number; nowPart: number };

function assertAgreement(states: State[], question: Question): [string | undefined, string] {
  const { at, now } = instantsOf(states, question);
  const { schedule } = states.at(-1)!;
  const held = at > now ? heldAt(states, Number.MAX_SAFE_INTEGER) : heldAt(states, at);
  const told = explain({
    ...{ at, now, schedule, held },
    ...{ run: null, row: null, historyFrom: 0, pausedSince: null, startedInPause: false },
  });
  const band = bandAt(states, at, now);
  const text = `${at}, now ${now}: ${told.verdict} "${told.sentence}", band ${JSON.stringify(band)}`;
  if (band !== undefined) assert.ok([band.kind, ...APART].includes(told.verdict), text);
  if (band?.kind === told.verdict && at <= now) assert.equal(band.sentence, told.sentence);
  // A calendar may move a time beyond the last one that counts: no band tells of a single time.
  const isMoved = told.verdict === 'afterEnd' && held.timing?.calendars !== undefined;
  if (STANDINGS.includes(told.verdict) && !isMoved) assert.equal(band?.kind, told.verdict, text);
  return [band?.kind, told.verdict];
}

function bandAt(states: State[], at: number, now: number): Band | undefined {
  const { schedule } = states.at(-1)!;
  const held = states.map(({ since }) => heldAt(states, since));
  const facts = { schedule, held, missed: [], pauses: [], pausedSince: null, now };
  const bands = bandsBetween(facts, at - DAY_MS, at + DAY_MS);
  for (const [index, { from, until }] of bands.entries()) {
    assert.ok(from < until && from >= at - DAY_MS && until <= at + DAY_MS);
    if (index > 0) assert.ok(from >= bands[index - 1]!.until, 'standings do not overlap');
  }
  return bands.find(({ from, until }) => from <= at && at < until);
}

/** An instant within a state or beside it: anywhere, a time of the schedule, or one of its interval. */
function instantsOf(states: State[], { part, kind, nowPart }: Question) {
  const first = states[0]!.since - DAY_MS;
  const latest = states.at(-1)!;
  const last = Math.max(latest.since, latest.scene.to) + DAY_MS;
  const anywhere = Math.floor(first + part * (last - first));
  const { timing = {}, ...plain } = heldAt(states, anywhere);
  const line = intervalLine({ ...plain, timing });
  const time =
    kind === 0
      ? null
      : kind === 1
        ? nextTime({ ...plain, timing }, anywhere)
        : line.first(anywhere);
  const at = time === null ? anywhere : time + (kind === 2 ? (timing.offsetMs ?? 0) : 0);
  return { at, now: Math.max(latest.since, Math.floor(at + (nowPart - 0.4) * 2 * DAY_MS)) };
}
