import Type from 'typebox';
import { closed, named } from './fields.ts';

/** What is asked and answered about times, and about the service itself. */

const count = () => Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 5 }));

export const PreviewInput = named(
  'PreviewInput',
  Type.Object(
    {
      interval: Type.String({ examples: ['*/5 * * * *'] }),
      timezone: Type.String({ examples: ['Europe/Berlin'] }),
      from: Type.Optional(Type.String({ description: 'ISO 8601, exclusive. Now by default.' })),
      count: count(),
    },
    closed,
  ),
);

export const NextQuery = Type.Object({ count: count() });

export const Times = named(
  'Times',
  Type.Object({ times: Type.Array(Type.String({ description: 'ISO 8601 in UTC.' })) }),
);

export const Timezones = named(
  'Timezones',
  Type.Array(Type.String(), {
    description: 'The names that `timezone` may have, sorted.',
  }),
);

export const Health = named(
  'Health',
  Type.Object({
    status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'] }),
    warning: Type.Optional(
      Type.String({
        description: 'What the store cannot promise as it is set up, in one sentence.',
      }),
    ),
  }),
);

export const ErrorBody = named(
  'Error',
  Type.Object({
    error: Type.String({ description: 'One sentence that says what is wrong and where.' }),
  }),
);
