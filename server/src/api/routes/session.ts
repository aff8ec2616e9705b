import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { hashApiKey, newSessionToken } from '../../domain/credential.ts';
import type { Caller } from '../../store/store.ts';
import { type Authenticator, callerOf } from '../authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { Session, SessionEnd } from '../schemas/access.ts';
import { SESSION_SECONDS, sessionCookie, sessionToken } from '../session.ts';

export function sessions(
  app: FastifyInstance,
  { store, clock }: ApiDeps,
  authenticator: Authenticator,
): void {
  const { clients } = store;

  async function sessionOf({ clientId, keyId }: Caller): Promise<Wire.Session> {
    const client = await clients.findClient(clientId);
    return { clientId, clientName: client?.name ?? '', keyId };
  }

  const begin = operation({
    operationId: 'beginSession',
    summary: 'Begin a session: a cookie stands for the key, in a browser',
    description:
      'The cookie counts for requests with a header `Punctual-Session` and without ClientId and ' +
      'ApiKey, for seven days at most, and ends with its key.',
    tag: 'access',
    answer: Session,
  });
  app.post('/session', { schema: begin }, async (request, reply) => {
    const caller = callerOf(request);
    const token = newSessionToken();
    const now = clock.now();
    const expiresAt = now + SESSION_SECONDS * 1_000;
    await clients.insertSession({ hash: hashApiKey(token), keyId: caller.keyId, expiresAt }, now);
    reply.header('set-cookie', sessionCookie(request, token));
    return sessionOf(caller);
  });

  const get = operation({
    operationId: 'getSession',
    summary: 'Whose session or key this is',
    tag: 'access',
    answer: Session,
  });
  app.get('/session', { schema: get }, request => sessionOf(callerOf(request)));

  const end = operation({
    operationId: 'endSession',
    summary: 'End the session of this cookie',
    tag: 'access',
    answer: SessionEnd,
  });
  app.delete('/session', { schema: end }, async (request, reply) => {
    const token = sessionToken(request);
    if (token !== null) {
      await clients.deleteSession(hashApiKey(token));
      authenticator.forget(token);
    }
    reply.header('set-cookie', sessionCookie(request, null));
    return { success: true };
  });
}
