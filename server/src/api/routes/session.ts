import type * as Wire from '@punctual/client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashApiKey, newSessionToken } from '../../domain/access/credential.ts';
import { PunctualError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import type { Caller } from '../../store/contract/keys.ts';
import { callerOf } from '../access/authenticate.ts';
import { sessionCookie } from '../access/session.ts';
import type { ApiDeps } from '../deps.ts';
import { WHO_CALLS } from '../http/failure.ts';
import { EXAMPLE_SESSION } from '../openapi/examples/access.ts';
import { BY_KEY } from '../openapi/operation.ts';
import { Session } from '../openapi/schemas/access.ts';
import { route } from '../route.ts';

export const beginSession = route({
  method: 'POST',
  path: '/v1/session',
  operationId: 'beginSession',
  summary: 'Begin a session: a cookie stands for the key, in a browser',
  description:
    'Takes ClientId and ApiKey; a session cannot begin another one. The cookie counts for requests ' +
    'with a header `Punctual-Session` and without ClientId and ApiKey. It expires after 12 hours, ' +
    'after 30 minutes without use, or when its key is revoked. A request with the value ' +
    '`background` in that header does not count as a use.',
  tag: 'access',
  // One session begins no other one.
  security: [BY_KEY],
  answer: Session,
  example: { answer: EXAMPLE_SESSION },
  handle: deps => async (request, reply) => {
    const caller = callerOf(request);
    // Otherwise whoever has a session for an hour could keep one for ever.
    if (caller.sessionId !== undefined) throw new PunctualError('unauthorized', WHO_CALLS);
    return insertSession(deps, caller, request, reply);
  },
});

export const getSession = route({
  method: 'GET',
  path: '/v1/session',
  operationId: 'getSession',
  summary: 'Get the client of this session or key',
  description: 'Tells the client and the key that this request was made with.',
  tag: 'access',
  answer: Session,
  example: { answer: EXAMPLE_SESSION },
  handle: deps => request => sessionOf(deps, callerOf(request)),
});

/** Outside `/v1`, without ClientId and ApiKey: the token of the link is the proof. */
export function signInByLink(app: FastifyInstance, deps: ApiDeps): void {
  app.post('/sign-in', { schema: { hide: true } }, async (request, reply) => {
    const token = request.headers['punctual-sign-in'];
    const caller = typeof token === 'string' ? deps.signInLink!.take(token) : null;
    if (caller === null) throw new PunctualError('unauthorized', LINK_USED);
    return insertSession(deps, caller, request, reply);
  });
}

const LINK_USED =
  'This link has signed in once, or is too old. Sign in with ClientId and ApiKey, or start again for another link.';

async function insertSession(
  deps: ApiDeps,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Wire.Session> {
  const { store, clock } = deps;
  const token = newSessionToken();
  const now = clock.now();
  const isBegun = await store.sessions.insertSession({
    id: newId(now),
    hash: hashApiKey(token),
    keyId: caller.keyId,
    createdAt: now,
    lastUsedAt: now,
  });
  // The key was revoked while it was still remembered here.
  if (!isBegun) throw new PunctualError('unauthorized', WHO_CALLS);
  reply.header('set-cookie', sessionCookie(request, token));
  return sessionOf(deps, caller);
}

async function sessionOf(
  { store, sampleUrl }: Pick<ApiDeps, 'store' | 'sampleUrl'>,
  { clientId, keyId }: Caller,
): Promise<Wire.Session> {
  const client = await store.clients.findClient(clientId);
  const samples = sampleUrl?.() ?? null;
  return {
    clientId,
    clientName: client?.name ?? '',
    keyId,
    ...(samples !== null && { sampleUrl: samples }),
  };
}
