import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, named, ref } from './fields.ts';

/** The rules of time zones in use, and the effect of their last change. */

export const ZoneMove = named<Wire.ZoneMove>('ZoneMove')(
  Type.Object(
    {
      before: Type.Optional(Instant('By the release before; absent where it had no such time.')),
      after: Type.Optional(Instant('By the release in use; absent where it has no such time.')),
    },
    { description: 'A time that the change of the rules has moved.' },
  ),
);

export const MovedSchedule = named<Wire.MovedSchedule>('MovedSchedule')(
  Type.Object(
    {
      id: Type.String({ description: 'The schedule.' }),
      label: Type.String({ description: 'Its label.' }),
      moved: Type.Array(ref(ZoneMove), {
        description: 'The first 20 times of the next 90 days that moved.',
      }),
    },
    { description: 'A schedule with times that moved.' },
  ),
);

export const ChangedZone = named<Wire.ChangedZone>('ChangedZone')(
  Type.Object(
    {
      timezone: Type.String({ description: 'Its name.' }),
      scheduleCount: Type.Integer({ description: 'Enabled schedules of this client in it.' }),
      schedules: Type.Array(ref(MovedSchedule), {
        description: 'Of the newest 100 those with a time that moved.',
      }),
    },
    { description: 'A time zone whose rules have changed.' },
  ),
);

export const ZoneReport = named<Wire.ZoneReport>('ZoneReport')(
  Type.Object(
    {
      version: Type.String({ description: 'The release in use, such as `2026f`.' }),
      previousVersion: Type.Optional(
        Type.String({ description: 'The release before, where there was one.' }),
      ),
      changedAt: Type.Optional(Instant('When the service has begun to count by `version`.')),
      zones: Type.Array(ref(ChangedZone), {
        description: 'The changed zones in which this client has enabled schedules, by name.',
      }),
    },
    { description: 'The rules of time zones, and the effect of their last change.' },
  ),
);
