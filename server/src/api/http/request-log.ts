import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODE_HEADER } from '../../domain/errors.ts';
import type { ApiDeps, RequestEnded } from '../deps.ts';
import type { RequestAnswer } from './request-answer.ts';

/** The route of an unknown path: paths that callers invent are no routes. */
const NO_ROUTE = 'none';

/**
 * Tells of each request once its answer has ended, and logs it at `debug`.
 *
 * Neither repeats what a caller sent beyond the path of a route that exists: queries may hold secrets, and so
 * may a path that was mistyped.
 */
export function watchRequests(
  app: FastifyInstance,
  deps: Pick<ApiDeps, 'log' | 'routed' | 'requestEnded'>,
): void {
  const { log, routed = () => {}, requestEnded = () => {} } = deps;
  const isLogged = log.isLevelEnabled('debug');
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') routed(each, url);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const response = reply.raw as RequestAnswer;
    response.answered = () => {
      const ended = endOf(request, response);
      requestEnded(ended);
      if (isLogged) log.debug({ ...ended, ...detailsOf(request, reply) }, 'a request was answered');
    };
    done();
  });
}

function endOf(request: FastifyRequest, response: RequestAnswer): RequestEnded {
  return {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    route: (request.is404 ? undefined : request.routeOptions.url) ?? NO_ROUTE,
    status: response.statusCode,
    durationMs: performance.now() - response.startedAt,
  };
}

/** Without the token of a completion: whoever has it needs no key. */
function shownPath({ url, routeOptions }: FastifyRequest): string | undefined {
  const route = routeOptions.url;
  return route?.includes(':token') ? route : url.split('?', 1)[0];
}

function detailsOf(request: FastifyRequest, reply: FastifyReply) {
  const code = reply.getHeader(ERROR_CODE_HEADER);
  const clientId = request.caller?.clientId;
  return {
    ...(!request.is404 && { path: shownPath(request) }),
    address: request.ip,
    ...(clientId !== undefined && { clientId }),
    ...(code !== undefined && { code }),
  };
}
