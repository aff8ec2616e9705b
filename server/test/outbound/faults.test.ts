import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  answer,
  type Behaviour,
  get,
  leftOpen,
  NOTHING_OPEN,
  sender,
  serve,
} from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

/** What a server may do to a request; which one is up to the request's number. */
const BEHAVIOURS: Behaviour[] = [
  socket => socket.write(answer('fine')),
  socket => socket.write(answer('fine')),
  socket => socket.write(answer('fine', '200 OK', ['Connection: close'])),
  socket => socket.end(answer('fine')),
  socket => setImmediate(() => socket.write(answer('late'))),
  socket => socket.write(answer('two') + answer('answers')),
  socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort', () => socket.end()),
  socket => socket.resetAndDestroy(),
  socket => socket.end(),
  socket => socket.write('no HTTP\r\n\r\n'),
  socket => socket.write(answer('x'.repeat(1_200_000))),
  () => {},
];

test('under faults of all kinds every request ends once, none arrives twice, nothing stays open', async t => {
  const target = await serve(t, (socket, _nth, { head }) => {
    const n = Number(/^POST \/(\d+) /.exec(head)![1]);
    BEHAVIOURS[(n * 7919) % BEHAVIOURS.length]!(socket, n, { head, body: '', connection: 0 });
  });
  const { send, close, stats } = sender(t, { connectionsPerOrigin: 16 });
  let next = 0;
  const outcomes: Record<string, number> = {};
  const worker = async () => {
    while (next < 1_200) {
      const n = next++;
      const result = await send(
        get(`${target.url}${n}`, { method: 'POST', body: '{}', timeoutMs: 100 }),
      );
      outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1;
      if (result.outcome !== 'response') assert.ok(result.error!.endsWith('.'));
      else if (result.responseBody !== undefined) {
        assert.match(result.responseBody, /^(fine|late|two|x+)$/);
      }
    }
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  assert.equal(outcomes.response! + outcomes.timeout! + outcomes.connectionError!, 1_200);
  const arrived = target.requests.map(({ head }) => head.split(' ')[1]);
  assert.equal(new Set(arrived).size, arrived.length);
  await close();
  assert.deepEqual(stats(), NOTHING_OPEN);
});
