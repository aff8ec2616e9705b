import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { PunctualError } from '../../domain/errors.ts';

/**
 * Refuses what the parser lets through although RFC 9110 or 9112 forbids it, or although this
 * service cannot do it; Node would answer some of these by itself, without the error object.
 *
 * @throws PunctualError `request_invalid`
 */
export function checkFraming(request: FastifyRequest): void {
  const fault = faultOf(request.raw);
  if (fault !== null) throw new PunctualError('request_invalid', fault);
}

function faultOf(message: IncomingMessage): string | null {
  const { headers, httpVersion } = message;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The request must be HTTP/1.1.';
  const hosts = countOf(message, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !HOST.test(headers.host ?? '')) {
    return 'The request must have one Host header, with the name and port of a host.';
  }
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && (httpVersion !== '1.1' || encoding.toLowerCase() !== 'chunked')) {
    return 'The Transfer-Encoding must be chunked.';
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return 'The Expect header must be 100-continue.';
  }
  if (countOf(message, 'content-type') > 1) return 'There must be one Content-Type header.';
  return null;
}

/** Node keeps the first of these two and drops the others. */
function countOf({ rawHeaders }: IncomingMessage, name: 'host' | 'content-type'): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at]!;
    if (raw.length === name.length && raw.toLowerCase() === name) count++;
  }
  return count;
}

/** uri-host and port (RFC 3986, 3.2.2), which may be empty. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w\-.~!$&'()*+,;=%]*)(?::\d*)?$/;
