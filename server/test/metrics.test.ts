import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunRecord } from '../src/domain/run.ts';
import { createLogger, createMetrics } from '../src/telemetry.ts';

/** What Prometheus asks of names (https://prometheus.io/docs/practices/naming/). */

async function exposition(): Promise<string> {
  const metrics = createMetrics(createLogger('silent'), '2026f');
  const none = async () => 0;
  metrics.observe({
    queueDepth: none,
    outboxDepth: none,
    inFlight: () => 0,
    oldestDueMs: none,
    hasEngine: true,
    disk: async () => ({ free: 1, size: 2 }),
  });
  return (await metrics.text()).body;
}

test('counters end with _total, and nothing else does', async () => {
  const types = [...(await exposition()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  assert.ok(types.length > 30);
  for (const [, name = '', type] of types) {
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
  }
});

const isThere = spawnSync('promtool', ['--version']).status === 0;
const skip = isThere ? false : 'NOT LINTED: there is no promtool here (Debian: prometheus)';

test('promtool finds nothing to complain of', { skip }, async () => {
  const input = await exposition();
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input });
  assert.deepEqual([status, `${stdout}${stderr}`], [0, '']);
});

test('each alert fires when it should, and not before', { skip }, () => {
  const file = join(import.meta.dirname, '../../docs/monitoring/alerts.test.yml');
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
});

test('label values of counters are there from the start, at 0, and gauges as they are', async () => {
  const text = await exposition();
  for (const series of [
    'punctual_runs_total{status="missed"} 0',
    'punctual_runs_total{status="failed"} 0',
    'punctual_callbacks_total{status="failed"} 0',
    'punctual_attempts_total{kind="schedule",outcome="timeout"} 0',
    'punctual_clock_steps_total{direction="back"} 0',
    'punctual_authentication_failures_total 0',
    'punctual_disk_free_bytes 1',
    'punctual_disk_size_bytes 2',
  ]) {
    assert.ok(text.includes(`\n${series}\n`), series);
  }
});

test('a node without an engine has no gauge of one', async () => {
  const metrics = createMetrics(createLogger('silent'), '2026f');
  const none = async () => 0;
  const levels = { queueDepth: none, outboxDepth: none, inFlight: () => 0, oldestDueMs: none };
  metrics.observe({ ...levels, hasEngine: false, disk: async () => null });
  const { body } = await metrics.text();
  assert.ok(!body.includes('punctual_engine_up'));
  assert.ok(body.includes('\npunctual_oldest_due_seconds 0\n'));
});

test('hosts that do not answer are told by name, a hundred of them, and the others together', async () => {
  const metrics = createMetrics(createLogger('silent'), '2026f');
  const { breaker } = metrics.events;
  for (let host = 0; host < 103; host++) breaker('opened', `https://h${host}.example`);
  breaker('opened', 'https://h0.example');
  const open = async () =>
    [
      ...(await metrics.text()).body.matchAll(/^punctual_breaker_open\{origin="(.+)"\} (\d+)$/gm),
    ].map(([, origin, count]) => `${origin} ${count}`);
  assert.equal((await open()).length, 101);
  assert.deepEqual((await open()).slice(0, 1), ['https://h0.example 2']);
  assert.ok((await open()).includes('others 3'));
  for (let host = 0; host < 103; host++) breaker('closed', `https://h${host}.example`);
  assert.deepEqual(await open(), ['https://h0.example 1']);
});

describe('the log', () => {
  function logged(level = 'info') {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line));
    return { lines, metrics: createMetrics(createLogger(level, { write }), '2026f') };
  }
  const run = (status: 'failed' | 'missed', reason?: string): RunRecord => ({
    id: '019ca945-2940-7000-8000-00000000364a',
    scheduledFor: Date.UTC(2026, 0, 1),
    trigger: 'schedule',
    status,
    attempts: [],
    ...(reason && { reason }),
  });

  test('has a line for each failed and each missed run, and after 100 a minute a summary', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { lines, metrics } = logged();
    for (let count = 0; count < 80; count++) metrics.events.runEnded('failed', run('failed'));
    for (let count = 0; count < 50; count++)
      metrics.events.passed('missed', 7, run('missed', 'It was down.'));
    metrics.events.passed('skipped', 1, run('missed'));
    metrics.events.runEnded('succeeded', run('failed'));
    assert.equal(lines.length, 100);
    const { runId, scheduledFor } = lines[0]!;
    assert.deepEqual(
      [lines[0]!.msg, runId, scheduledFor],
      ['a run failed', run('failed').id, '2026-01-01T00:00:00.000Z'],
    );
    const missed = lines[99]!;
    assert.deepEqual(
      [missed.level, missed.msg, missed.count, missed.reason],
      ['warn', 'times were missed', 7, 'It was down.'],
    );
    t.mock.timers.tick(60_000);
    assert.deepEqual([lines.length, lines[100]!.count], [101, 30]);
    metrics.events.runEnded('failed', run('failed'));
    assert.equal(lines.length, 102, 'the next minute has lines of its own');
  });

  test('tells who was refused, ten a minute, and counts all', async () => {
    const { lines, metrics } = logged();
    for (let count = 0; count < 50; count++) {
      metrics.api.authenticationFailed('192.0.2.7', 'GET', '/v1/run');
    }
    assert.equal(lines.length, 10);
    assert.equal(lines[0]!.address, '192.0.2.7');
    assert.ok(
      (await metrics.text()).body.includes('\npunctual_authentication_failures_total 50\n'),
    );
  });

  test('has each request at debug, and none at info', () => {
    const request = {
      method: 'GET',
      route: '/v1/run/:runId',
      status: 200,
      durationMs: 3.4,
      clientId: 'c',
    };
    for (const [level, count] of [
      ['info', 0],
      ['debug', 1],
    ] as const) {
      const { lines, metrics } = logged(level);
      metrics.api.requestEnded(request);
      assert.equal(lines.length, count);
      if (count === 1)
        assert.deepEqual([lines[0]!.route, lines[0]!.durationMs], ['/v1/run/:runId', 3]);
    }
  });
});
