import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import {
  PunctualApiError,
  PunctualClient,
  PunctualConnectionError,
  PunctualTimeoutError,
  type ScheduleInput,
} from '../src/index.ts';
import { reconnectWaitMs, retryAfterMs, retryWaitMs } from '../src/retry.ts';
import { answer, cut, serverOf, silent } from './support/server.ts';

/** How calls end: in time, repeated where that is safe, and with errors that say which call it was. */

const input: ScheduleInput = {
  url: 'https://example.com/hook',
  verb: 'POST',
  interval: '0 * * * *',
  timezone: 'UTC',
};
const credentials = { clientId: 'id', apiKey: 'key' };
const clientOf = (baseUrl: string, options = {}) =>
  new PunctualClient({ baseUrl, ...credentials, ...options });
const busy = (status: number) => answer(status, { error: 'Later.' }, { 'Retry-After': '0' });
const page = answer(200, { items: [] });

test('a read is repeated after 429, 5xx and a lost connection, twice at most', async () => {
  await using server = await serverOf(busy(429), busy(503), page);
  assert.deepEqual(await clientOf(server.baseUrl).listRuns(), { items: [] });
  assert.equal(server.asked.length, 3);
  await using lost = await serverOf(cut, page);
  assert.deepEqual(await clientOf(lost.baseUrl).listRuns(), { items: [] });
  await using failing = await serverOf(busy(500));
  await assert.rejects(clientOf(failing.baseUrl).listRuns(), { status: 500, message: 'Later.' });
  assert.equal(failing.asked.length, 3);
  await using once = await serverOf(busy(500));
  await assert.rejects(clientOf(once.baseUrl, { maxRetries: 0 }).listRuns(), { status: 500 });
  assert.equal(once.asked.length, 1);
});

test('what was refused is not repeated', async () => {
  for (const status of [400, 401, 404, 412]) {
    await using server = await serverOf(busy(status));
    await assert.rejects(clientOf(server.baseUrl).getSchedule('x'), { status });
    assert.equal(server.asked.length, 1);
  }
});

test('a call that changes something is sent once', async () => {
  const calls: ((client: PunctualClient) => Promise<unknown>)[] = [
    client => client.createSchedule(input),
    client => client.createSchedules([input]),
    client => client.triggerSchedule('x'),
    client => client.replaceSchedule('x', input),
    client => client.patchSchedule('x', { label: 'a' }),
    client => client.deleteSchedule('x'),
    client => client.createKey({ name: 'a' }),
    client => client.rotateSecret(),
    client => client.trySchedule(input),
  ];
  for (const call of calls) {
    await using server = await serverOf(busy(503));
    await assert.rejects(call(clientOf(server.baseUrl)), { status: 503 });
    assert.equal(server.asked.length, 1, String(call));
    await using lost = await serverOf(cut);
    await assert.rejects(call(clientOf(lost.baseUrl)), PunctualConnectionError);
    assert.equal(lost.asked.length, 1, String(call));
  }
});

test('one that carries an idempotency key is repeated with the same key', async () => {
  const underWay = answer(
    409,
    { error: 'The first one goes on.' },
    { 'Retry-After': '0', 'Punctual-Error-Code': 'idempotency_conflict' },
  );
  const options = { idempotencyKey: 'order-17' };
  const calls: ((client: PunctualClient) => Promise<unknown>)[] = [
    client => client.createSchedule(input, options),
    client => client.createSchedules([input], options),
    client => client.triggerSchedule('x', options),
  ];
  for (const call of calls) {
    await using server = await serverOf(busy(503), underWay, answer(200, { id: 'x' }));
    assert.deepEqual(await call(clientOf(server.baseUrl)), { id: 'x' });
    const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual(keys, ['order-17', 'order-17', 'order-17']);
  }
  await using server = await serverOf(answer(422, { error: 'Another request.' }));
  await assert.rejects(clientOf(server.baseUrl).createSchedule(input, options), { status: 422 });
  await assert.rejects(
    clientOf(server.baseUrl).createSchedule(input, { idempotencyKey: 'ü' }),
    /idempotencyKey must be 1 to 255/,
  );
  assert.equal(server.asked.length, 1);
});

test('waits double, with jitter that only lengthens, or are as long as Retry-After asks for', () => {
  const lost = new PunctualConnectionError('listRuns', 'lost');
  assert.deepEqual(
    [1, 2, 3, 9].map(failures => retryWaitMs(lost, failures, 0)),
    [500, 1_000, 2_000, 8_000],
  );
  assert.equal(retryWaitMs(lost, 1, 1), 600);
  const asked = new PunctualApiError(429, 'Later.', 'rate_limited', { retryAfterMs: 7_000 });
  assert.equal(retryWaitMs(asked, 1, 1), 7_000);
  assert.deepEqual(
    [1, 3, 99].map(failures => reconnectWaitMs(2_000, failures, 0)),
    [2_000, 8_000, 30_000],
  );
  const now = Date.UTC(2026, 0, 1);
  assert.equal(retryAfterMs('3', now), 3_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:05 GMT', now), 5_000);
  assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
  for (const none of [null, '', 'soon', '-']) assert.equal(retryAfterMs(none, now), undefined);
});

test('a wait that the time limit would cut short is not begun', async () => {
  await using server = await serverOf(answer(503, { error: 'Later.' }, { 'Retry-After': '3600' }));
  await assert.rejects(clientOf(server.baseUrl).listRuns(), {
    status: 503,
    retryAfterMs: 3_600_000,
  });
});

test('a call ends at its time limit, whether headers or the body are missing', async () => {
  const halfAnswer = answer.bind(null, 200, {});
  await using hanging = await serverOf(silent);
  const client = clientOf(hanging.baseUrl, { timeoutMs: 50 });
  await assert.rejects(client.listRuns(), error => {
    assert.ok(error instanceof PunctualTimeoutError && error instanceof PunctualConnectionError);
    assert.deepEqual([error.operation, error.timeoutMs], ['listRuns', 50]);
    assert.equal(error.message, 'listRuns had no answer within 50 ms.');
    return true;
  });
  await using half = await serverOf((request, response) => {
    halfAnswer()(request, Object.assign(response, { end: () => response.write('{') }));
  });
  await assert.rejects(clientOf(half.baseUrl).createSchedule(input, { timeoutMs: 50 }), {
    name: 'PunctualTimeoutError',
  });
  await assert.rejects(client.trySchedule(input, { timeoutMs: 50 }), { timeoutMs: 50 });
  for (const timeoutMs of [0, -1, Number.NaN]) {
    assert.throws(() => clientOf('http://a', { timeoutMs }), /timeoutMs is .*above 0/);
  }
});

test('the time limit and the signal hold for later attempts too', async () => {
  await using server = await serverOf(busy(503), silent);
  await assert.rejects(clientOf(server.baseUrl).listRuns({}, { timeoutMs: 1_000 }), {
    name: 'PunctualTimeoutError',
  });
  const abort = new AbortController();
  await using other = await serverOf(busy(503), () => abort.abort(new Error('Enough.')));
  await assert.rejects(clientOf(other.baseUrl).listRuns({}, { signal: abort.signal }), {
    message: 'Enough.',
  });
});

test('a signal ends a call with its own reason, also within a wait, and is left without listeners', async () => {
  await using server = await serverOf(silent);
  const client = clientOf(server.baseUrl);
  const abort = new AbortController();
  const call = client.createSchedule(input, { signal: abort.signal });
  abort.abort(new Error('Enough.'));
  await assert.rejects(call, { message: 'Enough.' });
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
  await assert.rejects(client.listRuns({}, { signal: abort.signal }), { message: 'Enough.' });

  const later = new AbortController();
  await using failing = await serverOf((...request) => {
    answer(503, { error: 'Later.' }, { 'Retry-After': '20' })(...request);
    setImmediate(() => later.abort(new Error('No more.')));
  });
  await assert.rejects(clientOf(failing.baseUrl).listRuns({}, { signal: later.signal }), {
    message: 'No more.',
  });
  assert.equal(failing.asked.length, 1);
  assert.equal(getEventListeners(later.signal, 'abort').length, 0);
});

test('an error says which call it was, its code and the id that a proxy gave the request', async () => {
  const headers = { 'Punctual-Error-Code': 'not_found', 'X-Request-Id': 'abc' };
  await using server = await serverOf(answer(404, { error: 'No.' }, headers));
  await assert.rejects(clientOf(server.baseUrl).getRun('x'), {
    name: 'PunctualApiError',
    status: 404,
    code: 'not_found',
    operation: 'getRun',
    requestId: 'abc',
  });
  await using page = await serverOf((_, response) => response.end('<h1>Welcome</h1>'));
  await assert.rejects(clientOf(page.baseUrl).getRun('x'), /200, but no JSON: baseUrl may not be/);
});

test('a service that is not there is a PunctualConnectionError with its cause', async () => {
  const { baseUrl, ...gone } = await serverOf(silent);
  await gone[Symbol.asyncDispose]();
  await assert.rejects(clientOf(baseUrl, { maxRetries: 0 }).listRuns(), error => {
    assert.ok(error instanceof PunctualConnectionError);
    assert.match(error.message, /^listRuns did not reach Punctual, .*: ECONNREFUSED\.$/);
    assert.ok(error.cause instanceof TypeError);
    return true;
  });
});

test('options that cannot work are refused with a sentence', () => {
  const refused = (options: object, sentence: RegExp) =>
    assert.throws(() => new PunctualClient({ baseUrl: 'http://a', ...options }), sentence);
  refused({ clientId: 'a' }, /^TypeError: apiKey is missing: give it with clientId/);
  refused({ apiKey: 'a' }, /^TypeError: clientId is missing: give it with apiKey/);
  refused({ clientId: 'a', apiKey: undefined }, /apiKey is missing/);
  refused({ clientId: undefined, apiKey: undefined }, /clientId is missing/);
  for (const baseUrl of ['127.0.0.1:8080', 'localhost:8080', 'example.com', 'ftp://a', 'http://']) {
    refused({ baseUrl, ...credentials }, /has no scheme: write "http:\/\/…"/);
  }
  refused({ baseUrl: 'http://a b', ...credentials }, /is not a url/);
  refused({ baseUrl: '', ...credentials }, /baseUrl has no host: outside a browser/);
  refused({ maxRetries: -1 }, /maxRetries is -1: give a whole number from 0 to 10/);
  new PunctualClient({ baseUrl: 'https://example.com/punctual/', ...credentials });
});

test('outside a browser it says who it is', async () => {
  await using server = await serverOf(page);
  await clientOf(server.baseUrl).listRuns();
  assert.equal(server.asked[0]!.headers['user-agent'], 'punctual-client');
});

test('a wait that is longer than a timer can take is not begun', async () => {
  const later = answer(429, { error: 'Later.' }, { 'Retry-After': '9999999' });
  await using server = await serverOf(later);
  const client = clientOf(server.baseUrl, { timeoutMs: Number.POSITIVE_INFINITY });
  await assert.rejects(client.listRuns(), { status: 429 });
  assert.equal(server.asked.length, 1);
});

test('a list in a query is a parameter that comes several times', async () => {
  await using server = await serverOf(page);
  await clientOf(server.baseUrl).listSchedules({ tag: ['team:billing', 'eu'], limit: 5 });
  assert.equal(server.asked[0]!.url, '/v1/schedule?tag=team%3Abilling&tag=eu&limit=5');
});
