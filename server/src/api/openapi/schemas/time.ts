import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { closed, Instant, named, proven, ref } from './fields.ts';
import { timingInput } from './timing.ts';

/** The questions and answers about times, and about the service itself. */

const count = () =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 5, description: 'How many times.' }),
  );
const interval = () => Type.String({ description: 'As in a schedule.', examples: ['*/5 * * * *'] });
const timezone = () =>
  Type.String({ description: 'A name of `/timezones`.', examples: ['Europe/Berlin'] });

export const PreviewInput = named<Wire.PreviewInput>('PreviewInput')(
  Type.Object(
    {
      interval: interval(),
      timezone: timezone(),
      externalId: Type.Optional(
        Type.String({ description: 'Decides the offset in the window; without it, its start.' }),
      ),
      ...timingInput,
      from: Type.Optional(Type.String({ description: 'ISO 8601, exclusive. Now by default.' })),
      count: count(),
    },
    { ...closed, description: 'An interval to count the times of.' },
  ),
);

export const NextQuery = proven<Wire.NextQuery>()(Type.Object({ count: count() }));

export const Times = named<Wire.Times>('Times')(
  Type.Object(
    {
      times: Type.Array(Type.String({ description: 'ISO 8601 in UTC.' }), {
        description: 'In order; fewer than were asked for where there are no more.',
      }),
    },
    { description: 'Nominal times to come.' },
  ),
);

export const Timezones = named<string[]>('Timezones')(
  Type.Array(Type.String({ description: 'An IANA name.' }), {
    description: 'The names that `timezone` may have, sorted.',
  }),
);

export const WordsInput = named<Wire.WordsInput>('WordsInput')(
  Type.Object(
    {
      intervals: Type.Array(interval(), {
        minItems: 1,
        maxItems: 100,
        description: 'The intervals, 100 at most.',
      }),
    },
    { ...closed, description: 'Intervals to say in words.' },
  ),
);

export const IntervalWords = named<Wire.IntervalWords>('IntervalWords')(
  Type.Object(
    {
      interval: interval(),
      words: Type.String({
        description: 'A sentence without its full stop, true of every time of the interval.',
      }),
    },
    { description: 'An interval in words.' },
  ),
);

export const IntervalWordsList = named<Wire.IntervalWordsList>('IntervalWordsList')(
  Type.Object(
    { items: Type.Array(ref(IntervalWords), { description: 'In the order of the question.' }) },
    { description: 'Intervals in words.' },
  ),
);

export const OffsetsQuery = proven<Wire.OffsetsQuery>()(
  Type.Object({
    timezone: timezone(),
  }),
);

export const ZoneOffset = named<Wire.ZoneOffset>('ZoneOffset')(
  Type.Object(
    {
      from: Instant('From here to the next one.'),
      offsetSeconds: Type.Integer({ description: 'Local time minus UTC.' }),
    },
    { description: 'An offset, and since when it holds.' },
  ),
);

export const ZoneOffsets = named<Wire.ZoneOffsets>('ZoneOffsets')(
  Type.Object(
    {
      timezone: timezone(),
      tzdata: Type.String({ description: 'The release of the rules, such as `2026f`.' }),
      until: Instant('The end of the list.'),
      offsets: Type.Array(ref(ZoneOffset), { description: 'In order.' }),
    },
    { description: 'The offsets of a time zone, by the rules of the service.' },
  ),
);

export const Pause = named<Wire.Pause>('Pause')(
  Type.Object(
    {
      since: Instant('The start of the pause; by a setting, of the node.'),
      by: Type.Unsafe<'command' | 'setting'>({
        type: 'string',
        enum: ['command', 'setting'],
        description:
          '`command`: `punctual pause`, on all nodes; `setting`: `PUNCTUAL_PAUSED`, on the node that answers.',
      }),
    },
    { description: 'A pause, in which nothing fires.' },
  ),
);

export const Health = named<Wire.Health>('Health')(
  Type.Object(
    {
      status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'], description: 'It is well.' }),
      warning: Type.Optional(
        Type.String({
          description:
            'The promises that the store cannot keep with its settings, and a note if nothing fires; one sentence each.',
        }),
      ),
      paused: Type.Optional(ref(Pause)),
    },
    { description: 'The service answers.' },
  ),
);

export const ErrorBody = named<Wire.ErrorBody>('Error')(
  Type.Object(
    {
      error: Type.String({ description: 'One sentence that says what is wrong and where.' }),
    },
    { description: 'The body of every error. Its code is in the header `Punctual-Error-Code`.' },
  ),
);
