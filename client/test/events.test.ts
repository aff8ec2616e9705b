import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { after, test } from 'node:test';
import { type Service, startService } from '../../server/test/support/api/service.ts';
import { readEvents } from '../src/events.ts';
import { PunctualClient, PunctualConnectionError, type PunctualEvent } from '../src/index.ts';
import { answer, cut, serverOf } from './support/server.ts';

/** Events go on after whatever breaks their connection. */

const credentials = { clientId: 'id', apiKey: 'key' };

/** Writes a stream and breaks off. */
const stream =
  (...pieces: string[]): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`retry: 1\n\n${pieces.join('')}`, () => response.destroy());
  };
const gap = (id: string) => `id: ${id}\nevent: gap\ndata: {"from":"a","to":"b"}\n\n`;
const busy = answer(503, { error: 'Later.' }, { 'Retry-After': '0' });
const refused = answer(401, { error: 'Who?' });

async function heardUntilRefused(client: PunctualClient, options = {}): Promise<string[]> {
  const heard: string[] = [];
  await assert.rejects(
    async () => {
      for await (const { id } of client.events(options)) heard.push(id);
    },
    { status: 401, operation: 'events' },
  );
  return heard;
}

test('a stream that breaks off goes on from the last event, tells none twice, and ends where it is refused', async () => {
  await using server = await serverOf(
    stream(gap('1-a'), gap('2-b'), 'id: 3-c\nevent: gap\nda'),
    busy,
    cut,
    stream(gap('1-a'), gap('2-b'), gap('3-c')),
    stream(),
    refused,
  );
  const client = new PunctualClient({ baseUrl: server.baseUrl, ...credentials });
  let [opened, broken] = [0, 0];
  const options = { onOpen: () => (opened += 1), onBreak: () => (broken += 1) };
  assert.deepEqual(await heardUntilRefused(client, options), ['1-a', '2-b', '3-c']);
  const asked = server.asked.map(({ headers }) => headers['last-event-id']);
  assert.deepEqual(asked, [undefined, '2-b', '2-b', '2-b', '3-c', '3-c']);
  assert.deepEqual([opened, broken], [3, 5]);
});

test('one that told nothing goes on from where it began', async () => {
  await using server = await serverOf(stream('id: 7-open\n\n'), refused);
  const client = new PunctualClient({ baseUrl: server.baseUrl, ...credentials });
  assert.deepEqual(await heardUntilRefused(client), []);
  assert.equal(server.asked[1]!.headers['last-event-id'], '7-open');
});

test('the first connection must open, and without reconnect there is no other', async () => {
  await using away = await serverOf(busy);
  const options = { ...credentials, maxRetries: 1 };
  const client = new PunctualClient({ baseUrl: away.baseUrl, ...options });
  await assert.rejects(client.events().next(), { status: 503 });
  assert.equal(away.asked.length, 2);
  await using server = await serverOf((_, response) => response.end(gap('1-a')));
  const once = new PunctualClient({ baseUrl: server.baseUrl, ...options });
  const heard = await Array.fromAsync(once.events({ reconnect: false }));
  assert.deepEqual([heard.length, server.asked.length], [1, 1]);
});

test('a signal ends it while it waits to connect again, and a break leaves no listener', async () => {
  await using server = await serverOf((_, response) => {
    response.end(`retry: 60000\n\n${gap('1-a')}`);
  });
  const client = new PunctualClient({ baseUrl: server.baseUrl, ...credentials });
  const abort = new AbortController();
  const onBreak = () => setImmediate(() => abort.abort(new Error('Enough.')));
  await assert.rejects(Array.fromAsync(client.events({ signal: abort.signal, onBreak })), {
    message: 'Enough.',
  });
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
  const kept = new AbortController();
  for await (const _ of client.events({ signal: kept.signal })) break;
  assert.equal(getEventListeners(kept.signal, 'abort').length, 0);
});

test('a connection that falls silent is broken', async () => {
  const stalled = new ReadableStream<Uint8Array>();
  await assert.rejects(readEvents(stalled, {}, 10).next(), error => {
    assert.ok(error instanceof PunctualConnectionError);
    return /silent for 10 ms/.test(String(error.cause));
  });
});

test('a restart of the service loses no event, also where none had come before it', {
  timeout: 20_000,
}, async () => {
  const first = await startService();
  let running: Service = first;
  after(() => running.close());
  const { clientId, apiKey } = first.mine;
  const client = new PunctualClient({
    baseUrl: 'http://punctual.test',
    clientId,
    apiKey,
    // The service comes back at another port.
    fetch: (url, init) =>
      fetch(String(url).replace('http://punctual.test', `http://127.0.0.1:${running.port}`), init),
  });
  const heard: PunctualEvent[] = [];
  const abort = new AbortController();
  let opened = () => {};
  const open = new Promise<void>(resolve => {
    opened = resolve;
  });
  const listening = (async () => {
    const options = { signal: abort.signal, onOpen: () => opened() };
    for await (const event of client.events(options)) {
      heard.push(event);
      if (heard.length === 2) abort.abort();
    }
  })();
  await open;
  // Comes with the first bytes of the stream, and is the only sign of where it began.
  await new Promise(resolve => setTimeout(resolve, 100));
  await first.app.close();
  const { mine: _, ...second } = await startService({ store: first.store });
  running = { ...second, mine: first.mine };
  await second.create({ label: 'while nobody was connected' }, first.mine);
  await second.create({ label: 'and one more' }, first.mine);
  await assert.rejects(listening, { name: 'AbortError' });
  const labels = heard.map(event => event.type === 'schedule.changed' && event.data.label);
  assert.deepEqual(labels.sort(), ['and one more', 'while nobody was connected']);
});
