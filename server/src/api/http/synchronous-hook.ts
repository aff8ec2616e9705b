import type { FastifyRequest, onRequestHookHandler } from 'fastify';

/**
 * A check as a hook that goes on at once. Each hook that returns a promise costs a request 1 to 2 µs,
 * and there are half a dozen on its way.
 *
 * @param check throws what is to be answered
 */
export function synchronousHook(check: (request: FastifyRequest) => void): onRequestHookHandler {
  return (request, _reply, done) => {
    check(request);
    done();
  };
}
