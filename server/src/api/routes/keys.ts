import type * as Wire from '@punctual/client';
import { hashApiKey, newApiKey } from '../../domain/access/credential.ts';
import { PunctualError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import { iso } from '../../domain/iso.ts';
import type { ApiKey } from '../../store/contract/keys.ts';
import { callerOf } from '../access/authenticate.ts';
import { WHO_CALLS } from '../http/failure.ts';
import { EXAMPLE_API_KEY, EXAMPLE_KEY } from '../openapi/examples/access.ts';
import { KeyInput, KeyList, NewKey, RevokedKey, RevokeQuery } from '../openapi/schemas/access.ts';
import { route } from '../route.ts';

export const createKey = route({
  method: 'POST',
  path: '/v1/key',
  operationId: 'createKey',
  summary: 'Make another key for this client; it is shown once',
  description:
    'It remembers the key that made it (`createdBy`): the one that the session began with.',
  tag: 'access',
  body: KeyInput,
  answer: NewKey,
  example: {
    body: { name: 'deploy pipeline' },
    answer: { ...EXAMPLE_KEY, apiKey: EXAMPLE_API_KEY },
  },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientId, keyId } = callerOf(request);
      const createdAt = clock.now();
      const apiKey = newApiKey();
      const key: ApiKey = {
        id: newId(createdAt),
        clientId,
        hash: hashApiKey(apiKey),
        name: request.body.name,
        createdAt,
        createdBy: keyId,
      };
      // The key that makes it was revoked while it was still remembered here.
      if (!(await store.keys.insertKey(key))) throw new PunctualError('unauthorized', WHO_CALLS);
      return { ...keyAnswer(key), apiKey };
    },
});

export const listKeys = route({
  method: 'GET',
  path: '/v1/key',
  operationId: 'listKeys',
  summary: 'The keys of this client, oldest first, revoked ones included',
  description: 'Keys are told without their text: only a hash of it is stored.',
  tag: 'access',
  answer: KeyList,
  example: { answer: { items: [EXAMPLE_KEY] } },
  handle:
    ({ store }) =>
    async request => {
      const keys = await store.keys.listKeys(callerOf(request).clientId);
      return { items: keys.map(keyAnswer) };
    },
});

export const revokeKey = route({
  method: 'DELETE',
  path: '/v1/key/:keyId',
  operationId: 'revokeKey',
  summary: 'Revoke a key: it and its sessions stop working within 5 seconds',
  description:
    'With `descendants=true` all keys that came of it are revoked too: those that were made with it, ' +
    'with these, and so on, and their sessions. Also where it was revoked before.',
  tag: 'access',
  query: RevokeQuery,
  answer: RevokedKey,
  example: {
    query: { descendants: 'true' },
    answer: {
      ...EXAMPLE_KEY,
      revokedAt: '2026-06-01T09:00:00.000Z',
      descendants: [],
    },
  },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientId } = callerOf(request);
      const { keyId } = request.params;
      const withDescendants = request.query.descendants === 'true';
      const revocation = { revokedAt: clock.now(), withDescendants };
      const revoked = await store.keys.revokeKey(clientId, keyId, revocation);
      if (revoked.length === 0) {
        throw new PunctualError('not_found', 'There is no key with this id.');
      }
      const keys = await store.keys.listKeys(clientId);
      const key = keyAnswer(keys.find(({ id }) => id === keyId)!);
      const descendants = revoked.filter(id => id !== keyId).sort();
      return withDescendants ? { ...key, descendants } : key;
    },
});

function keyAnswer({ id, name, createdAt, createdBy, revokedAt }: ApiKey): Wire.Key {
  return {
    id,
    ...(name !== undefined && { name }),
    createdAt: iso(createdAt),
    ...(createdBy !== undefined && { createdBy }),
    ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
  };
}
