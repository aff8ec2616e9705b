import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:net';
import { Pool } from 'undici';
import { parseAllowTargets } from '../src/domain/schedule/target.ts';
import type { OutboundRequest } from '../src/outbound/send.ts';
import { createSender } from '../src/outbound/sender.ts';

/**
 * How much of bare undici the sender keeps: `node server/bench/sender.ts`.
 *
 * Both in turns against a server in a process of its own that answers a fixed 200, so that what the
 * machine does meanwhile meets both alike. The ratio counts, not the figures.
 */

const CONNECTIONS = 128;
const ROUNDS = 7;
const ROUND_MS = 2_000;
const ANSWER =
  'HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n' +
  'Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok';

if (process.argv[2] === 'target') serve();
else await measure();

function serve(): void {
  // Requests have no body and are not pipelined: one chunk is one request.
  const server = createServer(socket => {
    socket.on('data', () => socket.write(ANSWER));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1', () => {
    process.send!((server.address() as { port: number }).port);
  });
}

async function measure(): Promise<void> {
  const target = fork(import.meta.filename, ['target']);
  const port = await new Promise<number>(resolve => target.once('message', resolve));
  const headers = ['User-Agent', 'bench', 'webhook-id', '018f0000-0000-7000-8000-000000000000'];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const sender = createSender({
    allow: parseAllowTargets('127.0.0.1'),
    connectionsPerOrigin: CONNECTIONS,
    maxOrigins: 1_000,
    maxLookups: 32,
  });
  const request: OutboundRequest = {
    method: 'GET',
    url: `http://127.0.0.1:${port}/path?query=1`,
    headers,
    body: null,
    timeoutMs: 30_000,
  };

  const bare = () =>
    new Promise<void>((resolve, reject) => {
      const body: Buffer[] = [];
      pool.dispatch(
        { path: '/path?query=1', method: 'GET', headers },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_controller, chunk) => void body.push(chunk),
          onResponseEnd: () => resolve(),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  const ours = async () => {
    const result = await sender.send(request);
    if (result.responseStatus !== 200) throw new Error(JSON.stringify(result));
  };

  const ratios: number[] = [];
  await round(bare);
  await round(ours);
  for (let i = 0; i < ROUNDS; i++) {
    const ofBare = await round(bare);
    const ofOurs = await round(ours);
    ratios.push(ofOurs.rate / ofBare.rate);
    say(
      `bare ${ofBare.rate.toFixed(0)}/s ${ofBare.cpu.toFixed(1)} µs   ` +
        `send ${ofOurs.rate.toFixed(0)}/s ${ofOurs.cpu.toFixed(1)} µs   ` +
        `ratio ${ratios.at(-1)!.toFixed(2)}`,
    );
  }
  say(`median ratio ${ratios.sort((a, b) => a - b)[ROUNDS >> 1]!.toFixed(2)}`);
  await Promise.all([sender.close(), pool.close()]);
  await end(target);
}

async function round(one: () => Promise<void>): Promise<{ rate: number; cpu: number }> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  let count = 0;
  const worker = async () => {
    while (performance.now() - startedAt < ROUND_MS) {
      await one();
      count++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { rate: count / seconds, cpu: (user + system) / count };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.kill();
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
