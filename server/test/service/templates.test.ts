import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { PunctualClient, type ScheduleInput } from '../../../client/src/index.ts';
import { emptyFolder } from '../support/service/command.ts';

/** Templates from the API to the socket of a target, on an embedded store. */

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes now').toString('base64')}`;
const CREDENTIALS = { clientId: 'templates-test', apiKey: 'a-key-of-more-than-twenty-characters' };

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

test('a target gets what the templates say, signed as it is sent', async context => {
  const received: Received[] = [];
  const target = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ url: request.url!, headers: request.headers, body });
    response.writeHead(received.length === 1 ? 404 : 200).end();
    target.emit('fired');
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  context.after(() => {
    target.closeAllConnections();
    target.close();
  });
  const service = await emptyFolder(context).start(['dev'], /http:\/\/127\.0\.0\.1:\d+/, {
    PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
    PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
    PUNCTUAL_SIGNING_SECRET: SECRET,
  });
  const [baseUrl] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.out())!;
  const client = new PunctualClient({ baseUrl, ...CREDENTIALS });
  const { port } = target.address() as AddressInfo;
  const input: ScheduleInput = {
    url: `http://127.0.0.1:${port}/of/{{schedule.label}}?was={{previous.responseStatus}}`,
    verb: 'POST',
    interval: '@yearly',
    timezone: 'Asia/Kathmandu',
    label: 'a/b "ü"\r\nX-Evil: 1',
    externalId: 'sync:4711',
    policy: { template: true },
    headers: { 'X-Label': '{{schedule.label}}', 'X-Run': '{{run.id}}' },
    body: '{"label": "{{schedule.label}}", "after": "{{previous.status}}", "of": "{{schedule.externalId}}"}',
  };
  const { id } = await client.createSchedule(input);
  const runs = [];
  for (let n = 0; n < 2; n += 1) {
    const fired = once(target, 'fired');
    const { id: runId } = await client.triggerSchedule(id);
    await fired;
    runs.push(runId);
    while ((await client.getRun(runId)).finishedAt === undefined) await setTimeout(20);
  }
  const fired = once(target, 'fired');
  await client.trySchedule(input);
  await fired;

  const label = { label: input.label, of: 'sync:4711' };
  assert.deepEqual(
    received.map(({ body }) => JSON.parse(body)),
    [
      { ...label, after: '' },
      { ...label, after: 'failed' },
      { ...label, after: '' },
    ],
  );
  const path = '/of/a%2Fb%20%22%C3%BC%22%0D%0AX-Evil%3A%201?was=';
  assert.deepEqual(
    received.map(({ url }) => url),
    [path, `${path}404`, path],
  );
  for (const { headers, body } of received) {
    const value = Buffer.from(String(headers['x-label']), 'latin1').toString();
    assert.equal(value, 'a/b "ü"X-Evil: 1');
    assert.equal(headers['x-evil'], undefined);
    assert.equal(headers['x-run'], headers['webhook-id']);
    new Webhook(SECRET).verify(body, headers as Record<string, string>);
  }
  assert.deepEqual(
    received.slice(0, 2).map(({ headers }) => headers['x-run']),
    runs,
  );
  await service.stop();
});
