import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real server that answers as it is told, and remembers what it was asked. */
export async function serverOf(...answers: RequestListener[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.push(request), answers.length) - 1]!;
    answer(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const cut: RequestListener = request => request.socket.destroy();
export const silent: RequestListener = () => {};
