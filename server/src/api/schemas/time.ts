import Type from 'typebox';
import { closed, Instant, named, ref } from './fields.ts';

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

export const OffsetsQuery = Type.Object({
  timezone: Type.String({ examples: ['Europe/Berlin'] }),
});

export const ZoneOffset = named(
  'ZoneOffset',
  Type.Object({
    from: Instant('From here to the next one.'),
    offsetSeconds: Type.Integer({ description: 'Local time minus UTC.' }),
  }),
);

export const ZoneOffsets = named(
  'ZoneOffsets',
  Type.Object({
    timezone: Type.String(),
    tzdata: Type.String({ description: 'The release of the rules, such as `2026f`.' }),
    until: Instant('The end of the list.'),
    offsets: Type.Array(ref(ZoneOffset), { description: 'In order.' }),
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
