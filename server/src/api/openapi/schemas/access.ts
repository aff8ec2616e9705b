import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { MOST_OVERLAP_SECONDS, USUAL_OVERLAP_SECONDS } from '../../../domain/access/rotation.ts';
import { closed, Id, Instant, named, oneOf, proven, ref } from './fields.ts';

/** Sessions of the dashboard, keys, and the signing secret. */

export const Session = named<Wire.Session>('Session')(
  Type.Object(
    {
      clientId: Type.String({ description: 'The client that makes these requests.' }),
      clientName: Type.String({ description: 'As the operator has named it.' }),
      keyId: Type.String({ description: 'The key that it was begun with, and ends with.' }),
      sampleUrl: Type.Optional(
        Type.String({
          description:
            'Below it the sample targets `healthy`, `flaky` and `hanging` answer; absent where the service is not `punctual dev`.',
        }),
      ),
    },
    { description: 'The caller of this request.' },
  ),
);

export const SessionEnd = named<Wire.SessionEnd>('SessionEnd')(
  Type.Object(
    { success: Type.Boolean({ description: 'Always true.' }) },
    { description: 'The session or sessions have ended.' },
  ),
);

/** A query parameter that is set or not. */
const flag = (description: string) => Type.Optional(oneOf(['true', 'false'], { description }));

export const SessionEndQuery = proven<Wire.SessionEndQuery>()(
  Type.Object({
    all: flag('All sessions of this client: sign out everywhere.'),
  }),
);

export const ListedSession = named<Wire.ListedSession>('ListedSession')(
  Type.Object(
    {
      id: Id('The session.'),
      keyId: Type.String({ description: 'The key that it was begun with, and ends with.' }),
      createdAt: Instant('When it began.'),
      lastUsedAt: Instant('When it was used last, to the minute.'),
      expiresAt: Instant('When it ends at the latest; 30 minutes without a use end it sooner.'),
      isCurrent: Type.Boolean({ description: 'Whether this request was made in it.' }),
    },
    { description: 'A session that has not ended.' },
  ),
);

export const SessionList = named<Wire.SessionList>('SessionList')(
  Type.Object(
    { items: Type.Array(ref(ListedSession), { description: 'Newest first.' }) },
    { description: 'Sessions that have not ended.' },
  ),
);

export const KeyInput = named<Wire.KeyInput>('KeyInput')(
  Type.Object(
    {
      name: Type.String({ description: 'Says what the key is for.', minLength: 1, maxLength: 200 }),
    },
    { ...closed, description: 'A key to make.' },
  ),
);

const key = {
  id: Id('The key.'),
  name: Type.Optional(Type.String({ description: 'The purpose of the key.' })),
  createdAt: Instant('When it was made.'),
  createdBy: Type.Optional(
    Type.String({ description: 'The id of the key that made it; absent where an operator did.' }),
  ),
  revokedAt: Type.Optional(Instant('When it was revoked.')),
};

export const Key = named<Wire.Key>('Key')(
  Type.Object(key, { description: 'An API key, without its text.' }),
);

export const NewKey = named<Wire.NewKey>('NewKey')(
  Type.Object(
    { ...key, apiKey: Type.String({ description: 'Shown once.' }) },
    { description: 'A key that was made just now.' },
  ),
);

export const RevokeQuery = proven<Wire.RevokeQuery>()(
  Type.Object({
    descendants: flag('Whether all keys that came of it are revoked too.'),
  }),
);

export const RevokedKey = named<Wire.RevokedKey>('RevokedKey')(
  Type.Object(
    {
      ...key,
      descendants: Type.Optional(
        Type.Array(Type.String({ description: 'The id of a key.' }), {
          description: 'The ids of the descendant keys, if the query asked for them.',
        }),
      ),
    },
    { description: 'A key that is revoked.' },
  ),
);

export const KeyList = named<Wire.KeyList>('KeyList')(
  Type.Object(
    { items: Type.Array(ref(Key), { description: 'Oldest first.' }) },
    { description: 'All keys of the client.' },
  ),
);

export const RotationInput = named<Wire.RotationInput>('RotationInput')(
  Type.Object(
    {
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_OVERLAP_SECONDS,
          default: USUAL_OVERLAP_SECONDS,
          description: 'How long the old secret signs too; 0: no more from now on.',
        }),
      ),
      replaceNew: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Within an overlap: the secret made last is thrown away, and the old one stays; as ' +
            'where the answer with it was lost.',
        }),
      ),
    },
    { ...closed, description: 'How a signing secret is to be replaced.' },
  ),
);

const signingSecret = {
  createdAt: Instant('Since when requests are signed with it.'),
  overlapEndsAt: Type.Optional(
    Instant('Until when the old secret signs too; absent where it does not.'),
  ),
};

export const SigningSecret = named<Wire.SigningSecret>('SigningSecret')(
  Type.Object(signingSecret, { description: 'The signing secret, without its text.' }),
);

export const NewSigningSecret = named<Wire.NewSigningSecret>('NewSigningSecret')(
  Type.Object(
    {
      ...signingSecret,
      signingSecret: Type.String({ description: 'Shown once: `whsec_` and base64.' }),
    },
    { description: 'A signing secret that was made just now.' },
  ),
);
