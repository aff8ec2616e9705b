import { type IncomingMessage, ServerResponse } from 'node:http';
import { STANDING_HEADERS } from './security-headers.ts';
import { readUnreadBody } from './unread-body.ts';

/**
 * The answer to a request, as the listener makes it. It does by itself what else takes headers set ahead and listeners
 * for each answer.
 *
 * Guarantee: every answer has the standing headers; a route that says otherwise wins.
 */
export class RequestAnswer extends ServerResponse<IncomingMessage> {
  readonly startedAt = performance.now();
  /** Called once, when the whole answer has been handed to the connection. */
  answered: () => void = () => {};

  override writeHead(status: number, ...rest: unknown[]): this {
    const headers = rest.at(-1);
    // Node writes headers that come with the status as they are, and copies those that were set before.
    if (isHeaders(headers) && this.getHeaderNames().length === 0) {
      for (const name of STANDING) headers[name] ??= STANDING_HEADERS[name];
    } else {
      for (const name of STANDING) {
        if (!this.hasHeader(name)) this.setHeader(name, STANDING_HEADERS[name]);
      }
    }
    return super.writeHead(status, ...(rest as []));
  }

  override end(...args: unknown[]): this {
    if (this.writableEnded) return super.end(...(args as []));
    if (!this.req.complete) readUnreadBody(this.req, this);
    super.end(...(args as []));
    this.answered();
    return this;
  }
}

const STANDING = Object.keys(STANDING_HEADERS) as (keyof typeof STANDING_HEADERS)[];

/** Names in lower case, as Fastify has them. */
function isHeaders(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
