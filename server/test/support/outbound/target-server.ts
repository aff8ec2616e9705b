import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { parseAllowTargets } from '../../../src/domain/schedule/target.ts';
import type { OutboundRequest } from '../../../src/outbound/send.ts';
import { createSender, type Sender, type SenderOptions } from '../../../src/outbound/sender.ts';

/** A request as it came: the head as one text, the body, and which one of its connection it is. */
export interface Received {
  head: string;
  body: string;
  connection: number;
}

export interface TargetServer {
  port: number;
  url: string;
  requests: Received[];
  /** Connections accepted so far. */
  connections: number;
  sockets: Socket[];
  /** Resolves when the connection of that number has closed. */
  closed(connection: number): Promise<void>;
}

/** Does with the socket whatever a bad server may do. `nth` counts all requests, from 1. */
export type Behaviour = (socket: Socket, nth: number, request: Received) => void;

/** A server on the level of bytes, on 127.0.0.1, gone when the test is over. */
export async function serve(
  t: TestContext,
  behaviour: Behaviour,
  options: { pem?: string; host?: string; onConnect?: (socket: Socket) => void } = {},
): Promise<TargetServer> {
  const { pem, host = '127.0.0.1', onConnect } = options;
  const open = new Set<Socket>();
  const closings: Promise<void>[] = [];
  const onSocket = (socket: Socket) => {
    const connection = ++target.connections;
    open.add(socket);
    target.sockets.push(socket);
    closings.push(new Promise(resolve => socket.once('close', () => resolve())));
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => {});
    onConnect?.(socket);
    let pending = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      pending += chunk;
      for (let request = take(); request !== null; request = take()) {
        target.requests.push({ ...request, connection });
        behaviour(socket, target.requests.length, target.requests.at(-1)!);
      }
    });
    function take(): { head: string; body: string } | null {
      const end = pending.indexOf('\r\n\r\n');
      if (end === -1) return null;
      const head = pending.slice(0, end);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return null;
      const body = pending.slice(end + 4, end + 4 + length);
      pending = pending.slice(end + 4 + length);
      return { head, body };
    }
  };
  const server: Server =
    pem === undefined
      ? createServer(onSocket)
      : createTlsServer({ key: pem, cert: pem, ALPNProtocols: ['h2', 'http/1.1'] }, onSocket).on(
          'tlsClientError',
          () => {},
        );
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  t.after(async () => {
    for (const socket of open) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  const scheme = pem === undefined ? 'http' : 'https';
  const name = host === '127.0.0.1' ? (pem === undefined ? host : 'localhost') : `[${host}]`;
  const target: TargetServer = {
    port,
    url: `${scheme}://${name}:${port}/`,
    requests: [],
    connections: 0,
    sockets: [],
    closed: connection => closings[connection - 1]!,
  };
  return target;
}

/** An answer in full. */
export function answer(body: string, status = '200 OK', headers: string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** As the settings have them by default. */
export const SENDER_SETTINGS = { connectionsPerOrigin: 128, maxOrigins: 1_000, maxLookups: 32 };

/** A sender that may call loopback addresses; the test fails if it leaves anything open. */
export function sender(t: TestContext, options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({
    allow: parseAllowTargets('127.0.0.0/8, ::1'),
    ...SENDER_SETTINGS,
    ...options,
  });
  t.after(async () => {
    await made.close();
    assert.deepEqual(made.stats(), NOTHING_OPEN);
  });
  return made;
}

export const NOTHING_OPEN = { origins: 0, connections: 0, idle: 0, inFlight: 0, waiting: 0 };

export function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'GET', url, headers: [], body: null, timeoutMs: 10_000, ...more };
}

/** The system's resolver, of which a test wants no part. */
export function names(table: Record<string, string[]>): (hostname: string) => Promise<string[]> {
  return async hostname => {
    const addresses = table[hostname];
    if (addresses !== undefined) return addresses;
    throw Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' });
  };
}

/** The clock that nobody sets, moved by the test alone. Timers go by the real one. */
export function movedClock(t: TestContext) {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  return {
    advance(ms: number) {
      now += ms;
    },
  };
}

/** Sockets, listeners and lookups that are still open; for an `after` of a whole file. */
export async function leftOpen(): Promise<string[]> {
  // A socket that was destroyed is gone after a turn or two.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  return process.getActiveResourcesInfo().filter(kind => /TCP|TLS|AddrInfo/.test(kind));
}

/** The clock of the machine, also for a test that moves its own. */
const realNow = performance.now.bind(performance);

export async function until(isTrue: () => boolean): Promise<void> {
  const startedAt = realNow();
  while (!isTrue()) {
    // Only against a test that hangs for ever.
    assert.ok(realNow() - startedAt < 30_000, 'waited in vain');
    await new Promise(setImmediate);
  }
}
