import type { FastifyInstance } from 'fastify';

/**
 * The target of `punctual dev`, so that a first firing needs nothing else: it answers 200 with what
 * it was sent. Not part of the interface, and not there in production.
 */
export function echo(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, body: string) => body);
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/echo',
    schema: { hide: true },
    handler: async ({ method, url, headers, body }) => ({
      method,
      url,
      headers,
      body: body ?? '',
    }),
  });
}
