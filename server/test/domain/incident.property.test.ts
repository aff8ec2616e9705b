import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Cause } from '../../src/domain/run/cause.ts';
import {
  EpisodeTally,
  episodesOf,
  type Failure,
  GAP_MS,
  IncidentTally,
  incidentSentence,
  MOST_SAMPLED,
  schedulesOf,
} from '../../src/domain/run/incident.ts';

/** A run of a schedule that ended; without a cause it succeeded. */
interface Ended {
  scheduleId: string;
  at: number;
  cause?: Cause;
  host: string;
}

const MINUTE = 60_000;
const CAUSES: Cause[] = ['timeout', 'dns'];

/** Runs of a few schedules at different minutes of some hours; `c` does not fire any more. */
const aHistory = fc
  .uniqueArray(
    fc.record({
      scheduleId: fc.constantFrom('a', 'b', 'c'),
      minute: fc.integer({ min: 0, max: 240 }),
      cause: fc.option(fc.constantFrom(...CAUSES), { nil: undefined, freq: 2 }),
    }),
    { selector: ({ scheduleId, minute }) => `${scheduleId} ${minute}`, maxLength: 60 },
  )
  .map(runs =>
    runs
      .map(
        ({ minute, cause, ...same }): Ended => ({
          ...same,
          at: minute * MINUTE,
          host: same.scheduleId === 'b' ? 'two' : 'one',
          ...(cause && { cause }),
        }),
      )
      .sort((one, other) => one.at - other.at),
  );

function failuresOf(runs: Ended[]): Failure[] {
  return runs.flatMap(({ scheduleId, at, cause, host }) =>
    cause === undefined
      ? []
      : [{ runId: `${scheduleId}${at}`, scheduleId, scheduledFor: at, count: 1, cause, host }],
  );
}

function recoveryOf(runs: Ended[]) {
  return (scheduleId: string, after: number) =>
    runs.find(run => run.scheduleId === scheduleId && run.at > after && !run.cause)?.at ??
    (scheduleId === 'c' ? undefined : null);
}

/** Undefined for a schedule that does not fire any more: nobody waits for it. */
type RecoveryOf = (scheduleId: string, after: number) => number | null | undefined;

function groupsOf(failures: Failure[]) {
  const tally = new EpisodeTally();
  for (const episode of episodesOf(failures)) tally.add(episode);
  return tally.groups;
}

function incidentsOf(failures: Failure[], recoveryOf: RecoveryOf) {
  const tally = new IncidentTally();
  for (const group of groupsOf(failures)) {
    const recoveries = [...schedulesOf(group)].flatMap(([scheduleId, { lastFor }]) => {
      const succeededFor = recoveryOf(scheduleId, lastFor);
      return succeededFor === undefined ? [] : [{ scheduleId, succeededFor }];
    });
    tally.add(group, recoveries);
  }
  return tally.newest(1_000);
}

/** The same in the words of its definition: run by run, each looked for anew. */
function plainIncidents(runs: Ended[]) {
  const recovery = recoveryOf(runs);
  const incidents: { key: string; runs: Ended[]; until: number | null }[] = [];
  const untilOf = (those: Ended[]): number | null => {
    const ends = [...new Set(those.map(({ scheduleId }) => scheduleId))].map(id => {
      const last = those.findLast(({ scheduleId }) => scheduleId === id)!;
      const end = recovery(id, last.at);
      return end === undefined ? those.at(-1)!.at : end;
    });
    return ends.includes(null) ? null : Math.max(those.at(-1)!.at, ...(ends as number[]));
  };
  for (const run of runs.filter(({ cause }) => cause !== undefined)) {
    const key = `${run.cause} ${run.host}`;
    const last = incidents.findLast(each => each.key === key);
    const goesOn =
      last !== undefined &&
      (run.at - last.runs.at(-1)!.at <= GAP_MS || last.until === null || last.until > run.at);
    if (goesOn) last.runs.push(run);
    else incidents.push({ key, runs: [run], until: null });
    const current = goesOn ? last : incidents.at(-1)!;
    current.until = untilOf(current.runs);
  }
  return incidents;
}

test('incidents are those that the definition names, run by run', () => {
  fc.assert(
    fc.property(aHistory, runs => {
      const found = incidentsOf(failuresOf(runs), recoveryOf(runs));
      const shown = found.map(
        ({ cause, host, since, lastFor, until, runs, schedules, sample }) => ({
          key: `${cause} ${host}`,
          since,
          lastFor,
          until,
          runs,
          schedules: schedules.size,
          sample,
        }),
      );
      const plain = plainIncidents(runs).map(({ key, runs, until }) => ({
        key,
        since: runs[0]!.at,
        lastFor: runs.at(-1)!.at,
        until,
        runs: runs.length,
        schedules: new Set(runs.map(({ scheduleId }) => scheduleId)).size,
        sample: runs
          .toReversed()
          .slice(0, MOST_SAMPLED)
          .map(({ scheduleId, at }) => `${scheduleId}${at}`),
      }));
      const order = (a: { key: string; since: number }, b: { key: string; since: number }) =>
        a.since - b.since || (a.key < b.key ? -1 : 1);
      const withSets = (each: (typeof plain)[number]) => ({ ...each, sample: each.sample.length });
      assert.deepEqual(shown.sort(order).map(withSets), plain.sort(order).map(withSets));
    }),
    { numRuns: 2_000 },
  );
});

test('failures may be given in any order', () => {
  fc.assert(
    fc.property(aHistory, fc.integer(), (runs, seed) => {
      const failures = failuresOf(runs);
      const shuffled = failures.toSorted(
        (a, b) => ((hash(a) ^ seed) >>> 0) - ((hash(b) ^ seed) >>> 0),
      );
      const counts = (those: Failure[]) =>
        groupsOf(those).map(({ parts, ...same }) => ({
          ...same,
          key: parts[0]!.key,
          schedules: [...schedulesOf({ parts })].sort(),
        }));
      const order = (a: { since: number; key: string }, b: typeof a) =>
        a.since - b.since || (a.key < b.key ? -1 : 1);
      assert.deepEqual(counts(shuffled).sort(order), counts(failures).sort(order));
    }),
  );
});

function hash({ runId }: Failure): number {
  return [...runId].reduce((sum, sign) => Math.imul(sum, 31) + sign.charCodeAt(0), 7);
}

const aFailure = (at: number, fields: Partial<Failure> = {}): Failure => ({
  runId: `run-${at}`,
  scheduleId: 'a',
  scheduledFor: at,
  count: 1,
  cause: 'connectionRefused',
  host: 'db.example:5432',
  ...fields,
});

test('what a breaker refused is of the incident for which it is open', () => {
  const failures = [
    aFailure(0),
    aFailure(MINUTE, { cause: 'breakerOpen', scheduleId: 'b' }),
    aFailure(MINUTE, { cause: 'breakerOpen', scheduleId: 'x', host: 'other.example' }),
  ];
  const found = incidentsOf(failures, () => null);
  assert.deepEqual(
    found.map(({ cause, host, runs, schedules }) => [cause, host, runs, schedules.size]).sort(),
    [
      ['breakerOpen', 'other.example', 1, 1],
      ['connectionRefused', 'db.example:5432', 2, 2],
    ],
  );
});

test('of two incidents of one host, refusals belong to the one that had begun', () => {
  const failures = [
    aFailure(0, { cause: 'timeout' }),
    aFailure(MINUTE, { cause: 'breakerOpen' }),
    aFailure(9 * MINUTE),
  ];
  const found = incidentsOf(failures, (_, after) => after + 1);
  assert.deepEqual(
    found.map(({ cause, runs }) => [cause, runs]),
    [
      ['connectionRefused', 1],
      ['timeout', 2],
    ],
  );
});

test('those that go on come first, then the newest', () => {
  const hours = [0, 3, 6].map(hour => hour * 60 * MINUTE);
  const failures = hours.map((at, index) =>
    aFailure(at, { scheduleId: `s${index}`, host: `h${index}` }),
  );
  const recovery = (scheduleId: string, after: number) => (scheduleId === 's0' ? null : after + 1);
  const found = incidentsOf(failures, recovery);
  assert.deepEqual(
    found.map(({ host }) => host),
    ['h0', 'h2', 'h1'],
  );
});

test('a sentence says what happened, to how many, and how it ended', () => {
  const of = (recovered: number | null | undefined, failures: Failure[]) =>
    incidentSentence(incidentsOf(failures, () => recovered)[0]!);
  const at = Date.UTC(2026, 5, 1, 7, 28);
  assert.equal(
    of(at + 12 * MINUTE, [aFailure(at), aFailure(at + MINUTE, { scheduleId: 'b' })]),
    'db.example:5432 refused connections: 2 runs of 2 schedules failed from 2026-06-01T07:28:00.000Z to ' +
      '2026-06-01T07:29:00.000Z. It was over at 2026-06-01T07:40:00.000Z, when all schedules had succeeded again.',
  );
  assert.equal(
    of(null, [aFailure(at, { cause: 'notRunning', host: '', count: 1_200 })]),
    'Punctual was not running: 1,200 runs of 1 schedule were missed at 2026-06-01T07:28:00.000Z. It is not over: ' +
      'the schedule has not succeeded since.',
  );
  const two = [aFailure(at), aFailure(at, { scheduleId: 'b' })];
  assert.match(of(null, two), /It is not over: not all schedules have succeeded since\.$/);
  assert.match(of(at + MINUTE, [aFailure(at)]), /, when the schedule had succeeded again\.$/);
  assert.match(of(undefined, [aFailure(at)]), /The schedule fires no more\.$/);
  assert.match(of(undefined, two), /None of the schedules fires any more\.$/);
});
