import type { FastifyInstance } from 'fastify';
import { ERROR_CODE_HEADER, type ErrorCode } from '../../domain/errors.ts';
import { iso } from '../../domain/iso.ts';
import type { ApiDeps } from '../deps.ts';
import { openOperation } from '../openapi/operation.ts';
import { Health } from '../openapi/schemas/time.ts';

export function health(app: FastifyInstance, { readiness }: Pick<ApiDeps, 'readiness'>): void {
  const alive = openOperation({
    operationId: 'getHealth',
    summary: 'Whether the process is alive',
    description:
      'It answers as long as the process does, whatever the store says. For liveness probes.',
    tag: 'service',
    answer: Health,
  });
  app.get('/healthz', { schema: alive }, async () => ({ status: 'ok' }));

  const ready = openOperation(
    {
      operationId: 'getReadiness',
      summary: 'Whether requests can be served',
      description: '503 while the store cannot be used. For readiness probes and balancers.',
      tag: 'service',
      answer: Health,
    },
    503,
  );
  app.get('/readyz', { schema: ready }, async (_request, reply) => {
    const { fault, warning, paused } = await readiness();
    if (fault !== undefined) {
      reply.header(ERROR_CODE_HEADER, 'store_unavailable' satisfies ErrorCode);
      return reply.code(503).send({ error: fault });
    }
    return {
      status: 'ok',
      ...(warning !== undefined && { warning }),
      ...(paused !== undefined && { paused: { ...paused, since: iso(paused.since) } }),
    };
  });
}
