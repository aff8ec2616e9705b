import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';
import { answer, get, leftOpen, sender, serve, until } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

function threads(t: TestContext, count: number, connectionsPerOrigin = 128, allow = '127.0.0.0/8') {
  const made = createSenderPool({
    allow: parseAllowTargets(allow),
    connectionsPerOrigin,
    maxOrigins: 100,
    maxLookups: 32,
    threads: count,
  });
  t.after(() => made.close());
  return made;
}

test('what a thread sends and tells is what the main thread would', async t => {
  const target = await serve(t, socket =>
    socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 5\r\n\r\n€uro'),
  );
  const request = get(target.url, {
    method: 'POST',
    headers: ['X-Own', 'a"b\\', 'Content-Type', 'text/plain'],
    body: 'ä\n"1"',
  });
  const there = await threads(t, 1).send(request);
  const here = await sender(t).send(request);
  assert.equal(target.requests[0]!.head, target.requests[1]!.head);
  assert.equal(target.requests[0]!.body, target.requests[1]!.body);
  for (const result of [there, here]) {
    assert.ok(Math.abs(result.startedAt - Date.now()) < 60_000);
    assert.deepEqual(Object.keys(result.phases), ['connectMs', 'firstByteMs']);
    assert.deepEqual(
      { ...result, startedAt: 0, durationMs: 0, phases: {} },
      {
        outcome: 'response',
        startedAt: 0,
        durationMs: 0,
        phases: {},
        responseStatus: 503,
        responseHeaders: { 'retry-after': '7', 'content-length': '5' },
        responseBody: '€ur',
      },
    );
  }
});

test('the guard stands in the thread, with what is allowed and nothing more', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  assert.equal((await threads(t, 1, 8, '').send(get(target.url))).outcome, 'blocked');
  assert.equal(target.connections, 0);
});

test('a request that waits there for a connection can be called back from here', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send } = threads(t, 1, 1);
  const permits = [new StartPermit(), new StartPermit(), new StartPermit()] as const;
  const [first, second, third] = permits.map(permit => send(get(target.url, { permit })));
  await until(() => open.length === 1);
  permits[0].cancel();
  permits[1].cancel();
  open.shift()!();
  await until(() => open.length === 1);
  open.shift()!();
  assert.equal((await first!).outcome, 'response');
  assert.equal((await second!).outcome, 'cancelled');
  assert.equal((await third!).outcome, 'response');
  assert.equal(target.requests.length, 2);
});

test('clients take turns there, too', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send } = threads(t, 1, 1);
  const all = [7, 7, 7, 8].map((clientRowId, n) => send(get(`${target.url}${n}`, { clientRowId })));
  for (let n = 1; n <= 4; n += 1) {
    await until(() => target.requests.length === n && open.length === 1);
    open.shift()!();
  }
  await Promise.all(all);
  const order = target.requests.map(({ head }) => head[5]);
  assert.ok(order.indexOf('3') < order.indexOf('2'), order.join());
});

test('a request that nobody may call back leaves, also where one before it was called back', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send } = threads(t, 1, 1);
  const first = send(get(target.url, { permit: new StartPermit() }));
  await until(() => open.length === 1);
  const permit = new StartPermit();
  const second = send(get(target.url, { permit }));
  permit.cancel();
  assert.equal((await second).outcome, 'cancelled');
  open.shift()!();
  await first;
  const others = [send(get(target.url)), send(get(target.url))];
  for (let count = 0; count < 2; count += 1) {
    await until(() => open.length === 1);
    open.shift()!();
  }
  for (const other of others) assert.equal((await other).outcome, 'response');
});

test('what waits there behind a hung target and is called back from here leaves at once', async t => {
  const target = await serve(t, () => {});
  const { send } = threads(t, 2, 2);
  const permits = Array.from({ length: 100 }, () => new StartPermit());
  const timeoutMs = 60_000;
  const results = permits.map(permit => send(get(target.url, { permit, timeoutMs })));
  await until(() => target.requests.length === 2);
  for (const permit of permits) permit.cancel();
  for (const permit of permits) permit.cancel();
  const ended = await Promise.all(results.slice(2));
  assert.ok(ended.every(({ outcome }) => outcome === 'cancelled'));
  const late = new StartPermit();
  late.cancel();
  assert.equal((await send(get(target.url, { permit: late, timeoutMs }))).outcome, 'cancelled');
  assert.equal(target.requests.length, 2);
});

test('a permit is shared while its request is under way, and its place used again', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send } = threads(t, 1);
  const old = new StartPermit();
  await send(get(target.url, { permit: old }));
  const permit = new StartPermit();
  const result = send(get(target.url, { permit }));
  old.cancel();
  assert.equal((await result).outcome, 'response');
});

test('several threads share the bound of an origin', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send } = threads(t, 4, 5);
  const all = Array.from({ length: 12 }, () => send(get(target.url)));
  await until(() => open.length === 5);
  let ended = 0;
  for (const each of all) void each.then(() => ended++);
  await until(() => {
    assert.ok(target.connections <= 5);
    open.shift()?.();
    return ended === 12;
  });
});

test('requests that come one after the other share a connection', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send } = threads(t, 2);
  for (let nth = 0; nth < 3; nth++) assert.equal((await send(get(target.url))).outcome, 'response');
  assert.equal(target.connections, 1);
});

test('what one thread has no end of does not stand before the others', async t => {
  const target = await serve(t, (socket, nth) => nth === 1 || socket.write(answer('')));
  const { send } = threads(t, 2, 2);
  void send(get(target.url, { timeoutMs: 60_000 }));
  await until(() => target.requests.length === 1);
  const results = [];
  for (let nth = 0; nth < 3; nth++) results.push((await send(get(target.url))).outcome);
  assert.deepEqual(results, ['response', 'response', 'response']);
});

test('close ends what is under way and tells of it', async t => {
  const target = await serve(t, () => {});
  const { send, close } = threads(t, 2);
  const results = [send(get(target.url)), send(get(target.url))];
  await until(() => target.requests.length === 2);
  await Promise.all([close(), close()]);
  for (const result of results) assert.equal((await result).outcome, 'connectionError');
});

test('close tells also of what was handed over just before and is not begun', async t => {
  const target = await serve(t, () => {});
  const { send, close } = threads(t, 1);
  const begun = send(get(target.url));
  await Promise.resolve();
  const waiting = Array.from({ length: 3 }, () => send(get(target.url)));
  await close();
  const outcomes = (await Promise.all([begun, ...waiting])).map(({ outcome }) => outcome);
  assert.ok(outcomes.every(outcome => outcome === 'connectionError' || outcome === 'cancelled'));
});
