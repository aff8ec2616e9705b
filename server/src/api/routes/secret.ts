import type * as Wire from '@punctual/client';
import type { FastifyInstance } from 'fastify';
import { newRotation, overlapRuns, signingStill } from '../../domain/access/rotation.ts';
import { iso } from '../../domain/iso.ts';
import type { Client } from '../../store/contract/clients.ts';
import { callerOf } from '../access/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { operation } from '../openapi/operation.ts';
import { NewSigningSecret, RotationInput, SigningSecret } from '../openapi/schemas/access.ts';

/** A client's signing secret: told of, rotated, and the end of an overlap. */
export function rotateSecret(app: FastifyInstance, { store, clock, engine }: ApiDeps): void {
  const schema = operation({
    operationId: 'rotateSecret',
    summary: 'Make another signing secret for this client; it is shown once',
    description:
      'Until the overlap ends each request and callback carries two signatures, of the new secret ' +
      'and of the old one (`webhook-signature: v1,… v1,…`); receivers take either. A second ' +
      'rotation within an overlap is refused, unless it replaces the new secret.',
    tag: 'access',
    body: RotationInput,
    answer: NewSigningSecret,
  });
  app.post<{ Body: Wire.RotationInput }>('/secret', { schema }, async request => {
    const { clientId, clientRowId } = callerOf(request);
    const { overlapSeconds, replaceNew } = request.body;
    const rotation = newRotation(clock.now(), overlapSeconds, replaceNew);
    const isDone = await store.clients.rotateSecret(clientId, rotation);
    if (isDone) engine.rotated(clientRowId);
    const client = (await store.clients.findClient(clientId))!;
    if (!isDone) {
      const ways = 'end that overlap (DELETE /v1/secret/overlap), or ask for replaceNew';
      throw overlapRuns(client.oldSecret?.until, ways);
    }
    return { ...secretAnswer(client, clock.now()), signingSecret: rotation.signingSecret };
  });
}

export function secretAndItsOverlap(app: FastifyInstance, deps: ApiDeps): void {
  const { store, clock, engine } = deps;
  const get = operation({
    operationId: 'getSecret',
    summary: 'Since when this client has its signing secret, and how long the old one is used too',
    description: 'The secret itself is shown only when it is made.',
    tag: 'access',
    answer: SigningSecret,
  });
  app.get('/secret', { schema: get }, async request => {
    const client = await store.clients.findClient(callerOf(request).clientId);
    return secretAnswer(client!, clock.now());
  });

  const end = operation({
    operationId: 'endOverlap',
    summary: 'End the overlap now: the old secret signs nothing any more',
    description:
      'Requests carry one signature from now on. Where no overlap lasts, nothing changes.',
    tag: 'access',
    answer: SigningSecret,
  });
  app.delete('/secret/overlap', { schema: end }, async request => {
    const { clientId, clientRowId } = callerOf(request);
    if (await store.clients.endOverlap(clientId)) engine.rotated(clientRowId);
    return secretAnswer((await store.clients.findClient(clientId))!, clock.now());
  });
}

function secretAnswer({ createdAt, rotatedAt, oldSecret }: Client, now: number) {
  const answer: Wire.SigningSecret = { createdAt: iso(rotatedAt ?? createdAt) };
  const old = signingStill(oldSecret, now);
  return old === undefined ? answer : { ...answer, overlapEndsAt: iso(old.until) };
}
