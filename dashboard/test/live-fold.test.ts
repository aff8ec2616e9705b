import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PunctualEvent, Run, RunPage, Schedule, Stats } from '@punctual/client';
import { QueryClient } from '@tanstack/react-query';
import { reachBack } from '../src/live/live-figures.ts';
import { foldEvent } from '../src/live/live-fold.ts';
import { withRun, withSchedule } from '../src/live/live-lists.ts';
import { Pace } from '../src/live/pace.ts';
import { CELL_FIRINGS } from '../src/query-keys.ts';

const iso = (second: number) => new Date(Date.UTC(2026, 5, 1, 12) + second * 1_000).toISOString();

function aRun(second: number, fields: Partial<Run> = {}): Run {
  return {
    id: `run-${second}`,
    scheduleId: 'a',
    scheduledFor: iso(second),
    trigger: 'schedule',
    status: 'succeeded',
    startedAt: iso(second),
    finishedAt: iso(second),
    attempts: [],
    ...fields,
  };
}

const page = (...seconds: number[]): RunPage => ({
  items: seconds.map(second => aRun(second)),
  nextCursor: 'older',
});
const idsOf = (folded: RunPage | 'ask') =>
  folded === 'ask' ? folded : folded.items.map(({ scheduledFor }) => scheduledFor);
const times = (...seconds: number[]) => seconds.map(iso);

test('a run that ended goes to its place in the lists that it belongs to', () => {
  const query = { limit: 20 };
  assert.deepEqual(idsOf(withRun(page(9, 7), query, aRun(10))), times(10, 9, 7));
  assert.deepEqual(idsOf(withRun(page(9, 7), query, aRun(8))), times(9, 8, 7));
  // What is older than the page is on another one.
  assert.deepEqual(idsOf(withRun(page(9, 7), query, aRun(6))), times(9, 7));
  assert.deepEqual(idsOf(withRun({ items: page(9, 7).items }, query, aRun(6))), times(9, 7, 6));
  const ended = withRun(page(9, 7), query, aRun(9, { status: 'failed' })) as RunPage;
  assert.deepEqual([ended.items.length, ended.items[0]!.status], [2, 'failed']);
});

test('a run that does not fit a filter is not in its list, or no longer', () => {
  const going: RunPage = { items: [aRun(9, { status: 'running' })] };
  assert.deepEqual(idsOf(withRun(going, { status: 'running' }, aRun(9))), []);
  assert.deepEqual(idsOf(withRun(page(9), { scheduleId: 'b' }, aRun(10))), times(9));
  assert.deepEqual(idsOf(withRun(page(9), { from: iso(9), to: iso(10) }, aRun(10))), times(9));
  assert.equal(withRun(page(9), { host: 'x.example' }, aRun(10)), 'ask');
  // A later page takes what it has, and nothing new.
  assert.deepEqual(idsOf(withRun(page(9), { cursor: 'x' }, aRun(10))), times(9));
});

test('a list that has grown to twice its length is asked for again', () => {
  assert.equal(withRun(page(4, 3, 2, 1), { limit: 2 }, aRun(5)), 'ask');
});

const aSchedule = (id: string, fields: Partial<Schedule> = {}): Schedule => ({
  id,
  status: 'enabled',
  label: id,
  url: 'https://x.example/',
  verb: 'GET',
  interval: '* * * * *',
  timezone: 'UTC',
  createdAt: iso(0),
  ...fields,
});

test('a changed schedule is changed where it stands, with the fields that events leave out', () => {
  const secret = { headers: { Authorization: 'Bearer x' } };
  const list = { items: [aSchedule('a', { ...secret, pausedUntil: iso(9) }), aSchedule('b')] };
  const told = aSchedule('a', { label: 'New' });
  assert.deepEqual(withSchedule(list, told), {
    items: [aSchedule('a', { ...secret, label: 'New' }), aSchedule('b')],
  });
  const rows = { items: [{ schedule: aSchedule('a'), recent: [1] }] };
  assert.deepEqual(withSchedule(rows, told), { items: [{ schedule: told, recent: [1] }] });
  // Only the service knows whether these are in the list.
  assert.equal(withSchedule(list, aSchedule('c')), 'ask');
  assert.equal(withSchedule(list, aSchedule('a', { status: 'deleted' })), 'ask');
});

test('each copy of a changed schedule is asked for again, also that of a form with its version', () => {
  const queries = new QueryClient();
  const form = { schedule: aSchedule('a'), etag: '"1"' };
  queries.setQueryData(['schedule', 'a', 'tagged'], form);
  const changed = (fields: Partial<Schedule>): PunctualEvent => ({
    id: '1-a',
    type: 'schedule.changed',
    data: aSchedule('a', fields),
  });
  const asked = (event: PunctualEvent) =>
    foldEvent(queries, event).filter(({ queryKey }) => queryKey[0] === 'schedule');
  assert.deepEqual(
    asked(changed({ updatedAt: iso(5) })).map(({ queryKey }) => queryKey),
    [['schedule', 'a', 'tagged']],
  );
  assert.deepEqual(queries.getQueryData(['schedule', 'a', 'tagged']), form);
  queries.setQueryData(['schedule', 'a'], aSchedule('a'));
  assert.equal(asked(changed({ updatedAt: iso(5) })).length, 2);
  assert.equal(queries.getQueryData<Schedule>(['schedule', 'a'])!.updatedAt, iso(5));
  assert.equal(asked(changed({})).length, 1, 'a copy that has it already is not asked for');
});

const STATS: Stats = {
  from: iso(0),
  to: iso(100),
  total: { succeeded: 5, failed: 1, skipped: 0, missed: 0, p99LateMs: 3 },
  minutes: [{ at: iso(60), succeeded: 5, failed: 1, skipped: 0, missed: 0 }],
  failing: [],
  next: [],
  openBreakers: [],
  enabledSchedules: 1,
  disabledSchedules: 0,
};

const ended = (run: Run): PunctualEvent => ({ id: `1-${run.id}`, type: 'run.ended', data: run });

test('figures count a run that ended after they were counted, and no run twice', () => {
  const queries = new QueryClient();
  queries.setQueryData(['stats', 60], STATS);
  const stale = [aRun(99), aRun(101), aRun(130)].flatMap(run => foldEvent(queries, ended(run)));
  const { total, minutes } = queries.getQueryData<Stats>(['stats', 60])!;
  assert.deepEqual([total.succeeded, total.failed, total.p99LateMs], [7, 1, 3]);
  assert.deepEqual(
    minutes.map(({ at, succeeded }) => [at, succeeded]),
    [
      [iso(60), 6],
      [iso(120), 1],
    ],
  );
  const names = new Set(stale.map(({ queryKey }) => queryKey[0]));
  assert.ok(!names.has('stats') && !names.has('runs') && !names.has('next'));
});

test('what an event cannot tell is asked for: failures in a row, incidents, and what is missed', () => {
  const queries = new QueryClient();
  queries.setQueryData(['stats', 60], STATS);
  const namesOf = (run: Run) => foldEvent(queries, ended(run)).map(({ queryKey }) => queryKey[0]);
  assert.ok(namesOf(aRun(101, { status: 'failed' })).includes('stats'));
  assert.ok(namesOf(aRun(102, { status: 'missed' })).includes('incidents'));
});

test('neither a changed schedule nor a gap asks again who fires in a cell: it has many pages', () => {
  const queries = new QueryClient();
  const key = [CELL_FIRINGS, 0, 60, null];
  queries.setQueryData(key, { pages: [], pageParams: [] });
  const events: PunctualEvent[] = [
    { id: '1-a', type: 'schedule.changed', data: aSchedule('a') },
    { id: '2-a', type: 'gap', data: { from: iso(0), to: iso(1) } },
  ];
  for (const event of events) {
    const stale = foldEvent(queries, event);
    assert.ok(stale.length > 0);
    for (const { queryKey } of stale) {
      assert.equal(queries.getQueryCache().findAll({ queryKey }).length, 0, String(queryKey));
    }
  }
});

test('only the parts of the schedule that it is of are asked for again', () => {
  const queries = new QueryClient();
  queries.setQueryData(['run', 'run-5'], aRun(5, { finishedAt: undefined! }));
  const stale = foldEvent(queries, ended(aRun(5, { scheduleId: 'mine' })));
  assert.deepEqual(
    stale.map(({ queryKey }) => queryKey),
    [
      ['history', 'mine'],
      ['explain', 'mine'],
      ['run', 'run-5'],
    ],
  );
});

test('a query is asked again once in its time, however often it is stale', () => {
  const pace = new Pace();
  const stale = { queryKey: ['history', 'a'], everyMs: 5_000 };
  const asked: number[] = [];
  for (let second = 0; second < 20; second += 1) {
    pace.add(stale);
    if (pace.due(second * 1_000).length > 0) asked.push(second);
  }
  assert.deepEqual(asked, [0, 5, 10, 15]);
});

test('figures reach back as far as was asked for, or the service still counts', () => {
  const to = '2026-06-01T10:30:20Z';
  assert.equal(reachBack({ from: '2026-06-01T09:31:00Z', to }, 60), true);
  assert.equal(reachBack({ from: '2026-06-01T09:32:00Z', to }, 60), false);
  assert.equal(reachBack({ from: '2026-06-01T10:30:00Z', to }, 1), true);
});
