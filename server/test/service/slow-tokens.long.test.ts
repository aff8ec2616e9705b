import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { answer } from '../support/outbound/target-server.ts';
import {
  type DestinationService,
  destinationService,
  type EndedRun,
} from '../support/service/destination-service.ts';
import { echoTarget } from '../support/service/echo-target.ts';

/** Token endpoints that answer late, never or in drips, on real sockets: no attempt waits longer than its time limit. */

const TOO_LATE = 'The token did not come within the time limit of 1 s, so nothing was sent.';
const TOKEN = JSON.stringify({ access_token: 'a-token-that-came-late', expires_in: 3_600 });

/** An endpoint that does with each request whatever the test says. */
async function endpoint(t: TestContext, behaviour: (socket: Socket) => void) {
  const asked: Socket[] = [];
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', () => {
      asked.push(socket);
      behaviour(socket);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of asked) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { asked, tokenUrl: `http://127.0.0.1:${port}/token` };
}

/** A schedule behind a destination of its own, whose attempts have a second. */
async function scheduleBehind(
  service: DestinationService,
  { name, tokenUrl, url }: { name: string; tokenUrl: string; url: string },
  maxRetries: number,
): Promise<string> {
  const auth = { type: 'oauth2', tokenUrl, clientId: 'ada', clientSecret: 'the client secret' };
  await service.put(name, { hosts: ['127.0.0.1'], allowHttp: true, auth });
  const policy = { timeoutSeconds: 1, maxRetries, retryDelaysSeconds: [1] };
  return service.schedule({ url, destination: name, policy });
}

test('slow token endpoints', async t => {
  const service = await destinationService(t);
  const target = await echoTarget(t);

  for (const [what, behaviour] of [
    ['hangs', () => {}],
    [
      'drips',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 20);
        socket.once('close', () => clearInterval(drip));
      },
    ],
    ['accepts, and sends half a head', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nX-')],
  ] as const) {
    await t.test(`one that ${what} fails the attempt, and nothing is sent`, async t => {
      const { asked, tokenUrl } = await endpoint(t, behaviour);
      const name = `slow-${what.slice(0, 5)}`;
      const id = await scheduleBehind(service, { name, tokenUrl, url: target.url }, 0);
      const { status, attempts } = await service.run(id);
      assert.equal(status, 'failed');
      assert.deepEqual(
        attempts.map(({ outcome, error }) => [outcome, error]),
        [['connectionError', TOO_LATE]],
      );
      assert.equal(asked.length, 1);
      assert.deepEqual(target.requests, []);
    });
  }

  await t.test('one that answers after the time limit serves the next attempt', async t => {
    const { asked, tokenUrl } = await endpoint(t, () => {});
    const id = await scheduleBehind(service, { name: 'late', tokenUrl, url: target.url }, 5);
    const { body } = await service.call('POST', `/v1/schedule/${id}/trigger`);
    const runOf = async () => {
      const path = `/v1/run/${(body as { id: string }).id}`;
      return (await service.call('GET', path)).body as EndedRun;
    };
    while ((await runOf()).attempts.length === 0);
    asked[0]!.write(answer(TOKEN));
    let run = await runOf();
    while (run.status !== 'succeeded' && run.status !== 'failed') run = await runOf();
    assert.equal(run.status, 'succeeded', JSON.stringify(run.attempts));
    assert.equal(run.attempts[0]!.error, TOO_LATE);
    assert.equal(asked.length, 1);
    assert.deepEqual(
      target.requests.map(({ authorization }) => authorization),
      ['Bearer a-token-that-came-late'],
    );
  });

  await t.test('a service that waits for a token stops all the same', async t => {
    const { asked, tokenUrl } = await endpoint(t, () => {});
    const id = await scheduleBehind(service, { name: 'stopped', tokenUrl, url: target.url }, 0);
    await service.call('POST', `/v1/schedule/${id}/trigger`);
    while (asked.length === 0) await new Promise(setImmediate);
    assert.equal(await service.running.stop(), 0);
  });
});
