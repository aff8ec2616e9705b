import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { PunctualClient } from '../../../client/src/index.ts';
import { emptyFolder, type Running } from '../../../server/test/support/service/command.ts';

/** `punctual dev` as a user starts it, which can be stopped and started again where it was. */
export async function startPunctual(
  context: TestContext,
  environment: Record<string, string> = {},
) {
  const folder = emptyFolder(context);
  const start = (port = '0', more = {}) =>
    folder.start(['dev', '--json'], /"apiKey"/, { PORT: port, ...environment, ...more });
  let running: Running = await start();
  const { url, clientId, apiKey } = JSON.parse(running.out()) as Record<string, string>;
  const credentials = { clientId: clientId!, apiKey: apiKey! };
  return {
    url: url!,
    /** In which it keeps its data. */
    folder: folder.path,
    credentials,
    client: new PunctualClient({ baseUrl: url!, ...credentials }),
    stop: () => running.stop(),
    async startAgain(environment: Record<string, string> = {}) {
      running = await start(new URL(url!).port, environment);
    },
    pause: () => folder.run(['pause']),
    resume: () => folder.run(['resume']),
    async createClient(name: string) {
      const { out } = await folder.run(['client', 'create', '--name', name, '--json']);
      return JSON.parse(out) as { clientId: string; apiKey: string };
    },
    revoke: (keyId: string) => folder.run(['key', 'revoke', keyId]),
  };
}

export interface Target {
  url: string;
  /** What it answers from now on; 0: it hangs up. */
  status: number;
  arrivals: { method: string; headers: NodeJS.Dict<string | string[]>; body: string }[];
}

/** What schedules call: well or broken, as the test says. */
export async function startTarget(context: TestContext): Promise<Target> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    target.arrivals.push({ method: request.method!, headers: request.headers, body });
    if (target.status === 0) {
      request.socket.destroy();
      return;
    }
    response.writeHead(target.status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(target.status < 300 ? { ok: true } : { error: 'out of ink' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const target: Target = { url: `http://127.0.0.1:${port}/print`, status: 200, arrivals: [] };
  return target;
}
