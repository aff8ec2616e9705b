import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { CAUSES } from '../../../domain/run/cause.ts';
import { Instant, named, oneOf, proven, ref } from './fields.ts';

/** Incidents: failed and missed runs of one cause and host. */

export const IncidentQuery = proven<Wire.IncidentQuery>()(
  Type.Object({
    from: Type.Optional(
      Type.String({
        description:
          'ISO 8601. Nominal time, inclusive; rounded down to full ten minutes. 24 hours before `to` where it is left ' +
          'out, 7 days at most.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        description:
          'ISO 8601. Nominal time, exclusive; rounded up to full ten minutes. Now where it is left out.',
      }),
    ),
  }),
);

export const AffectedSchedule = named<Wire.AffectedSchedule>('AffectedSchedule')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      label: Type.String({ description: 'Its label.' }),
      url: Type.String({ description: 'Its target.' }),
      runs: Type.Integer({ description: 'Its runs of this incident.' }),
    },
    { description: 'One of the schedules of an incident.' },
  ),
);

/** The one list of causes, in queries and in answers. */
export const causeField = (description: string) => oneOf(CAUSES, { description });

export const Incident = named<Wire.Incident>('Incident')(
  Type.Object(
    {
      cause: causeField('The class of the reason.'),
      statusCode: Type.Optional(
        Type.Integer({ description: 'Of the cause `status`: the status that was answered.' }),
      ),
      host: Type.Optional(
        Type.String({
          description: 'Name and port of the urls. Absent where Punctual itself is the cause.',
        }),
      ),
      sentence: Type.String({ description: 'The events in two or three sentences.' }),
      since: Instant('The nominal time of the first of its runs.'),
      lastFor: Instant('The nominal time of the last of its runs.'),
      until: Type.Optional(
        Instant('When each of its schedules had succeeded again. Absent while it goes on.'),
      ),
      isOpen: Type.Boolean({
        description: 'Whether a schedule that still fires has not succeeded since.',
      }),
      runs: Type.Integer({ description: 'Its failed runs and missed times.' }),
      schedules: Type.Integer({ description: 'The schedules that these are of.' }),
      affected: Type.Array(ref(AffectedSchedule), {
        description: 'The schedules with most of its runs; 10 at most.',
      }),
      sample: Type.Array(Type.String({ description: 'The id of a run.' }), {
        description: 'Its newest runs; 5 at most.',
      }),
    },
    {
      description:
        'Failed runs and missed times of one cause and host. Less than ten minutes lie between them, or not all of its ' +
        'schedules had succeeded in between.',
    },
  ),
);

export const Incidents = named<Wire.Incidents>('Incidents')(
  Type.Object(
    {
      from: Instant('Since when runs are counted: later than asked for where `isPartial`.'),
      to: Instant('Until when.'),
      items: Type.Array(ref(Incident), {
        description: 'Those that go on first, then the newest; 100 at most.',
      }),
      isCut: Type.Optional(
        Type.Boolean({
          description:
            'True where an hour has more failed runs than are read: the counts are of the newest of them.',
        }),
      ),
      isPartial: Type.Optional(
        Type.Boolean({
          description:
            'True while what lies before `from` is still being counted. Ask again in a second.',
        }),
      ),
    },
    { description: 'Incidents of a client.' },
  ),
);
