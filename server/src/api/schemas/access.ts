import Type from 'typebox';
import { MOST_OVERLAP_SECONDS, USUAL_OVERLAP_SECONDS } from '../../domain/rotation.ts';
import { closed, Id, Instant, named, oneOf, ref } from './fields.ts';

/** Sessions of the dashboard, keys, and the signing secret. */

export const Session = named(
  'Session',
  Type.Object({
    clientId: Type.String(),
    clientName: Type.String(),
    keyId: Type.String({ description: 'The key that it was begun with, and ends with.' }),
  }),
);

export const SessionEnd = named('SessionEnd', Type.Object({ success: Type.Boolean() }));

/** A query parameter that is set or not. */
const flag = (description: string) => Type.Optional(oneOf(['true', 'false'], { description }));

export const SessionEndQuery = Type.Object({
  all: flag('All sessions of this client: sign out everywhere.'),
});

export const ListedSession = named(
  'ListedSession',
  Type.Object({
    id: Id('The session.'),
    keyId: Type.String({ description: 'The key that it was begun with, and ends with.' }),
    createdAt: Instant('When it began.'),
    lastUsedAt: Instant('When it was used last, to the minute.'),
    expiresAt: Instant('When it ends at the latest; 30 minutes without a use end it sooner.'),
    isCurrent: Type.Boolean({ description: 'Whether this request was made in it.' }),
  }),
);

export const SessionList = named(
  'SessionList',
  Type.Object({ items: Type.Array(ref(ListedSession)) }),
);

export const KeyInput = named(
  'KeyInput',
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
);

const key = {
  id: Id('The key.'),
  name: Type.Optional(Type.String()),
  createdAt: Instant('When it was made.'),
  createdBy: Type.Optional(
    Type.String({ description: 'The id of the key that made it; absent where an operator did.' }),
  ),
  revokedAt: Type.Optional(Instant('When it was revoked.')),
};

export const Key = named('Key', Type.Object(key));

export const NewKey = named(
  'NewKey',
  Type.Object({ ...key, apiKey: Type.String({ description: 'Shown once.' }) }),
);

export const RevokeQuery = Type.Object({
  descendants: flag('Whether all keys that came of it are revoked too.'),
});

export const RevokedKey = named(
  'RevokedKey',
  Type.Object({
    ...key,
    descendants: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Where they were asked for: the ids of the keys that came of it.',
      }),
    ),
  }),
);

export const KeyList = named('KeyList', Type.Object({ items: Type.Array(ref(Key)) }));

export const RotationInput = named(
  'RotationInput',
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
    closed,
  ),
);

const signingSecret = {
  createdAt: Instant('Since when requests are signed with it.'),
  overlapEndsAt: Type.Optional(
    Instant('Until when the old secret signs too; absent where it does not.'),
  ),
};

export const SigningSecret = named('SigningSecret', Type.Object(signingSecret));

export const NewSigningSecret = named(
  'NewSigningSecret',
  Type.Object({
    ...signingSecret,
    signingSecret: Type.String({ description: 'Shown once: `whsec_` and base64.' }),
  }),
);
