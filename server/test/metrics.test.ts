import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createLogger, createMetrics } from '../src/telemetry.ts';

/** What Prometheus asks of names (https://prometheus.io/docs/practices/naming/). */

async function exposition(): Promise<string> {
  const metrics = createMetrics(createLogger('silent'), '2026f');
  const none = async () => 0;
  metrics.observe({ queueDepth: none, outboxDepth: none, inFlight: () => 0 });
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
