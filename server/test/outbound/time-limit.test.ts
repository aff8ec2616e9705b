import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { SendResult } from '../../src/outbound/send.ts';
import {
  answer,
  get,
  leftOpen,
  movedClock,
  names,
  sender,
  serve,
  until,
} from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const LIMIT = { timeoutMs: 120 };

function assertTimedOut(result: SendResult, doing: string): void {
  assert.equal(result.outcome, 'timeout');
  assert.equal(result.error, `The time limit of 0.12 s passed while ${doing}.`);
  assert.ok(result.durationMs >= 120, 'never before the limit');
}

test('a server that never answers is a timeout, and its connection is closed', async t => {
  const target = await serve(t, () => {});
  const { send, stats } = sender(t);
  const result = await send(get(target.url, LIMIT));
  assertTimedOut(result, `waiting for the answer of 127.0.0.1:${target.port}`);
  assert.equal(result.responseStatus, undefined);
  assert.equal(stats().inFlight, 0);
  await target.closed(1);
});

test('a body that drips is a timeout that keeps status and what came', async t => {
  let drips = 0;
  const target = await serve(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => {
      drips += 1;
      socket.write('d');
    }, 10);
    socket.once('close', () => clearInterval(drip));
  });
  // On a busy machine the limit might pass before the first of them came.
  const clock = movedClock(t);
  const sent = sender(t).send(get(target.url, LIMIT));
  await until(() => drips > 2);
  clock.advance(120);
  const result = await sent;
  assertTimedOut(result, `reading the body of the answer of 127.0.0.1:${target.port}`);
  assert.equal(result.responseStatus, 200);
  assert.match(result.responseBody!, /^d+$/);
  await target.closed(1);
});

test('headers that drip are a timeout', async t => {
  const target = await serve(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 10);
    socket.once('close', () => clearInterval(drip));
  });
  const result = await sender(t).send(get(target.url, LIMIT));
  assertTimedOut(result, `waiting for the answer of 127.0.0.1:${target.port}`);
});

test('a 103 does not end the wait for the answer', async t => {
  const target = await serve(t, socket => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'));
  const result = await sender(t).send(get(target.url, LIMIT));
  assertTimedOut(result, `waiting for the answer of 127.0.0.1:${target.port}`);
  assert.equal(result.responseStatus, undefined);
});

test('a name server that never answers is a timeout', async t => {
  const { send, stats } = sender(t, { resolve: () => new Promise(() => {}) });
  const result = await send(get('http://slow.test/', LIMIT));
  assertTimedOut(result, 'resolving the name of slow.test:80');
  await new Promise(setImmediate);
  assert.equal(stats().connections, 0);
});

test('what a name server answers after the limit changes nothing any more', async t => {
  let late = (_addresses: string[]) => {};
  const resolve = () => new Promise<string[]>(done => (late = done));
  const target = await serve(t, socket => socket.write(answer('')));
  const result = await sender(t, { resolve }).send(get(`http://slow.test:${target.port}/`, LIMIT));
  late(['127.0.0.1']);
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.deepEqual(result.phases, {});
  assert.equal(target.connections, 0);
});

test('the phases follow one another: together they are no longer than the whole', async t => {
  const resolve = () => new Promise<string[]>(done => setTimeout(() => done(['127.0.0.1']), 100));
  const target = await serve(t, socket => socket.write(answer('')));
  const result = await sender(t, { resolve }).send(get(`http://slow.test:${target.port}/`));
  const { dnsMs = 0, connectMs = 0, firstByteMs = 0 } = result.phases;
  assert.ok(dnsMs >= 98);
  assert.ok(dnsMs + connectMs + firstByteMs <= result.durationMs + 2, 'but for rounding');
});

test('a TLS handshake that is never answered is a timeout', async t => {
  const target = await serve(t, () => {});
  const resolve = names({ 'mute.test': ['127.0.0.1'] });
  const result = await sender(t, { resolve }).send(get(`https://mute.test:${target.port}/`, LIMIT));
  assertTimedOut(result, `waiting for the TLS handshake with mute.test:${target.port}`);
  assert.ok(result.phases.connectMs !== undefined && result.phases.tlsMs === undefined);
  await target.closed(1);
});

test('the limit counts from connecting to the last byte, not from the last sign of life', async t => {
  const target = await serve(t, async socket => {
    const head = ['HTTP/1.1 200 OK\r\n', 'Content-Length: 100\r\n', '\r\n'];
    // It takes seconds: who was suspended has half a second more.
    for (const part of [...head, ...'x'.repeat(100)]) {
      await new Promise(resolve => setTimeout(resolve, 40));
      if (socket.destroyed) return;
      socket.write(part);
    }
  });
  const result = await sender(t).send(get(target.url, LIMIT));
  assert.equal(result.outcome, 'timeout');
});

test('waiting for a free connection does not count', async t => {
  const target = await serve(t, socket => {
    setTimeout(() => socket.write(answer('')), 500);
  });
  const { send } = sender(t, { connectionsPerOrigin: 1 });
  const all = [1, 2, 3, 4].map(() => send(get(target.url, { timeoutMs: 1_500 })));
  const results = await Promise.all(all);
  assert.deepEqual(
    results.map(result => result.outcome),
    Array(4).fill('response'),
  );
  const starts = results.map(result => result.startedAt);
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
  );
  assert.ok(starts[3]! - starts[0]! >= 3 * 495);
});

test('time limits are kept apart: a short one ends before a long one', async t => {
  const target = await serve(t, () => {});
  // Limits that pass between two looks would end together.
  const clock = movedClock(t);
  const { send } = sender(t);
  const ended: number[] = [];
  const limits = [400, 100, 250];
  const all = limits.map(async timeoutMs => {
    const result = await send(get(target.url, { timeoutMs }));
    assert.ok(result.durationMs >= timeoutMs);
    ended.push(timeoutMs);
  });
  await until(() => target.requests.length === 3);
  for (const ms of [100, 150, 150]) {
    const before = ended.length;
    clock.advance(ms);
    await until(() => ended.length > before);
  }
  await Promise.all(all);
  assert.deepEqual(ended, [100, 250, 400]);
});
