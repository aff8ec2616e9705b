import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { traceOf } from '../../src/telemetry/tracing.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';

/** Traces of a real service, as a collector of OpenTelemetry sees them. */

const CREDENTIALS = { PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' };
const HEADERS = {
  ClientId: 'ada',
  ApiKey: 'the-key-of-ada-lovelace',
  'Content-Type': 'application/json',
};

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** A server that keeps what it is sent: a target, or a collector. */
async function listener(context: TestContext, status = 200, headers: Record<string, string> = {}) {
  const requests: { headers: NodeJS.Dict<string | string[]>; body: string; path: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ headers: request.headers, body, path: request.url! });
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{}');
    server.emit('arrival');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const arrivals = async (count: number) => {
    while (requests.length < count) await once(server, 'arrival');
    return requests;
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, arrivals };
}

async function fireOnce(context: TestContext, environment: Record<string, string>) {
  const target = await listener(context, 307, { Location: '/services/the-secret-path/' });
  const hook = await listener(context);
  const service = await emptyFolder(context).start(['serve'], /"listening"/, {
    ...CREDENTIALS,
    PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
    ...environment,
  });
  const response = await fetch(`${urlOf(service.out())}/v1/schedule`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({
      url: `${target.url}/services/the-secret-path?secret=1`,
      verb: 'POST',
      interval: '0 0 1 1 *',
      timezone: 'UTC',
      integrations: [{ type: 'WEBHOOK', url: `${hook.url}/the-secret-hook` }],
    }),
  });
  const { id } = (await response.json()) as { id: string };
  const trigger = `${urlOf(service.out())}/v1/schedule/${id}/trigger`;
  const run = (await (await fetch(trigger, { method: 'POST', headers: HEADERS })).json()) as {
    id: string;
  };
  const [sent] = await target.arrivals(1);
  const [told] = await hook.arrivals(1);
  assert.equal(await service.stop(), 0);
  return { run, sent: sent!, told: told! };
}

test('a firing, its attempt and its callback are one trace, which the target is told of', async context => {
  const collector = await listener(context);
  const { run, sent, told } = await fireOnce(context, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const spans = collector.requests.flatMap(({ body }) =>
    (JSON.parse(body).resourceSpans as { scopeSpans: { spans: Span[] }[] }[]).flatMap(each =>
      each.scopeSpans.flatMap(scope => scope.spans),
    ),
  );
  const { traceId, spanId } = traceOf(run.id);
  assert.deepEqual(spans.map(({ name }) => name).sort(), [
    'POST attempt',
    'POST callback',
    'firing manual',
  ]);
  assert.deepEqual([...new Set(spans.map(span => span.traceId))], [traceId]);
  const [firing, attempt, callback] = ['firing manual', 'POST attempt', 'POST callback'].map(
    name => spans.find(span => span.name === name)!,
  );
  assert.equal(firing!.spanId, spanId);
  assert.deepEqual([attempt!.parentSpanId, callback!.parentSpanId], [spanId, spanId]);
  assert.deepEqual([firing!.status.code, attempt!.status.code], [2, 2], 'it failed');
  assert.equal(sent.headers.traceparent, `00-${traceId}-${attempt!.spanId}-01`);
  assert.equal(told.headers.traceparent, `00-${traceId}-${callback!.spanId}-01`);
  assert.equal(collector.requests[0]!.path, '/v1/traces');
  assert.doesNotMatch(JSON.stringify(spans), /secret/, 'no path of a target');
  assert.equal(firing!.status.message, 'status 307');
});

test('without a place to send them there are none, nor where they are turned off', async context => {
  for (const environment of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    const { sent } = await fireOnce(context, environment as Record<string, string>);
    assert.equal(sent.headers.traceparent, undefined);
  }
});

test('a collector that is away holds up nothing', async context => {
  const { sent } = await fireOnce(context, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  assert.match(String(sent.headers.traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});
