import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HealthPage, Run, ScheduleHealth } from '@punctual/client';
import { withOutcome } from '../src/live/live-health.ts';

const at = (second: number) => new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString();
const outcome = (second: number) => ({
  id: `run ${second}`,
  status: 'succeeded' as const,
  scheduledFor: at(second),
});
const row = (id: string, seconds: number[]): ScheduleHealth =>
  ({
    schedule: { id },
    recent: seconds.map(outcome),
    ...(seconds[0] !== undefined && { last: outcome(seconds[0]) }),
    succeeded24h: 1,
    ended24h: 1,
  }) as ScheduleHealth;
const page = (...items: ScheduleHealth[]): HealthPage => ({
  items,
  total: { count: items.length, isExact: true },
});
const run = (second: number, more: Partial<Run> = {}): Run => ({
  id: `run ${second}`,
  scheduleId: 'b',
  scheduledFor: at(second),
  trigger: 'schedule',
  status: 'failed',
  finishedAt: at(second + 1),
  attempts: [
    { number: 1, startedAt: at(second), outcome: 'response', responseStatus: 500, error: 'No.' },
  ],
  ...more,
});

test('the outcome of a run that ended goes to the front of its row, and no other row changes', () => {
  const before = page(row('a', [1]), row('b', [2, 1]));
  const { items } = withOutcome(before, run(3));
  assert.equal(items[0], before.items[0]);
  assert.deepEqual(
    items[1]!.recent.map(({ id, status }) => `${id} ${status}`),
    ['run 3 failed', 'run 2 succeeded', 'run 1 succeeded'],
  );
  assert.deepEqual(items[1]!.last, {
    id: 'run 3',
    status: 'failed',
    scheduledFor: at(3),
    endedAt: at(4),
    responseStatus: 500,
    error: 'No.',
  });
});

test('one that ended late stands at its own time, and thirty are kept', () => {
  const seconds = Array.from({ length: 30 }, (_, back) => 60 - 2 * back);
  const [changed] = withOutcome(page(row('b', seconds)), run(57)).items;
  assert.equal(changed!.recent.length, 30);
  assert.equal(changed!.recent[2]!.id, 'run 57');
  assert.equal(changed!.last!.id, 'run 60');
});

test('what is shown already, goes on or is of another page leaves the page as it is', () => {
  const before = page(row('b', [2]));
  for (const each of [run(2), run(3, { status: 'running' }), run(3, { scheduleId: 'c' })]) {
    assert.equal(withOutcome(before, each), before);
  }
  assert.equal(withOutcome(page(row('b', [])), run(2)).items[0]!.last!.id, 'run 2');
});
