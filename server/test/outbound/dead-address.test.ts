import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { answer, get, leftOpen, names, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const CLOSED_AFTER_EACH = answer('', '200 OK', ['Connection: close']);

/** The port on another loopback address, where nobody accepts and the backlog is full. */
async function swallow(t: TestContext, host: string, port: number): Promise<void> {
  const body = `
    const { parentPort } = require('node:worker_threads');
    require('node:net').createServer().listen({ host: '${host}', port: ${port}, backlog: 1 }, () => {
      parentPort.postMessage('listening');
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`;
  const worker = new Worker(body, { eval: true });
  await once(worker, 'message');
  const fillers = Array.from({ length: 8 }, () => connect(port, host).on('error', () => {}));
  t.after(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  // Loopback connects within a millisecond: whatever has not by now never does.
  await sleep(50);
  assert.ok(fillers.some(({ connecting }) => connecting));
}

test('a dead address costs one request 250 ms, and the phases and the attempt say so', {
  skip: process.platform !== 'linux',
}, async t => {
  const target = await serve(t, socket => socket.end(CLOSED_AFTER_EACH));
  await swallow(t, '127.0.0.2', target.port);
  const resolve = names({ 'half.test': ['127.0.0.2', '127.0.0.1'] });
  const { send } = sender(t, { resolve });
  const first = await send(get(`http://half.test:${target.port}/`));
  assert.equal(first.outcome, 'response');
  const { dnsMs = 0, connectMs = 0, firstByteMs = 0 } = first.phases;
  assert.ok(connectMs >= 249, 'the time went into connecting');
  const rest = first.durationMs - dnsMs - connectMs - firstByteMs;
  assert.ok(Math.abs(rest) <= 100, `the phases add up but for ${rest} ms`);
  assert.equal(
    first.note,
    `Another address of half.test:${target.port} was called, because 127.0.0.2 did not answer within 250 ms.`,
  );
  const second = await send(get(`http://half.test:${target.port}/`));
  assert.deepEqual([second.outcome, second.note], ['response', undefined]);
  assert.equal(target.connections, 2);
});

test('the address that connected last is first while it works and the name has it', async t => {
  const one = await serve(t, socket => socket.end(CLOSED_AFTER_EACH), { host: '127.0.0.3' });
  let found = ['127.0.0.2', '127.0.0.3'];
  const { send } = sender(t, { resolve: async () => found });
  const url = `http://moving.test:${one.port}/`;
  const notes = async () => (await send(get(url))).note?.replace(/^.*because /, '');
  assert.equal(await notes(), '127.0.0.2 refused the connection.');
  assert.equal(await notes(), undefined, 'the winner is first');
  found = ['127.0.0.4', '127.0.0.2'];
  assert.equal((await send(get(url))).outcome, 'connectionError');
  found = ['127.0.0.2', '127.0.0.3'];
  assert.equal(await notes(), '127.0.0.2 refused the connection.', 'the winner was forgotten');
});

test('a winner is judged again, and not dialled where it is refused by now', async t => {
  const target = await serve(t, socket => socket.end(CLOSED_AFTER_EACH));
  let allow = parseAllowTargets('127.0.0.0/8');
  const resolve = names({ 'half.test': ['127.0.0.2', '127.0.0.1'] });
  const { send } = sender(t, { allow: () => allow, resolve });
  const url = `http://half.test:${target.port}/`;
  assert.equal((await send(get(url))).outcome, 'response');
  allow = parseAllowTargets('127.0.0.2');
  assert.equal((await send(get(url))).outcome, 'connectionError');
  assert.equal(target.connections, 1);
});

test('an address that only its name opens is not named', async t => {
  const target = await serve(t, socket => socket.end(CLOSED_AFTER_EACH));
  const allow = parseAllowTargets('inside.test');
  const resolve = names({ 'inside.test': ['127.0.0.2', '127.0.0.1'] });
  const { note } = await sender(t, { allow, resolve }).send(
    get(`http://inside.test:${target.port}/`),
  );
  assert.equal(
    note,
    `Another address of inside.test:${target.port} was called, because one of its addresses refused the connection.`,
  );
});
