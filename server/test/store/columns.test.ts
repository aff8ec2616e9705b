import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BREAKER,
  CALLBACK,
  CHANGED_SCHEDULE,
  type Columns,
  QUEUE,
  RUN,
  rowReader,
  SCHEDULE,
} from '../../src/store/columns.ts';
import { runRow } from '../../src/store/rows/runs.ts';

/** A value as its cells, and read from them again. */
function thereAndBack<Value>(columns: Columns<Value>, value: Value): Value {
  return columns.fromRow(rowReader(columns.names)(columns.cells(value)));
}

const SCHEDULED = {
  id: '019a0000-0000-7000-8000-000000000001',
  status: 'enabled',
  url: 'https://example.com/?a=$1',
  verb: 'POST',
  interval: '*/5 * * * *',
  timezone: 'Europe/Paris',
  createdAt: 1_000,
  label: '',
} as const;

test('a schedule comes back as it was written, with all that is optional and with nothing of it', () => {
  const full = {
    ...SCHEDULED,
    updatedAt: 2_000,
    headers: { accept: 'text/plain' },
    data: {},
    integrations: [],
    policy: { maxRetries: 0 },
    timing: { endsAt: 3_000 },
    delivery: { body: '' },
    externalId: 'x',
    tags: {},
    statusReason: 'completed' as const,
  };
  assert.deepEqual(thereAndBack(SCHEDULE, full), full);
  assert.deepEqual(thereAndBack(SCHEDULE, SCHEDULED), SCHEDULED);
  assert.deepEqual(Object.keys(thereAndBack(SCHEDULE, SCHEDULED)), Object.keys(SCHEDULED));
});

test('a row of the queue without attempts keeps its cell empty', () => {
  const row = {
    state: 'waiting',
    dueAt: 0,
    scheduledFor: 0,
    nextFor: null,
    attempt: 0,
    attempts: [],
  } as const;
  assert.deepEqual(QUEUE.cells({ ...row, attempts: [] }), ['waiting', 0, 0, null, 0, null]);
  assert.deepEqual(thereAndBack(QUEUE, { ...row, attempts: [] }), row);
  const attempts = [{ number: 1, startedAt: 5, outcome: 'timeout' as const }];
  assert.deepEqual(thereAndBack(QUEUE, { ...row, attempt: 1, attempts }).attempts, attempts);
});

test('a run that was not sent ends when that was decided; its cells have the order of their names', () => {
  const run = {
    id: 'unused',
    scheduledFor: 60_000,
    trigger: 'schedule',
    status: 'skipped',
    decidedAt: 61_000,
    attempts: [],
  } as const;
  const cells = RUN.cells(runRow(7, 8, { ...run, attempts: [] }));
  assert.deepEqual(RUN.cellOf(cells, 'clientRowId'), 7);
  assert.deepEqual(RUN.cellOf(cells, 'finishedAt'), 61_000);
  assert.deepEqual(Object.fromEntries(RUN.names.map((name, index) => [name, cells[index]])), {
    client_key: 7,
    scheduled_for: 60_000,
    schedule_key: 8,
    manual_id: '',
    trigger: 'schedule',
    status: 'skipped',
    started_at: null,
    finished_at: 61_000,
    attempts: '[]',
    reason: null,
    missed: null,
  });
});

test('lists, marks and types have one length and one order', () => {
  for (const columns of [SCHEDULE, CHANGED_SCHEDULE, QUEUE, RUN, CALLBACK, BREAKER]) {
    assert.equal(columns.types.length, columns.width);
    assert.equal(columns.marks().split(', ').length, columns.width);
    assert.deepEqual(
      columns.list('t.').split(', '),
      columns.names.map(name => `t.${name}`),
    );
    assert.equal(new Set(columns.names).size, columns.width);
  }
});

test('a change writes every column of a schedule but its id and its making', () => {
  assert.deepEqual(
    SCHEDULE.names.filter(name => !CHANGED_SCHEDULE.names.includes(name)),
    ['id', 'created_at'],
  );
  const set = CHANGED_SCHEDULE.assignments((name, index) => `${name}:${index}`);
  assert.match(
    set,
    /^status = status:0, url = url:1, .*, policy = policy:10, .*, status_reason = status_reason:15$/,
  );
});
