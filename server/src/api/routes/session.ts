import type * as Wire from '@punctual/client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashApiKey, newSessionToken } from '../../domain/access/credential.ts';
import { isSessionLive, SESSION_MS } from '../../domain/access/session.ts';
import { PunctualError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import { iso } from '../../domain/iso.ts';
import type { Caller, Session as StoredSession } from '../../store/contract/clients.ts';
import type { Store } from '../../store/contract/store.ts';
import { type Authenticator, callerOf } from '../access/authenticate.ts';
import { sessionCookie } from '../access/session.ts';
import type { ApiDeps } from '../deps.ts';
import { WHO_CALLS } from '../http/failure.ts';
import { BY_KEY, operation } from '../openapi/operation.ts';
import { Session, SessionEnd, SessionEndQuery, SessionList } from '../openapi/schemas/access.ts';
import { SESSION_ID } from './params.ts';

/** Of one client, in a list. Whoever has more ends them all at once. */
const MOST_LISTED = 1_000;

export function sessions(app: FastifyInstance, deps: ApiDeps, authenticator: Authenticator): void {
  beginAndGetSession(app, deps);
  listSessions(app, deps);
  endSessions(app, deps, authenticator);
}

/** Outside `/v1`, without ClientId and ApiKey: the token of the link is the proof. */
export function signInByLink(app: FastifyInstance, deps: ApiDeps): void {
  app.post('/sign-in', { schema: { hide: true } }, async (request, reply) => {
    const token = request.headers['punctual-sign-in'];
    const caller = typeof token === 'string' ? deps.signInLink!.take(token) : null;
    if (caller === null) throw new PunctualError('unauthorized', LINK_USED);
    return beginSession(deps, caller, request, reply);
  });
}

const LINK_USED = 'This link has signed in once, or is too old: sign in with ClientId and ApiKey.';

async function beginSession(
  { store, clock }: ApiDeps,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Wire.Session> {
  const token = newSessionToken();
  const now = clock.now();
  const isBegun = await store.clients.insertSession({
    id: newId(now),
    hash: hashApiKey(token),
    keyId: caller.keyId,
    createdAt: now,
    lastUsedAt: now,
  });
  // The key was revoked while it was still remembered here.
  if (!isBegun) throw new PunctualError('unauthorized', WHO_CALLS);
  reply.header('set-cookie', sessionCookie(request, token));
  return sessionOf(store, caller);
}

async function sessionOf({ clients }: Store, { clientId, keyId }: Caller): Promise<Wire.Session> {
  const client = await clients.findClient(clientId);
  return { clientId, clientName: client?.name ?? '', keyId };
}

function beginAndGetSession(app: FastifyInstance, deps: ApiDeps): void {
  const begin = {
    ...operation({
      operationId: 'beginSession',
      summary: 'Begin a session: a cookie stands for the key, in a browser',
      description:
        'Takes ClientId and ApiKey; a session begins no other one. The cookie counts for requests with ' +
        'a header `Punctual-Session` and without ClientId and ApiKey: for 12 hours at most, until it ' +
        'has not been used for 30 minutes, or until its key is revoked. Where the value of the header ' +
        'is `background`, the request does not count as a use.',
      tag: 'access',
      answer: Session,
    }),
    // One session begins no other one.
    security: [BY_KEY],
  };
  app.post('/session', { schema: begin }, async (request, reply) => {
    const caller = callerOf(request);
    // Otherwise whoever has a session for an hour could keep one for ever.
    if (caller.sessionId !== undefined) throw new PunctualError('unauthorized', WHO_CALLS);
    return beginSession(deps, caller, request, reply);
  });

  const get = operation({
    operationId: 'getSession',
    summary: 'Whose session or key this is',
    description: 'Tells the client and the key that this request was made with.',
    tag: 'access',
    answer: Session,
  });
  app.get('/session', { schema: get }, request => sessionOf(deps.store, callerOf(request)));
}

function listSessions(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const list = operation({
    operationId: 'listSessions',
    summary: 'The sessions of this client that have not ended, newest first',
    description: `The newest ${MOST_LISTED}, of all its keys.`,
    tag: 'access',
    answer: SessionList,
  });
  app.get('/session/list', { schema: list }, async request => {
    const { clientId, sessionId } = callerOf(request);
    const now = clock.now();
    const known = await store.clients.listSessions(clientId, MOST_LISTED);
    const live = known.filter(session => isSessionLive(session, now));
    return { items: live.map(session => listed(session, sessionId)) };
  });
}

function listed(session: StoredSession, own: string | undefined): Wire.ListedSession {
  const { id, keyId, createdAt, lastUsedAt } = session;
  return {
    id,
    keyId,
    createdAt: iso(createdAt),
    lastUsedAt: iso(lastUsedAt),
    expiresAt: iso(createdAt + SESSION_MS),
    isCurrent: id === own,
  };
}

function endSessions(app: FastifyInstance, { store }: ApiDeps, authenticator: Authenticator): void {
  async function end(clientId: string, id?: string): Promise<boolean> {
    const ended = await store.clients.endSessions(clientId, id);
    authenticator.forget(ended);
    return ended.length > 0;
  }

  const endOwn = operation({
    operationId: 'endSession',
    summary: 'End the session of this cookie, or all sessions of this client',
    description: 'The cookie is taken away. Where there is no session, nothing changes.',
    tag: 'access',
    query: SessionEndQuery,
    answer: SessionEnd,
  });
  app.delete<{ Querystring: Wire.SessionEndQuery }>(
    '/session',
    { schema: endOwn },
    async (request, reply) => {
      const { clientId, sessionId } = callerOf(request);
      if (request.query.all === 'true') await end(clientId);
      else if (sessionId !== undefined) await end(clientId, sessionId);
      reply.header('set-cookie', sessionCookie(request, null));
      return { success: true };
    },
  );

  const endOne = operation({
    operationId: 'endOneSession',
    summary: 'End one session of this client: it stops counting within 5 seconds',
    description: 'A session of another client is a 404.',
    tag: 'access',
    params: SESSION_ID,
    answer: SessionEnd,
  });
  app.delete<{ Params: { sessionId: string } }>(
    '/session/:sessionId',
    { schema: endOne },
    async request => {
      const { clientId } = callerOf(request);
      if (await end(clientId, request.params.sessionId)) return { success: true };
      throw new PunctualError('not_found', 'There is no session with this id.');
    },
  );
}
