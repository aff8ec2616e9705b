import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import type { SendResult } from '../../src/outbound/send.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';
import {
  answer,
  type Behaviour,
  get,
  leftOpen,
  movedClock,
  NOTHING_OPEN,
  sender,
  serve,
  until,
} from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

test('a kept connection is used again, and then there is nothing to connect', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send, stats } = sender(t);
  const first = await send(get(target.url));
  const second = await send(get(`${target.url}other`));
  assert.equal(target.connections, 1);
  assert.ok('connectMs' in first.phases);
  assert.deepEqual(Object.keys(second.phases), ['firstByteMs']);
  assert.deepEqual(stats(), { origins: 1, connections: 1, idle: 1, inFlight: 0, waiting: 0 });
});

test('the connection that was used last is used first', async t => {
  const open = new Map<string, () => void>();
  const target = await serve(t, (socket, _nth, { head }) => {
    open.set(head[5]!, () => socket.write(answer('')));
  });
  const { send } = sender(t);
  const sent = ['a', 'b', 'c'].map(path => send(get(target.url + path)));
  await until(() => open.size === 3);
  for (const n of [0, 2, 1]) {
    open.get('abc'[n]!)!();
    await sent[n];
  }
  const last = send(get(`${target.url}d`));
  await until(() => open.size === 4);
  open.get('d')!();
  await last;
  const connectionOf = (path: string) =>
    target.requests.find(({ head }) => head[5] === path)!.connection;
  assert.equal(connectionOf('d'), connectionOf('b'));
});

for (const header of ['Connection: close', 'Keep-Alive: timeout=2', 'Keep-Alive: timeout=1']) {
  test(`after an answer with ${header} the connection is not used again`, async t => {
    const target = await serve(t, socket => socket.write(answer('', '200 OK', [header])));
    const { send } = sender(t, { connectionsPerOrigin: 1 });
    const results = await Promise.all([1, 2, 3].map(() => send(get(target.url))));
    for (const result of results) {
      assert.equal(result.outcome, 'response');
      assert.ok('connectMs' in result.phases);
    }
    assert.equal(target.connections, 3);
  });
}

test('a server cannot have its connection kept for longer than we do', async t => {
  const target = await serve(t, socket =>
    socket.write(answer('', '200 OK', ['Keep-Alive: timeout=3600'])),
  );
  const { send, stats } = sender(t, { keepAliveMs: 50 });
  await send(get(target.url));
  await target.closed(1);
  await until(() => stats().origins === 0);
  assert.deepEqual(stats(), NOTHING_OPEN);
});

test('a connection is kept for keepAliveMs', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  await sender(t, { keepAliveMs: 3_000 }).send(get(target.url));
  // So that, kept for the same time, they would close in the order in which they came.
  await new Promise(resolve => setTimeout(resolve, 100));
  await sender(t, { keepAliveMs: 30 }).send(get(target.url));
  const first = await Promise.race([1, 2].map(n => target.closed(n).then(() => n)));
  assert.equal(first, 2);
});

test('of several kept connections, those that the server closes are forgotten', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send, stats } = sender(t);
  await Promise.all([1, 2, 3].map(() => send(get(target.url))));
  assert.equal(stats().idle, 3);
  target.sockets[1]!.end();
  await until(() => stats().connections === 2);
  assert.equal(stats().idle, 2);
});

test('a kept connection that the server closes is forgotten', async t => {
  const target = await serve(t, socket => {
    socket.write(answer(''));
    setTimeout(() => socket.end(), 20);
  });
  const { send, stats } = sender(t);
  await send(get(target.url));
  assert.equal(stats().idle, 1);
  await until(() => stats().connections === 0);
  assert.equal((await send(get(target.url))).outcome, 'response');
  assert.equal(target.connections, 2);
});

for (const [what, event, end] of [
  ['close', 'finish', socket => socket.end()],
  ['reset', 'close', socket => socket.resetAndDestroy()],
] as const satisfies [string, string, (socket: Socket) => void][]) {
  test(`a request that meets the ${what} of a kept connection goes over a new one`, async t => {
    let onClosed = () => {};
    const target = await serve(t, (socket, nth) => {
      socket.write(answer(''));
      if (nth === 1) socket.once(event, () => onClosed());
    });
    const { send } = sender(t);
    await send(get(target.url));
    let asked = 0;
    const permit = new StartPermit();
    permit.start = () => ++asked === 1;
    const second = await new Promise<SendResult>(resolve => {
      onClosed = () => {
        // The close is on its way to us: timers come first, then what has arrived is read, and undici
        // writes after that.
        const request = get(target.url, {
          method: 'POST',
          body: 'x',
          permit,
        });
        setTimeout(() => resolve(send(request)), 0);
        const until = performance.now() + 3;
        while (performance.now() < until);
      };
      end(target.sockets[0]!);
    });
    assert.equal(second.outcome, 'response');
    assert.ok('connectMs' in second.phases);
    assert.equal(target.connections, 2);
    assert.equal(target.requests.length, 2);
    assert.equal(asked, 1);
  });
}

test('no request reaches a server twice that closes after every answer', async t => {
  const target = await serve(t, socket => socket.end(answer('')));
  const { send } = sender(t);
  for (let n = 1; n <= 50; n++) {
    const result = await send(get(`${target.url}${n}`, { method: 'POST', body: 'x' }));
    // Written into the close it is lost, and that is what the result says.
    if (result.outcome === 'response') continue;
    assert.match(result.error!, /closed the connection without an answer/);
  }
  assert.equal(new Set(target.requests.map(({ head }) => head)).size, target.requests.length);
});

test('no request is lost or sent twice where connections close after some answers, said or unsaid', async t => {
  for (const [last, headers] of [
    [2, ['Connection: close']],
    [3, ['Connection: close']],
    [3, []],
  ] as const) {
    const answered = new Map<object, number>();
    const target = await serve(t, (socket, nth) => {
      const nthHere = (answered.get(socket) ?? 0) + 1;
      answered.set(socket, nthHere);
      const isLast = nthHere === last;
      socket.write(answer(String(nth), '200 OK', isLast ? [...headers] : []));
      if (isLast) socket.end();
    });
    const { send, stats } = sender(t, { connectionsPerOrigin: 4 });
    const request = get(target.url, { method: 'POST', body: 'x' });
    const results = await Promise.all(Array.from({ length: 60 }, () => send(request)));
    const bodies = results.map(({ responseBody }) => Number(responseBody));
    const unsaid = results.filter(({ outcome }) => outcome !== 'response');
    if (headers.length > 0) assert.deepEqual(unsaid, []);
    assert.equal(new Set(bodies.filter(Boolean)).size + unsaid.length, 60);
    assert.ok(target.requests.length <= 60);
    await until(() => stats().inFlight === 0);
  }
});

/** The first request is answered; whatever comes later on its connection meets `second`. */
async function onKept(
  t: TestContext,
  method: string,
  second: Behaviour,
  onNew: Behaviour = socket => socket.write(answer('')),
) {
  const target = await serve(t, (socket, nth, request) => {
    if (nth === 1) socket.write(answer(''));
    else if (request.connection === 1) second(socket, nth, request);
    else onNew(socket, nth, request);
  });
  const { send, stats } = sender(t);
  await send(get(target.url));
  const body = method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'x' : null;
  const result = await send(get(target.url, { method, body, timeoutMs: 300 }));
  assert.equal(stats().inFlight, 0);
  return { result, target };
}

for (const [what, close] of [
  ['ended', socket => socket.end()],
  ['reset', socket => socket.resetAndDestroy()],
] as const satisfies [string, Behaviour][]) {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
    test(`${method} on a kept connection that is ${what} is sent again, once, on a new one`, async t => {
      const { result, target } = await onKept(t, method, close);
      assert.equal(result.outcome, 'response');
      assert.match(result.note!, /closed the kept connection, so the request was sent again/);
      assert.ok('connectMs' in result.phases);
      const [, first, second] = target.requests;
      assert.equal(second!.head, first!.head);
      assert.equal(second!.body, first!.body);
      assert.deepEqual([target.connections, target.requests.length], [2, 3]);
    });
  }

  for (const method of ['POST', 'PATCH']) {
    test(`${method} on a kept connection that is ${what} is not sent again`, async t => {
      const { result, target } = await onKept(t, method, close);
      assert.equal(result.outcome, 'connectionError');
      assert.equal(result.note, undefined);
      assert.deepEqual(result.phases, {});
      assert.deepEqual([target.connections, target.requests.length], [1, 2]);
    });
  }

  test(`a request that was sent again, and is ${what} again, has failed`, async t => {
    const { result, target } = await onKept(t, 'GET', close, close);
    assert.equal(result.outcome, 'connectionError');
    assert.match(result.note!, /sent again/);
    assert.deepEqual([target.connections, target.requests.length], [2, 3]);
  });
}

for (const bytes of ['H', 'HTTP/1.1 100 Continue\r\n\r\n', '\r\n']) {
  test(`nothing is sent again behind ${JSON.stringify(bytes)} of an answer`, async t => {
    const { result, target } = await onKept(t, 'GET', socket => socket.end(bytes));
    assert.equal(result.outcome, 'connectionError');
    assert.equal(target.requests.length, 2);
  });
}

test('a connection that is closed at its first request is not tried again', async t => {
  const target = await serve(t, socket => socket.end());
  assert.equal((await sender(t).send(get(target.url))).outcome, 'connectionError');
  assert.equal(target.requests.length, 1);
});

test('a request that is sent again has no more time than before', async t => {
  const clock = movedClock(t);
  const { result, target } = await onKept(
    t,
    'GET',
    socket => {
      clock.advance(200);
      socket.end();
    },
    socket => {
      clock.advance(150);
      setTimeout(() => socket.write(answer('')), 300);
    },
  );
  assert.equal(result.outcome, 'timeout');
  assert.equal(target.requests.length, 3);
});

test('bytes that nobody asked for are never taken for the next answer', async t => {
  const target = await serve(t, (socket, nth) => {
    if (nth === 1) socket.write(answer('one') + answer('smuggled'));
    else socket.write(answer('two'));
  });
  const { send } = sender(t);
  await send(get(target.url));
  const second = await send(get(target.url));
  assert.equal(second.responseBody, 'two');
});

test('nor where the next request waits for that connection, which has lasted', async t => {
  const target = await serve(t, (socket, nth) => {
    socket.write(nth === 3 ? answer('3') + answer('forged') : answer(String(nth)));
  });
  const { send } = sender(t, { connectionsPerOrigin: 1 });
  const results = await Promise.all(Array.from({ length: 6 }, () => send(get(target.url))));
  const bodies = results.map(({ responseBody }) => responseBody);
  assert.deepEqual(bodies, ['1', '2', '3', '4', '5', '6']);
  assert.equal(target.connections, 2);
});

test('nor the beginning of one that comes just before the next request is written', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const { send } = sender(t);
  await send(get(target.url));
  const second = await new Promise<SendResult>(resolve => {
    target.sockets[0]!.write('HTTP/1.1 200 OK\r\nX-Forged: ', () => {
      // Timers come first, then what has arrived is read, and undici writes after that.
      setTimeout(() => resolve(send(get(target.url, { method: 'POST', body: 'x' }))), 0);
      const until = performance.now() + 3;
      while (performance.now() < until);
    });
  });
  assert.equal(second.outcome, 'response');
  assert.equal(second.responseHeaders!['x-forged'], undefined);
  assert.equal(target.connections, 2);
});

test('a HEAD that is answered with a body spoils no other answer', async t => {
  const target = await serve(t, socket => socket.write(answer('HTTP/1.1 500 Trap\r\n\r\n')));
  const { send } = sender(t);
  assert.equal((await send(get(target.url, { method: 'HEAD' }))).responseStatus, 200);
  assert.equal((await send(get(target.url))).responseStatus, 200);
});
