import { ERROR_CODE_HEADER, type ErrorCode } from '../../domain/errors.ts';
import { iso } from '../../domain/iso.ts';
import type { ApiDeps } from '../deps.ts';
import { Health } from '../openapi/schemas/time.ts';
import { route } from '../route.ts';

export const getHealth = route({
  method: 'GET',
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process is alive',
  description:
    'It answers as long as the process does, whatever the store says. For liveness probes.',
  tag: 'service',
  answer: Health,
  example: { answer: { status: 'ok' } },
  handle: (_: object) => async () => ({ status: 'ok' }),
});

export const getReadiness = route({
  method: 'GET',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether requests can be served',
  description: '503 while the store cannot be used. For readiness probes and balancers.',
  tag: 'service',
  answer: Health,
  statuses: [503],
  example: { answer: { status: 'ok' } },
  handle:
    ({ readiness }: Pick<ApiDeps, 'readiness'>) =>
    async (_request, reply) => {
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
    },
});
