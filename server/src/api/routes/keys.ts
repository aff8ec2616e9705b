import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { hashApiKey, newApiKey } from '../../domain/credential.ts';
import { PunctualError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import { iso } from '../../domain/iso.ts';
import type { ApiKey } from '../../store/store.ts';
import { callerOf } from '../authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { Key, KeyInput, KeyList, NewKey } from '../schemas/access.ts';
import { KEY_ID } from './params.ts';

/** A client's own keys. */
export function createKey(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const schema = operation({
    operationId: 'createKey',
    summary: 'Make another key for this client; it is shown once',
    tag: 'access',
    body: KeyInput,
    answer: NewKey,
  });
  app.post<{ Body: Wire.KeyInput }>('/key', { schema }, async request => {
    const createdAt = clock.now();
    const apiKey = newApiKey();
    const key: ApiKey = {
      id: newId(createdAt),
      clientId: callerOf(request).clientId,
      hash: hashApiKey(apiKey),
      name: request.body.name,
      createdAt,
    };
    await store.clients.insertKey(key);
    return { ...keyAnswer(key), apiKey };
  });
}

export function listAndRevokeKeys(app: FastifyInstance, { store, clock }: ApiDeps): void {
  const list = operation({
    operationId: 'listKeys',
    summary: 'The keys of this client, oldest first, revoked ones included',
    tag: 'access',
    answer: KeyList,
  });
  app.get('/key', { schema: list }, async request => {
    const keys = await store.clients.listKeys(callerOf(request).clientId);
    return { items: keys.map(keyAnswer) };
  });

  const revoke = operation({
    operationId: 'revokeKey',
    summary: 'Revoke a key: it and its sessions stop working within 5 seconds',
    tag: 'access',
    params: KEY_ID,
    answer: Key,
  });
  app.delete<{ Params: { keyId: string } }>('/key/:keyId', { schema: revoke }, async request => {
    const { clientId } = callerOf(request);
    const find = async () =>
      (await store.clients.listKeys(clientId)).find(({ id }) => id === request.params.keyId);
    if ((await find()) === undefined) {
      throw new PunctualError('not_found', 'There is no key with this id.');
    }
    await store.clients.revokeKey(request.params.keyId, clock.now());
    return keyAnswer((await find())!);
  });
}

function keyAnswer({ id, name, createdAt, revokedAt }: ApiKey): Wire.Key {
  return {
    id,
    ...(name !== undefined && { name }),
    createdAt: iso(createdAt),
    ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
  };
}
