import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { SendResult } from '../../src/outbound/send.ts';
import type { Task } from '../support/outbound/suspended-process.ts';
import {
  answer,
  get,
  leftOpen,
  movedClock,
  sender,
  serve,
  until,
} from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const LIMIT = { timeoutMs: 1_000 };

/** A process that can be suspended, and what it says of its request in the end. */
function sending(t: TestContext, task: Task) {
  const child = fork(new URL('../support/outbound/suspended-process.ts', import.meta.url));
  t.after(() => child.kill('SIGKILL'));
  const sent = once(child, 'message');
  const result = sent.then(async () => (await once(child, 'message'))[0] as SendResult);
  child.send(task);
  return {
    sent,
    result,
    suspend: () => child.kill('SIGSTOP'),
    wake: () => child.kill('SIGCONT'),
  };
}

describe('a process that is suspended', { concurrency: 2 }, () => {
  for (const threads of [0, 2]) {
    const by = threads === 0 ? 'the main thread' : `${threads} threads`;

    for (const [what, body] of [
      ['an answer', 'done'],
      ['an answer of 900 KB', 'x'.repeat(900_000)],
    ] as const) {
      test(`reads ${what} that came in time, sent by ${by}`, async t => {
        const target = await serve(t, async socket => {
          child.suspend();
          await pause(200);
          socket.write(answer(body));
        });
        const child = sending(t, { threads, request: get(target.url, LIMIT) });
        await until(() => target.requests.length === 1);
        await pause(1_800);
        child.wake();
        const result = await child.result;
        assert.equal(result.error, undefined);
        assert.equal(result.outcome, 'response');
        assert.equal(result.responseStatus, 200);
        assert.equal(result.responseBody, body.slice(0, 4_096));
      });
    }

    test(`ends the wait for an answer that did not come soon after it wakes, sent by ${by}`, async t => {
      const target = await serve(t, () => child.suspend());
      const child = sending(t, { threads, request: get(target.url, LIMIT) });
      await until(() => target.requests.length === 1);
      await pause(1_800);
      child.wake();
      const wokenAt = performance.now();
      const result = await child.result;
      assert.equal(result.outcome, 'timeout');
      assert.match(result.error!, /^The time limit of 1 s passed while waiting for the answer of /);
      assert.ok(performance.now() - wokenAt < 5_000, 'not after one more time limit or two');
    });
  }

  test('goes on with a connection that it was opening', async t => {
    const target = await serve(t, socket => socket.write(answer('done')));
    const request = get(`http://slow.test:${target.port}/`, LIMIT);
    // By itself: a parent that is busy might come when the connection is open.
    const suspendsItself = true;
    const child = sending(t, { threads: 0, resolvingMs: 300, suspendsItself, request });
    await child.sent;
    await pause(1_800);
    assert.equal(target.connections, 0);
    child.wake();
    const result = await child.result;
    assert.equal(result.error, undefined);
    assert.equal(result.responseBody, 'done');
  });
});

/** The event loop has no turn for so long: its timers are due before it reads anything. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

for (const goneMs of [300, 60_000]) {
  test(`what has arrived is read before a time limit is judged, ${goneMs} ms later`, async t => {
    const target = await serve(t, () => {});
    const clock = movedClock(t);
    const sent = sender(t).send(get(target.url, { timeoutMs: 250 }));
    await until(() => target.requests.length === 1);
    target.sockets[0]!.write(answer('done'));
    clock.advance(goneMs);
    block(120);
    const result = await sent;
    assert.equal(result.outcome, 'response');
    assert.ok(result.durationMs >= goneMs);
  });
}

test('a suspended process has half a second to catch up, and no more', async t => {
  const target = await serve(t, () => {});
  const clock = movedClock(t);
  const { send, stats } = sender(t);
  const sent = send(get(target.url, LIMIT));
  await until(() => target.requests.length === 1);
  clock.advance(60_000);
  await pause(150);
  assert.equal(stats().inFlight, 1, 'not judged yet');
  clock.advance(499);
  await pause(150);
  assert.equal(stats().inFlight, 1, 'nor now');
  clock.advance(1);
  assert.equal((await sent).durationMs, 60_500);
});

test('one that was busy for a moment has no more time than it was given', async t => {
  const target = await serve(t, () => {});
  const clock = movedClock(t);
  const { send, stats } = sender(t);
  const sent = send(get(target.url, LIMIT));
  await until(() => target.requests.length === 1);
  while (stats().inFlight === 1) {
    clock.advance(100);
    await pause(60);
  }
  const { outcome, durationMs } = await sent;
  assert.equal(outcome, 'timeout');
  assert.ok(durationMs >= 1_000 && durationMs <= 1_300);
});
