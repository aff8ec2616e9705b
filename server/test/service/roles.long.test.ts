import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { emptyFolder, type Running, urlOf } from '../support/service/command.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

const HEADERS = { ClientId: 'ada', ApiKey: 'the-key-of-ada-lovelace' };
const CREDENTIALS = {
  PUNCTUAL_CLIENT_ID: HEADERS.ClientId,
  PUNCTUAL_API_KEY: HEADERS.ApiKey,
  PUNCTUAL_ALLOW_TARGETS: '*',
};

/** What a node exports, by the name and the labels of the series. */
async function metricsOf(node: Running): Promise<Map<string, number>> {
  const response = await fetch(`${urlOf(node.out())}/metrics`);
  assert.equal(response.status, 200);
  const samples = [...(await response.text()).matchAll(/^(punctual_\S+) (\S+)$/gm)];
  return new Map(samples.map(([, series, value]) => [series!, Number(value)]));
}

async function untilMetric(node: Running, series: string, isThere: (value?: number) => boolean) {
  for (;;) {
    const metrics = await metricsOf(node);
    if (isThere(metrics.get(series))) return metrics;
    await pause(100);
  }
}

test('where roles are split the metrics tell that no engine is there, and how far behind it is', async context => {
  const environment = { ...CREDENTIALS, DATABASE_URL: await server.createDatabase() };
  const folder = emptyFolder(context);
  const api = await folder.start(['serve'], /"url":"/, { ...environment, PUNCTUAL_ROLE: 'api' });
  const response = await fetch(`${urlOf(api.out())}/v1/schedule`, {
    method: 'POST',
    headers: { ...HEADERS, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      url: 'http://127.0.0.1:9/',
      verb: 'POST',
      interval: '* * * * * *',
      timezone: 'UTC',
    }),
  });
  assert.equal(response.status, 200);
  const series = 'punctual_oldest_due_seconds';
  const alone = await untilMetric(api, series, value => value! > 2);
  assert.equal(alone.get('punctual_queue_depth'), 1);
  assert.equal(alone.get('punctual_engine_running'), undefined);
  assert.equal(alone.get('punctual_listening'), undefined);
  assert.equal(alone.get('punctual_schedules{status="enabled"}'), 1);
  assert.equal(alone.get('punctual_database_connections_max'), 10);
  assert.ok(alone.get('punctual_database_bytes')! > 1_000_000);

  const engine = await folder.start(['serve'], /"url":"/, {
    ...environment,
    PUNCTUAL_ROLE: 'engine',
  });
  const fires = await untilMetric(engine, 'punctual_listening', value => value === 1);
  assert.equal(fires.get('punctual_engine_running'), 1);
  await untilMetric(api, series, value => value! < 1.5);

  await server.halt();
  const away = await untilMetric(engine, 'punctual_store_failures_total', value => value! > 0);
  assert.equal(away.get('punctual_engine_running'), 1);
  assert.equal(away.get('punctual_queue_depth'), undefined);
  await server.start();
  await untilMetric(engine, 'punctual_queue_depth', value => value !== undefined);
  await Promise.all([api.stop(), engine.stop()]);
});
