import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { closed, Instant, ignored, named, proven, ref } from './fields.ts';
import {
  ignoredResourceFields,
  resourceDeletion,
  resourceFields,
  resourcePage,
} from './named-resource.ts';
import { page } from './schedule.ts';

/** Calendars: named days and times without firings. */

export const CalendarPeriod = named<Wire.CalendarPeriod>('CalendarPeriod')(
  Type.Object(
    {
      from: Type.String({
        description: 'Inclusive: a date, or an instant with an offset.',
        examples: ['2026-12-24'],
      }),
      to: Type.String({
        description: 'Exclusive: a date where `from` is one, else an instant.',
        examples: ['2027-01-02'],
      }),
      summary: Type.Optional(
        Type.String({ description: 'Says what it is for.', maxLength: 500, examples: ['Freeze'] }),
      ),
    },
    { ...closed, description: 'A period in which schedules do not fire.' },
  ),
);

export const CalendarInput = named<Wire.CalendarInput>('CalendarInput')(
  Type.Object(
    {
      ics: Type.Optional(Type.String({ description: 'RFC 5545 text, up to 1 MiB.' })),
      url: Type.Optional(
        Type.String({ description: 'The address of such a text: read at once, and daily.' }),
      ),
      periods: Type.Optional(Type.Array(ref(CalendarPeriod), { description: 'Up to 5,000.' })),
      ...ignoredResourceFields(),
      entries: ignored(),
      staleSince: ignored(),
      fault: ignored(),
    },
    { ...closed, description: 'A calendar to put: exactly one of `ics`, `url` and `periods`.' },
  ),
);

export const CalendarEntry = named<Wire.CalendarEntry>('CalendarEntry')(
  Type.Object(
    {
      from: Type.String({
        description:
          'Of whole days a date, of other times without a time zone a date-time without an offset, ' +
          'and of all others an instant in UTC.',
      }),
      to: Type.String({ description: 'Exclusive, in the same form.' }),
      summary: Type.String({ description: 'The name of the entry, which may be empty.' }),
    },
    { description: 'An entry of a calendar.' },
  ),
);

export const Calendar = named<Wire.Calendar>('Calendar')(
  Type.Object(
    {
      ...resourceFields(
        'The name that schedules use in `exclude`.',
        'When it was last put again, or its source last said something else.',
      ),
      url: Type.Optional(Type.String({ description: 'The address that it is read from.' })),
      entries: Type.Array(ref(CalendarEntry), {
        description: 'The next 20 that have not ended.',
      }),
      staleSince: Type.Optional(
        Instant('Since when its source cannot be read; until it can, the last good version stays.'),
      ),
      fault: Type.Optional(Type.String({ description: 'Why it cannot be read.' })),
    },
    { description: 'Named days and times without firings. Its source is not answered.' },
  ),
);

export const CalendarQuery = proven<Wire.CalendarQuery>()(Type.Object(page));

export const CalendarPage = named<Wire.CalendarPage>('CalendarPage')(
  resourcePage(Calendar, 'calendar'),
);

export const CalendarDeletion = named<Wire.CalendarDeletion>('CalendarDeletion')(
  resourceDeletion('calendar'),
);
