import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface EchoTarget {
  url: string;
  /** The headers of each request. */
  requests: IncomingHttpHeaders[];
  /** The status of the answers. */
  status: number;
}

/**
 * A target that answers with all headers of its request: in a header, in parts, in a location, as JSON, and once more
 * across the end of the 4 KiB that history keeps.
 */
export async function echoTarget(t: TestContext): Promise<EchoTarget> {
  const target: EchoTarget = { url: '', requests: [], status: 200 };
  const server = createServer((request, response) => {
    request.resume();
    target.requests.push(request.headers);
    const { authorization = '', 'x-api-key': key = '' } = request.headers;
    const lines = JSON.stringify(request.rawHeaders);
    const filler = ' '.repeat(Math.max(0, 4_096 - lines.length - 30 - authorization.length / 2));
    response.writeHead(target.status, {
      'X-Echo': `${authorization} ${key}`,
      'X-Parts': partsOf(request.headers).join(' | '),
      Location: `https://example.com/?a=${encodeURIComponent(authorization)}`,
      'Set-Cookie': `echo=${encodeURIComponent(authorization)}; Path=/`,
    });
    response.end(`${lines}${filler}${authorization}${key}`);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  target.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return target;
}

/** What a target may read of a cookie and of a header with a scheme, each on its own. */
function partsOf({ cookie = '', 'x-upstream': upstream = '' }: IncomingHttpHeaders): string[] {
  return `${cookie};${upstream}`.split(/[;\s=]+/);
}
