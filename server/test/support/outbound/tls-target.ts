import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { KeyPair } from './certificates.ts';
import { answer } from './target-server.ts';

export interface TlsTarget {
  url: string;
  /** Of each request: the name in the client's certificate, and which connection it came on. */
  callers: { name: string | undefined; connection: number }[];
}

/** A server that answers each request with the name in the client's certificate. */
export async function serveTls(
  t: TestContext,
  { certificate, key }: KeyPair,
  options: TlsOptions = {},
): Promise<TlsTarget> {
  const target: TlsTarget = { url: '', callers: [] };
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer({ cert: certificate, key, ...options }, socket => {
    connections += 1;
    const connection = connections;
    socket.on('error', () => {});
    socket.on('data', () => {
      const name = nameOf(socket);
      target.callers.push({ name, connection });
      socket.write(answer(name ?? 'nobody'));
    });
  });
  server.on('connection', socket => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(async () => {
    for (const socket of open) socket.destroy();
    await new Promise(done => server.close(done));
  });
  target.url = `https://localhost:${(server.address() as { port: number }).port}/`;
  return target;
}

function nameOf(socket: TLSSocket): string | undefined {
  const { subject } = socket.getPeerCertificate();
  return subject?.CN as string | undefined;
}
