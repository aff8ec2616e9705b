import type * as Wire from '@punctual/client';
import { newRotation, overlapRuns, signingStill } from '../../domain/access/rotation.ts';
import { iso } from '../../domain/iso.ts';
import type { Client } from '../../store/contract/clients.ts';
import { callerOf } from '../access/authenticate.ts';
import { EXAMPLE_SECRET, EXAMPLE_SIGNING_SECRET } from '../openapi/examples/access.ts';
import { NewSigningSecret, RotationInput, SigningSecret } from '../openapi/schemas/access.ts';
import { route } from '../route.ts';

export const rotateSecret = route({
  method: 'POST',
  path: '/v1/secret',
  operationId: 'rotateSecret',
  summary: 'Make another signing secret for this client; it is shown once',
  description:
    'Until the overlap ends each request and callback carries two signatures, of the new secret ' +
    'and of the old one (`webhook-signature: v1,… v1,…`); receivers take either. A second ' +
    'rotation within an overlap is refused, unless it replaces the new secret.',
  tag: 'access',
  body: RotationInput,
  answer: NewSigningSecret,
  example: {
    body: { overlapSeconds: 86_400 },
    answer: { ...EXAMPLE_SECRET, signingSecret: EXAMPLE_SIGNING_SECRET },
  },
  handle:
    ({ store, clock, engine }) =>
    async request => {
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
    },
});

export const getSecret = route({
  method: 'GET',
  path: '/v1/secret',
  operationId: 'getSecret',
  summary: 'Since when this client has its signing secret, and how long the old one is used too',
  description: 'The secret itself is shown only when it is made.',
  tag: 'access',
  answer: SigningSecret,
  example: { answer: EXAMPLE_SECRET },
  handle:
    ({ store, clock }) =>
    async request => {
      const client = await store.clients.findClient(callerOf(request).clientId);
      return secretAnswer(client!, clock.now());
    },
});

export const endOverlap = route({
  method: 'DELETE',
  path: '/v1/secret/overlap',
  operationId: 'endOverlap',
  summary: 'End the overlap now: the old secret signs nothing any more',
  description: 'Requests carry one signature from now on. Without an overlap, nothing changes.',
  tag: 'access',
  answer: SigningSecret,
  example: { answer: { createdAt: EXAMPLE_SECRET.createdAt } },
  handle:
    ({ store, clock, engine }) =>
    async request => {
      const { clientId, clientRowId } = callerOf(request);
      await store.clients.endOverlap(clientId);
      // A command may have ended it before, or deleted the client, and told no engine.
      engine.rotated(clientRowId);
      return secretAnswer((await store.clients.findClient(clientId))!, clock.now());
    },
});

function secretAnswer({ createdAt, rotatedAt, oldSecret }: Client, now: number) {
  const answer: Wire.SigningSecret = { createdAt: iso(rotatedAt ?? createdAt) };
  const old = signingStill(oldSecret, now);
  return old === undefined ? answer : { ...answer, overlapEndsAt: iso(old.until) };
}
