import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { PunctualClient, type PunctualEvent } from '../../../client/src/index.ts';
import { runId } from '../../src/domain/id.ts';
import { iso } from '../../src/domain/iso.ts';
import { assertError } from '../support/api/expect.ts';
import { type Credentials, newClient, revoke, startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { until } from '../support/outbound/target-server.ts';
import { anId, aRecord, claimOne, settled } from '../support/store/backend.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock, limits: { callerCacheMs: 1 } });
after(() => service.close());
const baseUrl = `http://127.0.0.1:${service.port}`;

/** The streams that the service has open, by the names that their listeners have sent along. */
const streams = new Set<string>();
service.app.server.on('request', ({ headers }, response) => {
  const name = String(headers['x-listener']);
  streams.add(name);
  response.once('close', () => streams.delete(name));
});
let listeners = 0;

/** A listener that is there when this resolves, and what it has heard. */
async function listen(as = service.mine, lastEventId?: string) {
  const heard: PunctualEvent[] = [];
  const abort = new AbortController();
  const name = `${++listeners}`;
  const client = new PunctualClient({
    baseUrl,
    ...as,
    async fetch(url, init) {
      const headers = { ...(init?.headers as Record<string, string>), 'X-Listener': name };
      const response = await fetch(url, { ...init, headers });
      if (response.ok) opened();
      return response;
    },
  });
  let opened = () => {};
  const isOpen = new Promise<void>(resolve => {
    opened = resolve;
  });
  const ended = (async () => {
    const options = { signal: abort.signal, reconnect: false, ...(lastEventId && { lastEventId }) };
    for await (const event of client.events(options)) heard.push(event);
  })().catch(error => {
    if (!abort.signal.aborted) throw error;
  });
  await Promise.race([isOpen, ended]);
  const stop = async () => {
    abort.abort();
    await ended;
    await until(() => !streams.has(name));
  };
  return { heard, ended, stop };
}

/** Lets a second pass and what is sent in it arrive. */
async function pass(seconds = 1): Promise<void> {
  await clock.advance(seconds * 1_000);
  await arrived();
}

/** What was sent before has arrived: the answers to these came behind it, to the same event loop. */
async function arrived(): Promise<void> {
  for (let call = 0; call < 3; call++) await service.call('GET', '/healthz');
}

test('what happens is told once, to its own client', async () => {
  const [mine, theirs] = [await listen(), await listen(service.theirs)];
  const schedule = await service.create({ interval: '0 * * * *' });
  await pass();
  await service.call('PATCH', `/v1/schedule/${schedule.id}`, { body: { label: 'new' } });
  const at = Math.ceil(clock.now() / 3_600_000) * 3_600_000;
  const claim = await claimOne(service.store, at);
  const record = aRecord(schedule.id, at, { finishedAt: clock.now() });
  await settled(service.store, claim, null, { records: [record] });
  await pass(9);
  assert.deepEqual(mine.heard.map(({ type }) => type).sort(), [
    'run.ended',
    'schedule.changed',
    'schedule.changed',
  ]);
  const run = mine.heard.find(({ type }) => type === 'run.ended')!;
  assert.ok(run.type === 'run.ended' && run.data.scheduleId === schedule.id);
  assert.deepEqual(theirs.heard, []);
  await Promise.all([mine.stop(), theirs.stop()]);
});

test('a breaker that opens and closes is told, to its own client, and after a break too', async () => {
  const [mine, theirs] = [await listen(), await listen(service.theirs)];
  const { breakers } = service.store;
  const { clientRowId } = service.mine;
  const since = clock.now() - 20_000;
  const host = { origin: 'https://down.example', since };
  const breaker = { id: anId(), clientRowId, ...host, openedAt: clock.now() };
  await breakers.note([breaker], clock.now() + 60_000);
  await pass(2);
  const [opened] = mine.heard;
  const told = { origin: host.origin, since: iso(since), openedAt: iso(breaker.openedAt) };
  assert.deepEqual(opened, {
    id: `${breaker.openedAt}-${breaker.id}-opened`,
    type: 'breaker.opened',
    data: told,
  });
  await mine.stop();
  await pass(60);
  const closedAt = clock.now();
  await breakers.note([{ ...breaker, closedAt }], clock.now() + 60_000);
  await pass(60);
  const again = await listen(service.mine, opened!.id);
  await pass(0);
  const closed = { type: 'breaker.closed', data: { ...told, closedAt: iso(closedAt) } };
  assert.deepEqual(
    again.heard.map(({ id: _, ...event }) => event),
    [closed],
  );
  assert.deepEqual(theirs.heard, []);
  await Promise.all([again.stop(), theirs.stop()]);
});

test('a time that is skipped or missed is a run that ended', async () => {
  const { heard, stop } = await listen();
  const schedule = await service.create({ interval: '0 * * * *' });
  await pass();
  const at = Math.ceil(clock.now() / 3_600_000) * 3_600_000;
  const claim = await claimOne(service.store, at);
  const { startedAt: _, finishedAt: __, ...unsent } = aRecord(schedule.id, at, { attempts: [] });
  const records = (['skipped', 'missed'] as const).map((status, index) => ({
    ...unsent,
    status,
    scheduledFor: at - index * 3_600_000,
    id: runId(schedule.id, at - index * 3_600_000),
    decidedAt: clock.now(),
  }));
  await settled(service.store, claim, null, { records });
  await pass(2);
  const runs = heard.flatMap(event => (event.type === 'run.ended' ? [event.data] : []));
  assert.deepEqual(runs.map(({ status }) => status).sort(), ['missed', 'skipped']);
  const { label, url } = schedule;
  for (const run of runs) assert.deepEqual(run, { ...(await shown(run.id)), label, url });
  await stop();
});

const shown = async (id: string) => (await service.call('GET', `/v1/run/${id}`)).body;

test('what happened before somebody listened is not told', async () => {
  const client = await newClient(service.store, 'late');
  await service.create({ interval: '0 0 1 1 *' }, client);
  await clock.jump(clock.now() + 100);
  const { heard, stop } = await listen(client);
  await pass(3);
  assert.deepEqual(heard, []);
  await stop();
});

test('a run that is written late is told all the same', async () => {
  const { heard, stop } = await listen();
  const schedule = await service.create({ interval: '0 * * * *' });
  await pass(3);
  const at = Math.ceil(clock.now() / 3_600_000) * 3_600_000;
  const claim = await claimOne(service.store, at);
  const record = aRecord(schedule.id, at, { finishedAt: clock.now() - 2_500 });
  await settled(service.store, claim, null, { records: [record] });
  await pass(2);
  assert.equal(heard.filter(({ type }) => type === 'run.ended').length, 1);
  await stop();
});

test('who comes back with the last id hears what happened meanwhile, and that id no more', async () => {
  const first = await listen();
  await service.create({ label: 'before' });
  await pass();
  await first.stop();
  const last = first.heard.at(-1)!;
  await pass(60);
  await service.create({ label: 'meanwhile' });
  await pass(60);
  const second = await listen(service.mine, last.id);
  await pass(0);
  const labels = second.heard.map(event => event.type === 'schedule.changed' && event.data.label);
  assert.ok(labels.includes('meanwhile'));
  assert.ok(!second.heard.some(({ id }) => id === last.id));
  await second.stop();
});

test('more than can be told one by one is told as a gap', async () => {
  const { heard, stop } = await listen();
  const items = Array.from({ length: 600 }, () => ({
    url: 'https://example.com',
    verb: 'GET',
    interval: '0 0 1 1 *',
    timezone: 'UTC',
  }));
  await service.call('POST', '/v1/schedule/batch', { body: { items } });
  await pass();
  assert.deepEqual(
    heard.map(({ type }) => type),
    ['gap'],
  );
  await pass(20);
  await stop();
});

test('a comment every ten seconds keeps the connection', async () => {
  const { clientId, apiKey } = service.mine;
  const abort = new AbortController();
  const response = await fetch(`${baseUrl}/v1/event`, {
    headers: { ClientId: clientId, ApiKey: apiKey },
    signal: abort.signal,
  });
  assert.match(response.headers.get('content-type')!, /^text\/event-stream/);
  const reader = response.body!.getReader();
  await reader.read();
  await pass(10);
  assert.match(new TextDecoder().decode((await reader.read()).value), /^: still here/);
  abort.abort();
  await pass();
});

test('a revoked key ends the stream', async () => {
  const client = await newClient(service.store, 'leaving');
  const { ended } = await listen(client);
  await revoke(service.store, client);
  await new Promise(resolve => setTimeout(resolve, 5));
  await pass(2);
  await ended;
});

test('20 listeners of one client, and no more; who leaves makes room', async () => {
  const client = await newClient(service.store, 'many');
  const listeners = [];
  for (let count = 0; count < 20; count += 1) listeners.push(await listen(client));
  assertError(await service.call('GET', '/v1/event', { as: client }), 400, /20 listeners/);
  await listeners.pop()!.stop();
  const last = await listen(client);
  await Promise.all([last, ...listeners].map(({ stop }) => stop()));
});

test('a hundred that come at once with an id are 20 listeners, and no more', async () => {
  const as = await newClient(service.store, 'crowd');
  const headers = { ClientId: as.clientId, ApiKey: as.apiKey, 'Last-Event-ID': '1-x' };
  const abort = new AbortController();
  // All answers are kept: one that nobody has any more is cancelled, and makes room.
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      fetch(`${baseUrl}/v1/event`, { headers, signal: abort.signal }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 20);
  assert.equal(answers.filter(({ status }) => status === 400).length, 80);
  abort.abort();
});

/** Of a listener that comes back. */
const headOf = ({ clientId, apiKey }: Credentials, name: string) =>
  `GET /v1/event HTTP/1.1\r\nHost: h\r\nClientId: ${clientId}\r\nApiKey: ${apiKey}\r\n` +
  `X-Listener: ${name}\r\nLast-Event-ID: 1-x\r\n\r\n`;

test('a connection that is cut during its first read leaves no place taken', async () => {
  const as = await newClient(service.store, 'hasty');
  const head = headOf(as, 'hasty');
  for (let round = 0; round < 100; round++) {
    const socket = connect({ port: service.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(head);
    // The request is read in the turn of the loop in which the connection is reset.
    await new Promise(resolve => setTimeout(resolve, round % 5));
    socket.resetAndDestroy();
  }
  await arrived();
  await until(() => !streams.has('hasty'));
  const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(as, '1-x')));
  await Promise.all(listeners.map(({ stop }) => stop()));
});

test('a caller who leaves during the first read has no place from then on', async t => {
  const as = await newClient(service.store, 'impatient');
  const { promise: reading, resolve: readOn } = Promise.withResolvers<never[]>();
  const { mock } = t.mock.method(service.store.stats, 'endedSince', () => reading);
  const head = headOf(as, 'impatient');
  let ended = 0;
  const count = (socket: Socket) => socket.once('end', () => ended++);
  service.app.server.on('connection', count);
  const sockets = Array.from({ length: 20 }, () =>
    connect({ port: service.port, host: '127.0.0.1' }),
  );
  const [patient, ...others] = sockets;
  for (const socket of sockets) socket.write(head);
  await until(() => mock.callCount() === 20);
  // This one ends its side only, and still gets its answer.
  patient!.end();
  for (const socket of others) socket.destroy();
  await until(() => ended === 20);
  service.app.server.off('connection', count);
  const { stop } = await listen(as);
  readOn([]);
  assert.match(await text(patient!), /^HTTP\/1.1 200 OK\r\n.+retry: 2000\n\n\r\n0\r\n\r\n$/s);
  await until(() => !streams.has('impatient'));
  await stop();
});

test('a changed schedule is told without the values of its headers, its data and its body', async () => {
  const as = await newClient(service.store, 'secretive');
  const { heard, stop } = await listen(as);
  const headers = { Authorization: 'Bearer hunter2' };
  const secret = { headers, data: { token: 'hunter2' } };
  const { id } = await service.create({ ...secret, label: 'told' }, as);
  await service.create({ headers, body: 'hunter2' }, as);
  await pass();
  await stop();
  const [event] = heard;
  assert.equal(heard.length, 2);
  assert.ok(event?.type === 'schedule.changed');
  assert.deepEqual([event.data.id, event.data.label], [id, 'told']);
  assert.doesNotMatch(JSON.stringify(heard), /hunter2|Authorization|token/);
});

test('401 without a key; HEAD is answered', async () => {
  assertError(await service.call('GET', '/v1/event', { headers: { ApiKey: null } }), 401);
  assert.equal((await service.call('HEAD', '/v1/event')).status, 200);
});

test('the service closes while somebody listens', async () => {
  const other = await startService();
  const { clientId, apiKey } = other.mine;
  const response = await fetch(`http://127.0.0.1:${other.port}/v1/event`, {
    headers: { ClientId: clientId, ApiKey: apiKey },
  });
  const closed = other.app.close();
  assert.match(await response.text(), /^retry/);
  await closed;
  await other.store.close();
});
