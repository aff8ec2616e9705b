import { PunctualError } from '../../domain/errors.ts';
import { callerOf } from '../access/authenticate.ts';
import { sessionCookie } from '../access/session.ts';
import { SessionEnd, SessionEndQuery } from '../openapi/schemas/access.ts';
import { type EndpointDeps, route } from '../route.ts';

export const endSession = route({
  method: 'DELETE',
  path: '/v1/session',
  operationId: 'endSession',
  summary: 'End the session of this cookie, or all sessions of this client',
  description: 'Removes the cookie. Without a session, nothing changes.',
  tag: 'access',
  query: SessionEndQuery,
  answer: SessionEnd,
  example: { query: { all: 'true' }, answer: { success: true } },
  handle: deps => async (request, reply) => {
    const { clientId, sessionId } = callerOf(request);
    if (request.query.all === 'true') await end(deps, clientId);
    else if (sessionId !== undefined) await end(deps, clientId, sessionId);
    reply.header('set-cookie', sessionCookie(request, null));
    return { success: true };
  },
});

export const endOneSession = route({
  method: 'DELETE',
  path: '/v1/session/:sessionId',
  operationId: 'endOneSession',
  summary: 'End one session of this client: it stops counting within 5 seconds',
  description: 'A session of another client is a 404.',
  tag: 'access',
  answer: SessionEnd,
  example: { answer: { success: true } },
  handle: deps => async request => {
    const { clientId } = callerOf(request);
    if (await end(deps, clientId, request.params.sessionId)) return { success: true };
    throw new PunctualError('not_found', 'There is no session with this id.');
  },
});

/** @param id left out: all sessions of the client */
async function end(
  { store, authenticator }: EndpointDeps,
  clientId: string,
  id?: string,
): Promise<boolean> {
  const ended = await store.sessions.endSessions(clientId, id);
  authenticator.forget(ended);
  return ended.length > 0;
}
