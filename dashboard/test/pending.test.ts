import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule } from '@punctual/client';
import { QueryClient } from '@tanstack/react-query';
import { knownSchedules } from '../src/change/optimistic.ts';
import { schedulesIn, withChanges } from '../src/change/pending.ts';

const schedule = (id: string, more: Partial<Schedule> = {}): Schedule => ({
  id,
  status: 'enabled',
  url: 'https://example.com/',
  verb: 'GET',
  interval: '@daily',
  timezone: 'UTC',
  label: id,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const paused = (...ids: string[]) => ({
  ids: new Set(ids),
  fields: { status: 'disabled' } as const,
});
const deleted = (...ids: string[]) => ({ ids: new Set(ids), fields: null });

test('a change is shown wherever its schedule stands: alone, in a list, beside its health', () => {
  const [one, other] = [schedule('one'), schedule('other')];
  const after = { ...one, status: 'disabled' };
  assert.deepEqual(withChanges(one, [paused('one')]), after);
  assert.deepEqual(withChanges({ items: [other, one] }, [paused('one')]), {
    items: [other, after],
  });
  const health = { items: [{ schedule: one, recent: [] }], total: { count: 1, isExact: true } };
  assert.deepEqual(withChanges(health, [paused('one')]).items[0]?.schedule, after);
  assert.deepEqual(withChanges({ schedule: one, etag: '"3"' }, [paused('one')]).etag, '"3"');
});

test('rows of a deleted schedule are gone, and its runs stay', () => {
  const run = { id: 'run', scheduleId: 'one', attempts: [] };
  const answer = {
    items: [schedule('one'), schedule('other')],
    next: [{ scheduleId: 'one', dueAt: 'soon' }],
    runs: [run],
    health: [{ schedule: schedule('one') }],
  };
  assert.deepEqual(withChanges(answer, [deleted('one')]), {
    items: [schedule('other')],
    next: [],
    runs: [run],
    health: [],
  });
  assert.equal(withChanges(schedule('one'), [deleted('one')]).status, 'deleted');
});

test('later changes hold over earlier ones', () => {
  const resumed = { ids: new Set(['one']), fields: { status: 'enabled' } as const };
  assert.equal(withChanges(schedule('one'), [paused('one'), resumed]).status, 'enabled');
  assert.deepEqual(withChanges([schedule('one')], [paused('one'), deleted('one')]), []);
});

test('what no change touches is the same object, and nothing but plain answers is looked into', () => {
  const names = new Map([['one', 'a name']]);
  const answer = { items: [schedule('one')], names, counts: [1, 2, 3], none: null };
  assert.equal(withChanges(answer, [paused('other')]), answer);
  const after = withChanges(answer, [paused('one')]);
  assert.equal(after.counts, answer.counts);
  assert.equal(after.names, names);
});

test('all schedules of an answer are found by their ids', () => {
  const answer = { items: [{ schedule: schedule('one') }], other: schedule('other') };
  assert.deepEqual([...schedulesIn(answer).keys()], ['one', 'other']);
  assert.equal(schedulesIn({ items: [{ id: 'a run', scheduleId: 'one' }] }).size, 0);
});

test('a schedule is known as it was seen last, whichever page asked for it', () => {
  const before = schedule('one');
  const paused = { ...before, status: 'disabled' as const, updatedAt: '2026-01-02T00:00:00.000Z' };
  for (const [first, second] of [
    [before, paused],
    [paused, before],
  ]) {
    const queries = new QueryClient();
    queries.setQueryData(['health'], { items: [{ schedule: first }] });
    queries.setQueryData(['schedules'], { items: [second] });
    assert.equal(knownSchedules(queries).get('one')?.status, 'disabled');
  }
});
