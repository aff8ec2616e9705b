import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { StartPermit } from '../../src/outbound/start-permit.ts';
import {
  answer,
  get,
  leftOpen,
  NOTHING_OPEN,
  names,
  sender,
  serve,
  until,
} from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

test('requests to one origin share its bound, and those beyond it wait in order', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send, stats } = sender(t, { connectionsPerOrigin: 2 });
  const ended: number[] = [];
  const all = [1, 2, 3, 4, 5].map(async n => {
    await send(get(`${target.url}${n}`));
    ended.push(n);
  });
  await until(() => open.length === 2);
  assert.deepEqual(stats(), { origins: 1, connections: 2, idle: 0, inFlight: 2, waiting: 3 });
  for (let n = 1; n <= 5; n++) {
    await until(() => open.length > 0);
    open.shift()!();
    await until(() => ended.length === n);
  }
  await Promise.all(all);
  assert.deepEqual(
    target.requests.map(({ head }) => head[5]),
    ['1', '2', '3', '4', '5'],
  );
  assert.equal(target.connections, 2);
});

test('clients whose requests wait take turns, each in its own order, also when some leave', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send } = sender(t, { connectionsPerOrigin: 1 });
  const cancelled = new StartPermit();
  const ask = (name: string, clientRowId: number, permit = new StartPermit()) =>
    send(get(target.url + name, { clientRowId, permit }));
  const all = ['1', '2', '3', '4'].map(name => ask(name, 7));
  all.push(ask('x', 8, cancelled), ask('a', 8), ask('b', 8), ask('A', 9));
  await until(() => open.length === 1);
  cancelled.cancel();
  for (let n = 0; n < 7; n += 1) {
    await until(() => open.length === 1);
    open.shift()!();
    await until(() => target.requests.length > n + 1 || n === 6);
  }
  await Promise.all(all);
  assert.deepEqual(
    target.requests.map(({ head }) => head[5]),
    ['1', '2', 'A', 'a', '3', 'b', '4'],
  );
});

test('a request that is made while others wait does not overtake them', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send } = sender(t, { connectionsPerOrigin: 1 });
  const first = send(get(`${target.url}1`)).then(() => send(get(`${target.url}3`)));
  await Promise.all([first, send(get(`${target.url}2`))]);
  assert.deepEqual(
    target.requests.map(({ head }) => head[5]),
    ['1', '2', '3'],
  );
});

test('beyond maxOrigins the connections of the origin unused for longest are closed', async t => {
  const targets = await Promise.all(
    [1, 2, 3].map(() => serve(t, socket => socket.write(answer('')))),
  );
  const { send, stats } = sender(t, { maxOrigins: 2 });
  const [a, b, c] = targets as [(typeof targets)[0], (typeof targets)[0], (typeof targets)[0]];
  await send(get(a.url));
  await send(get(b.url));
  await send(get(a.url));
  await send(get(c.url));
  await b.closed(1);
  assert.equal(stats().origins, 2);
  await send(get(a.url));
  await send(get(c.url));
  assert.deepEqual([a.connections, b.connections, c.connections], [1, 1, 1]);
});

test('beyond maxConnections kept connections close, and requests in flight go on', async t => {
  const targets = await Promise.all(
    [1, 2, 3].map(() => serve(t, socket => setTimeout(() => socket.write(answer('')), 5))),
  );
  const { send, stats } = sender(t, { maxConnections: 2 });
  for (const { url } of targets) await send(get(url));
  await targets[0]!.closed(1);
  await until(() => stats().connections === 2);
  const results = await Promise.all(targets.map(({ url }) => send(get(url))));
  assert.ok(results.every(({ outcome }) => outcome === 'response'));
});

test('an origin that comes back while its old connections close keeps its new ones', async t => {
  const [a, b, c] = await Promise.all(
    [1, 2, 3].map(() => serve(t, socket => socket.write(answer('')))),
  );
  const { send } = sender(t, { maxOrigins: 2 });
  await send(get(a!.url));
  await send(get(c!.url));
  await Promise.all([send(get(b!.url)), send(get(a!.url))]);
  await a!.closed(1);
  await send(get(a!.url));
  assert.equal(a!.connections, 2);
});

test('origins with requests in flight stay, however many they are', async t => {
  const target = await serve(t, socket => setTimeout(() => socket.write(answer('')), 30));
  const table = Object.fromEntries([...'abcdef'].map(n => [`${n}.test`, ['127.0.0.1']]));
  const { send, stats } = sender(t, { maxOrigins: 2, resolve: names(table) });
  const results = await Promise.all(
    Object.keys(table).map(name => send(get(`http://${name}:${target.port}/`))),
  );
  assert.ok(results.every(result => result.outcome === 'response'));
  await until(() => stats().connections === 2);
});

test('http and https, and other ports, are other origins', async t => {
  const one = await serve(t, socket => socket.write(answer('')));
  const two = await serve(t, socket => socket.write(answer('')));
  const { send } = sender(t);
  await send(get(one.url));
  await send(get(two.url));
  await send(get(`https://127.0.0.1:${one.port}/`, { timeoutMs: 100 }));
  assert.deepEqual([one.requests.length, two.requests.length], [1, 1]);
  assert.equal(one.connections, 2);
});

test('a cancelled request starts nothing, whether it waits or not', async t => {
  const target = await serve(t, socket => setTimeout(() => socket.write(answer('')), 20));
  const { send, stats } = sender(t, { connectionsPerOrigin: 1 });
  const permits = [new StartPermit(), new StartPermit(), new StartPermit()] as const;
  const first = send(get(target.url, { permit: permits[0] }));
  const second = send(get(target.url, { permit: permits[1] }));
  for (const permit of permits) permit.cancel();
  const third = await send(get('http://127.0.0.1:1/', { permit: permits[2] }));
  assert.equal(stats().origins, 1);
  assert.equal((await first).outcome, 'response');
  assert.equal((await second).outcome, 'cancelled');
  assert.equal(third.outcome, 'cancelled');
  assert.equal(target.requests.length, 1);
});

test('what waits behind a hung target and is called back leaves at once, and the others keep their order', async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, socket => open.push(() => socket.write(answer(''))));
  const { send, stats } = sender(t, { connectionsPerOrigin: 1 });
  const permits = Array.from({ length: 6 }, () => new StartPermit());
  const [hung, ...waiting] = permits.map((permit, n) => send(get(`${target.url}${n}`, { permit })));
  await until(() => open.length === 1);
  for (const n of [0, 1, 3, 5]) permits[n]!.cancel();
  for (const n of [1, 3, 5]) assert.equal((await waiting[n - 1]!).outcome, 'cancelled');
  const late = new StartPermit();
  late.cancel();
  assert.equal((await send(get(target.url, { permit: late }))).outcome, 'cancelled');
  assert.deepEqual(stats(), { origins: 1, connections: 1, idle: 0, inFlight: 1, waiting: 2 });
  for (let n = 1; n <= 3; n++) {
    await until(() => open.length > 0);
    open.shift()!();
  }
  const ended = await Promise.all([hung, ...waiting]);
  assert.equal(ended.filter(result => result!.outcome === 'response').length, 3);
  assert.deepEqual(
    target.requests.map(({ head }) => head[5]),
    ['0', '2', '4'],
  );
});

test('an origin whose waiting requests have all left is as quiet as one that never had any', async t => {
  const target = await serve(t, () => {});
  const { send, stats } = sender(t, { connectionsPerOrigin: 1 });
  const permit = new StartPermit();
  const hung = send(get(target.url, { timeoutMs: 300 }));
  const waiting = send(get(target.url, { permit }));
  permit.cancel();
  assert.equal((await waiting).outcome, 'cancelled');
  assert.equal((await hung).outcome, 'timeout');
  await until(() => stats().origins === 0);
});

test('close ends what is in flight, cancels what waits, and leaves nothing open', async t => {
  const target = await serve(t, () => {});
  const idle = await serve(t, socket => socket.write(answer('')));
  const { send, close, stats } = sender(t, {
    connectionsPerOrigin: 1,
    keepAliveMs: 1_000_000,
    resolve: () => new Promise(() => {}),
  });
  await send(get(idle.url));
  const inFlight = send(get(target.url));
  const waiting = send(get(target.url));
  const resolving = send(get('http://slow.test/'));
  await until(() => target.requests.length === 1);
  await Promise.all([close(), close()]);
  assert.deepEqual(stats(), NOTHING_OPEN);
  for (const result of [await inFlight, await resolving]) {
    assert.equal(result.outcome, 'connectionError');
    assert.equal(result.error, 'The service stopped before the answer came.');
  }
  assert.equal((await waiting).outcome, 'cancelled');
  assert.equal((await send(get(target.url))).outcome, 'cancelled');
  await Promise.all([target.closed(1), idle.closed(1)]);
});

test('a sender without requests holds no process up', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;
  const target = await serve(t, socket => socket.write(answer('')));
  const before = timers();
  await sender(t).send(get(target.url));
  await until(() => timers() <= before);
});
