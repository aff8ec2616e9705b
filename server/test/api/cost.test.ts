import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { type Service, startService, valid } from '../support/api/service.ts';

/**
 * A guard against getting slower: what a call costs, in counts that are the same on every machine and
 * at every load. Who makes them fewer writes the new ones here; who makes them more has to mean it,
 * and says in docs/performance/notebook.md what is won.
 */
const CALLS = 64;

type Counts = Record<string, number>;

/** Of all calls together, those of the test among them. */
const A_FEW = 5 / CALLS;

/** Measured on 2026-11-21. */
const MOST_OF_A_GET: Counts = {
  /** Those that came together share one look: its begin and its end are the two beside them. */
  statements: 1 + 2 / CALLS,
  commits: 0,
  /** Of the look, of the route, and what Fastify makes of it; none for a hook. */
  promises: 6 + A_FEW,
  timers: A_FEW,
  /** Node's own, for its end. Whoever watches an answer does so in `RequestAnswer`. */
  listeners: 1,
  /** Those set ahead make Node copy all others. */
  headersSet: 0,
};

const MOST_OF_A_CREATE: Counts = {
  /** The schedule, its row in the queue, and one row of texts for all of a commit. */
  statements: 2 + 1 / CALLS,
  commits: 1 / CALLS,
  promises: 4 + A_FEW,
  timers: A_FEW,
  listeners: 1,
  headersSet: 0,
};

test('what a GET of one schedule costs', async context => {
  const service = await startService();
  const { id } = await service.create();
  const counts = await costOf(context, service, `GET /v1/schedule/${id} HTTP/1.1\r\n`, '');
  await service.close();
  assertAtMost(context, counts, MOST_OF_A_GET);
});

test('what a create costs', async context => {
  const service = await startService();
  const body = JSON.stringify({ ...valid, data: { hello: 'world' } });
  const head = `POST /v1/schedule HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const counts = await costOf(context, service, head, body);
  await service.close();
  assertAtMost(context, counts, MOST_OF_A_CREATE);
});

/** Of one of many that come together, once the key is known and everything has been called before. */
async function costOf(
  context: TestContext,
  { port, mine }: Service,
  head: string,
  body: string,
): Promise<Counts> {
  const request = `${head}Host: x\r\nClientId: ${mine.clientId}\r\nApiKey: ${mine.apiKey}\r\n\r\n${body}`;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  let wanted = 0;
  let complete = () => {};
  socket.on('data', data => {
    received += data.toString('latin1');
    if (received.split('HTTP/1.1 200 OK').length > wanted) complete();
  });
  const call = async (count: number) => {
    received = '';
    wanted = count;
    const answered = new Promise<void>(resolve => (complete = resolve));
    socket.write(request.repeat(count));
    await answered;
  };
  await call(1);
  const counted = counting(context);
  await call(CALLS);
  const counts = counted();
  socket.destroy();
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / CALLS]));
}

function counting({ mock }: TestContext): () => Counts {
  const statements = (['run', 'get', 'all'] as const).map(
    name => mock.method(StatementSync.prototype, name).mock,
  );
  const exec = mock.method(DatabaseSync.prototype, 'exec').mock;
  const listeners = (['on', 'once'] as const).map(
    name => mock.method(ServerResponse.prototype, name).mock,
  );
  const headersSet = mock.method(ServerResponse.prototype, 'setHeader').mock;
  const made: Counts = {};
  const hook = createHook({
    init(_id, type) {
      made[type] = (made[type] ?? 0) + 1;
    },
  }).enable();
  return () => {
    hook.disable();
    const { PROMISE = 0, Timeout = 0 } = made;
    return {
      statements: statements.reduce((sum, { calls }) => sum + calls.length, 0),
      commits: exec.calls.filter(call => call.arguments[0] === 'COMMIT').length,
      promises: PROMISE,
      timers: Timeout,
      listeners: listeners.reduce((sum, { calls }) => sum + calls.length, 0),
      headersSet: headersSet.callCount(),
    };
  };
}

function assertAtMost(context: TestContext, counts: Counts, most: Counts): void {
  context.diagnostic(JSON.stringify(counts));
  for (const [name, count] of Object.entries(counts)) {
    assert.ok(count <= most[name]!, `${name}: ${count} a call, at most ${most[name]}`);
  }
}
