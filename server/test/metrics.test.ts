import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { systemClock } from '../src/clock.ts';
import type { RunRecord } from '../src/domain/run/run.ts';
import { fullMetrics, metricsOf } from './support/gauge-sources.ts';

/** What Prometheus asks of names (https://prometheus.io/docs/practices/naming/). */

test('counters end with _total, and nothing else does', async () => {
  const types = [...(await fullMetrics()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  assert.ok(types.length > 30);
  for (const [, name = '', type] of types) {
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
  }
});

const isThere = spawnSync('promtool', ['--version']).status === 0;
const skip = isThere ? false : 'NOT LINTED: there is no promtool here (Debian: prometheus)';

test('promtool finds nothing to complain of', { skip }, async () => {
  const input = await fullMetrics();
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input });
  assert.deepEqual([status, `${stdout}${stderr}`], [0, '']);
});

const missed = (count: number): RunRecord => ({
  id: 'a run',
  scheduledFor: 0,
  trigger: 'schedule',
  status: 'missed',
  attempts: [],
  missed: { count, from: 0, to: 1 },
});

/** The samples of one metric, by their labels. */
async function samplesOf(metrics: ReturnType<typeof metricsOf>, name: string) {
  const { body } = await metrics.text();
  const samples = [...body.matchAll(new RegExp(`^${name}(\\{.*\\})? (.+)$`, 'gm'))];
  return Object.fromEntries(samples.map(([, labels = '', value]) => [labels, Number(value)]));
}

test('each counter has all its labels, at 0, before anything happens', async () => {
  const metrics = metricsOf();
  metrics.routed('GET', '/v1/run');
  const labels: Record<string, number> = {
    runs: 4,
    callbacks: 2,
    attempts: 3 * 4,
    clock_steps: 2,
    http_requests: 5,
    authentication_failures: 1,
    store_failures: 1,
    taken_over: 1,
  };
  for (const [name, count] of Object.entries(labels)) {
    const values = Object.values(await samplesOf(metrics, `punctual_${name}_total`));
    assert.deepEqual(values, new Array(count).fill(0), name);
  }
});

test('requests are counted by their status, and each span holds the shorter ones too', async () => {
  const metrics = metricsOf();
  metrics.routed('GET', '/v1/run');
  const ended = { method: 'GET', route: '/v1/run', status: 200 };
  for (const durationMs of [1, 2, 40_000]) metrics.requestEnded({ ...ended, durationMs });
  metrics.requestEnded({ method: 'POST', route: 'none', status: 413, durationMs: 7 });
  const requests = await samplesOf(metrics, 'punctual_http_requests_total');
  assert.equal(requests['{method="GET",route="/v1/run",status="200"}'], 3);
  assert.equal(requests['{method="GET",route="/v1/run",status="404"}'], 0);
  assert.equal(requests['{method="POST",route="none",status="413"}'], 1);
  const spans = await samplesOf(metrics, 'punctual_http_request_seconds_bucket');
  const upTo = (le: string) => spans[`{le="${le}",method="GET",route="/v1/run"}`];
  assert.deepEqual(['0.001', '0.005', '30', '+Inf'].map(upTo), [1, 2, 2, 3]);
  const labels = '{method="GET",route="/v1/run"}';
  const [sum, count] = await Promise.all(
    ['sum', 'count'].map(end => samplesOf(metrics, `punctual_http_request_seconds_${end}`)),
  );
  assert.deepEqual([sum![labels], count![labels]], [40.003, 3]);
});

test('a record that stands for many missed times counts each of them', async () => {
  const metrics = metricsOf();
  metrics.events.passed('a schedule', missed(9_050));
  const runs = await samplesOf(metrics, 'punctual_runs_total');
  assert.equal(runs['{status="missed"}'], 9_050);
});

test('only a node with an engine tells of one', async () => {
  assert.deepEqual(await samplesOf(metricsOf(), 'punctual_engine_running'), { '': 1 });
  const stopped = metricsOf({ engine: () => false });
  assert.deepEqual(await samplesOf(stopped, 'punctual_engine_running'), { '': 0 });
  const without = metricsOf({ engine: () => null });
  assert.deepEqual(await samplesOf(without, 'punctual_engine_running'), {});
});

test('a node that listens to nobody does not say that it hears nobody', async () => {
  const metrics = metricsOf();
  assert.deepEqual(await samplesOf(metrics, 'punctual_listening'), {});
  metrics.listening(false);
  assert.deepEqual(await samplesOf(metrics, 'punctual_listening'), { '': 0 });
});

test('while the store is away its levels are left out, and all else is told', async () => {
  const away = async () => {
    throw new Error('away');
  };
  let isAway = false;
  const impatient = {
    ...systemClock,
    after: (_ms: number, giveUp: () => void) => systemClock.after(20, giveUp),
  };
  const levels = {
    queueDepth: async () => (isAway ? away() : 3),
    size: away,
    schedules: () => new Promise<never>(() => {}),
  };
  const metrics = metricsOf(levels, impatient);
  metrics.events.storeFailed(new Error('away'));
  assert.deepEqual(await samplesOf(metrics, 'punctual_queue_depth'), { '': 3 });
  isAway = true;
  assert.deepEqual(await samplesOf(metrics, 'punctual_queue_depth'), {});
  assert.deepEqual(await samplesOf(metrics, 'punctual_schedules'), {});
  assert.deepEqual(await samplesOf(metrics, 'punctual_store_failures_total'), { '': 1 });
});

test('open breakers are counted by host, and callers cannot make series without end', async () => {
  const metrics = metricsOf();
  const hosts = Array.from({ length: 70 }, (_, index) => `https://h${index}.example`);
  for (const host of hosts) metrics.events.breaker('opened', host);
  metrics.events.breaker('opened', hosts[0]!);
  const open = await samplesOf(metrics, 'punctual_breaker_open');
  assert.equal(Object.keys(open).length, 51);
  assert.equal(open['{host="https://h0.example"}'], 2);
  assert.equal(open['{host="other"}'], 20);
  assert.deepEqual(await samplesOf(metrics, 'punctual_breakers_open'), { '': 71 });
  for (const host of hosts) metrics.events.breaker('closed', host);
  metrics.events.breaker('forgotten', hosts[0]!);
  assert.deepEqual(await samplesOf(metrics, 'punctual_breakers_open'), { '': 0 });
  assert.deepEqual(await samplesOf(metrics, 'punctual_breaker_open'), { '{host="other"}': 0 });
});
