import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRecord } from '../src/domain/run/run.ts';
import { createLogger, createMetrics } from '../src/telemetry/telemetry.ts';
import { ManualClock } from './support/clock.ts';

test('what an error repeats of its input is not logged', () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: line => lines.push(line) });
  const broken = Object.assign(new Error('no such row'), {
    code: '23514',
    detail: 'Failing row contains (1, https://hooks.test/the-secret, Bearer the-secret).',
    where: "unnamed portal with parameters: $1 = '1', $2 = 'Bearer the-secret'",
    internalQuery: "SELECT 'the-secret'",
  });
  log.error({ err: broken }, 'the store failed');
  assert.throws(
    () => new URL('//the-secret'),
    (error: Error) => {
      log.error({ err: error }, 'this schedule is left alone');
      return true;
    },
  );
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /"code":"23514"/);
  assert.doesNotMatch(lines.join(), /the-secret/);
});

const START = '2026-06-01T12:00:00Z';

function runOf(change: Partial<RunRecord> = {}): RunRecord {
  const attempt = { number: 1, startedAt: 3, durationMs: 7, outcome: 'response' as const };
  return {
    id: 'run',
    scheduledFor: Date.parse(START),
    trigger: 'schedule',
    status: 'failed',
    attempts: [{ ...attempt, responseStatus: 302, error: 'It points to https://x/the-secret.' }],
    ...change,
  };
}

/** What the engine tells at this level, as lines. */
function logged(level: string) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger(level, { write: line => lines.push(JSON.parse(line)) });
  const clock = new ManualClock(START);
  return { lines, clock, ...createMetrics(log, '2026f', clock) };
}

test('each failed run has a line, with its status and without where it was sent to', () => {
  const { lines, events } = logged('info');
  events.runEnded('schedule', runOf());
  const timeout = {
    number: 2,
    startedAt: 3,
    outcome: 'timeout' as const,
    error: 'No answer in 30 s.',
  };
  events.runEnded('schedule', runOf({ attempts: [...runOf().attempts, timeout] }));
  const [redirected, late] = lines;
  assert.equal(redirected!.level, 'warn');
  assert.equal(redirected!.scheduleId, 'schedule');
  assert.equal(redirected!.runId, 'run');
  assert.equal(redirected!.scheduledFor, '2026-06-01T12:00:00.000Z');
  assert.equal(redirected!.responseStatus, 302);
  assert.deepEqual([late!.attempts, late!.why], [2, 'No answer in 30 s.']);
  assert.doesNotMatch(JSON.stringify(lines), /the-secret/);
});

test('each missed time has a line, and a record of many says how many', () => {
  const { lines, events } = logged('info');
  events.passed('schedule', runOf({ status: 'missed', attempts: [], reason: 'Nobody was awake.' }));
  const missed = { count: 9_050, from: 0, to: 1_000 };
  events.passed('schedule', runOf({ status: 'missed', attempts: [], missed }));
  assert.deepEqual(
    lines.map(({ count, msg, reason }) => [count, msg, reason]),
    [
      [undefined, 'a time was missed', 'Nobody was awake.'],
      [9_050, 'times were missed', undefined],
    ],
  );
});

test('after 100 lines of a kind in a minute one line at its end says how many more there were', async () => {
  const { lines, clock, events } = logged('info');
  const missed = { count: 2_000, from: 0, to: 1_000 };
  for (let fails = 0; fails < 150; fails += 1) events.runEnded('schedule', runOf());
  for (let misses = 0; misses < 103; misses += 1) {
    events.passed('schedule', runOf({ status: 'missed', missed }));
  }
  assert.equal(lines.length, 200);
  await clock.advance(60_000);
  const summaries = lines.slice(200).map(({ msg, count }) => [msg, count]);
  assert.deepEqual(summaries, [
    ['more runs failed in this minute', 50],
    ['more times were missed in this minute', 6_000],
  ]);
  await clock.advance(1);
  events.runEnded('schedule', runOf());
  assert.equal(lines.length, 203);
  await clock.advance(120_000);
  assert.equal(lines.length, 203);
});

test('file descriptors that ran out are told once a minute', async () => {
  const { lines, clock, events } = logged('info');
  for (let times = 0; times < 500; times += 1) events.noDescriptor();
  await clock.advance(60_000);
  assert.deepEqual(
    lines.map(({ msg, count }) => [msg, count]),
    [
      ['a request was not sent: too many files are open (ulimit -n)', undefined],
      ['more requests were not sent in this minute: too many files were open', 499],
    ],
  );
});

test('what is held back is told at the stop, and nothing is waited for', async () => {
  const { lines, clock, events, endLog } = logged('info');
  for (let fails = 0; fails < 103; fails += 1) events.runEnded('schedule', runOf());
  endLog();
  assert.deepEqual([lines.length, lines.at(-1)!.count], [101, 3]);
  endLog();
  await clock.advance(60_000);
  assert.equal(lines.length, 101);
});

test('debug tells what succeeded and what was skipped, trace each request, info neither', () => {
  const tell = (level: string) => {
    const { lines, events } = logged(level);
    events.attemptEnded('schedule', 'response', 12, 'schedule');
    const startedAt = Date.parse(START) + 3;
    events.runEnded(
      'schedule',
      runOf({ status: 'succeeded', startedAt, finishedAt: startedAt + 12 }),
    );
    events.passed('schedule', runOf({ status: 'skipped', reason: 'The last run is still going.' }));
    events.callbackEnded('succeeded', 'run');
    events.settled(3, 4);
    return lines.map(({ level: at, msg, lateMs, tookMs, count, outcome }) =>
      JSON.stringify([at, msg, lateMs ?? count ?? outcome, tookMs]),
    );
  };
  assert.deepEqual(tell('info'), []);
  const debug = [
    '["debug","a run succeeded",3,12]',
    '["debug","a time was skipped",null,null]',
    '["debug","a callback succeeded",null,null]',
  ];
  assert.deepEqual(tell('debug'), debug);
  assert.deepEqual(tell('trace'), [
    '["trace","a request ended","response",null]',
    ...debug,
    '["trace","the ends of requests were written",3,null]',
  ]);
});

test('callers whose key does not fit are told with their address, ten in a minute, and all are counted', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('warn', { write: line => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics(log, '2026f', clock);
  for (let count = 0; count < 50; count++) metrics.authenticationFailed('192.0.2.7');
  assert.deepEqual([lines.length, lines[0]!.address], [10, '192.0.2.7']);
  assert.match((await metrics.text()).body, /^punctual_authentication_failures_total 50$/m);
  await clock.advance(60_000);
  assert.deepEqual([lines.length, lines[10]!.count], [11, 40]);
});
