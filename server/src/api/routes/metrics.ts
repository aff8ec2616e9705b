import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';

/** In the text format of Prometheus; which is not JSON, and so not in the document. */
export function metrics(app: FastifyInstance, { metricsText }: Pick<ApiDeps, 'metricsText'>): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    const { contentType, body } = await metricsText();
    return reply.type(contentType).send(body);
  });
}
