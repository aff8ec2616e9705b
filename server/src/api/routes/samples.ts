import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { SAMPLE_TARGETS } from '../../sample-targets.ts';

/**
 * The sample targets of `punctual dev`: one is healthy, one flaky, and one hangs. Not part of the interface, and
 * not there in production.
 *
 * Guarantee: a request that hangs is answered when the service stops, so that the stop does not wait for it.
 */
export function samples(app: FastifyInstance): void {
  const hanging = new Set<ServerResponse>();
  app.addHook('preClose', async () => {
    for (const response of hanging) {
      response.writeHead(503, { 'Content-Type': 'application/json' });
      response.end('{"error":"The service stopped."}');
    }
  });
  for (const [name, answerTo] of Object.entries(SAMPLE_TARGETS)) {
    app.get(`/sample/${name}`, { schema: { hide: true } }, (request, reply) => {
      const { headers } = request;
      const scheduledFor = Date.parse(String(headers['punctual-scheduled-for']));
      const answer = answerTo(scheduledFor, Number(headers['punctual-attempt'] ?? 1));
      if (answer !== null)
        return reply.code(answer.status).type('application/json').send(answer.body);
      const response = reply.hijack().raw;
      hanging.add(response);
      response.once('close', () => hanging.delete(response));
    });
  }
}
