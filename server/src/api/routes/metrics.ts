import type { ApiDeps } from '../deps.ts';
import { page } from '../route.ts';

/** In the text format of Prometheus, not JSON. */
export const metrics = page(
  '/metrics',
  ({ metricsText }: Pick<ApiDeps, 'metricsText'>) =>
    async (_request, reply) => {
      const { contentType, body } = await metricsText();
      return reply.type(contentType).send(body);
    },
);
