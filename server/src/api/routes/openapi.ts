import type { FastifyInstance } from 'fastify';

export function openapi(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
