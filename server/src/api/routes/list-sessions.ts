import type * as Wire from '@punctual/client';
import { isSessionLive, SESSION_MS } from '../../domain/access/session.ts';
import { iso } from '../../domain/iso.ts';
import type { Session as StoredSession } from '../../store/contract/sessions.ts';
import { callerOf } from '../access/authenticate.ts';
import { EXAMPLE_LISTED_SESSION } from '../openapi/examples/access.ts';
import { SessionList } from '../openapi/schemas/access.ts';
import { route } from '../route.ts';

/** The most sessions of one client in a list. A client with more can end them all at once. */
const MOST_LISTED = 1_000;

export const listSessions = route({
  method: 'GET',
  path: '/v1/session/list',
  operationId: 'listSessions',
  summary: 'The sessions of this client that have not ended, newest first',
  description: `The newest ${MOST_LISTED}, of all its keys.`,
  tag: 'access',
  answer: SessionList,
  example: { answer: { items: [EXAMPLE_LISTED_SESSION] } },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientId, sessionId } = callerOf(request);
      const now = clock.now();
      const known = await store.sessions.listSessions(clientId, MOST_LISTED);
      const live = known.filter(session => isSessionLive(session, now));
      return { items: live.map(session => listed(session, sessionId)) };
    },
});

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
