import Type from 'typebox';
import { closed, Id, Instant, named, ref } from './fields.ts';

/** Sessions of the dashboard, and keys. */

export const Session = named(
  'Session',
  Type.Object({
    clientId: Type.String(),
    clientName: Type.String(),
    keyId: Type.String({ description: 'The key that it was begun with, and ends with.' }),
  }),
);

export const SessionEnd = named('SessionEnd', Type.Object({ success: Type.Boolean() }));

export const KeyInput = named(
  'KeyInput',
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
);

const key = {
  id: Id('The key.'),
  name: Type.Optional(Type.String()),
  createdAt: Instant('When it was made.'),
  revokedAt: Type.Optional(Instant('When it was revoked.')),
};

export const Key = named('Key', Type.Object(key));

export const NewKey = named(
  'NewKey',
  Type.Object({ ...key, apiKey: Type.String({ description: 'Shown once.' }) }),
);

export const KeyList = named('KeyList', Type.Object({ items: Type.Array(ref(Key)) }));
