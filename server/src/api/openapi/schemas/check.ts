import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { VERBS } from '../../../domain/schedule/schedule.ts';
import { Instant, named, oneOf, ref, strings } from './fields.ts';
import { Attempt } from './run.ts';

/** The facts about a schedule before it is stored. */

export const Problem = named<Wire.Problem>('Problem')(
  Type.Object(
    {
      where: Type.String({ description: 'The property: `url`, `integrations[0].url`.' }),
      sentence: Type.String({ description: 'The problem in words.' }),
    },
    { description: 'One thing that a create would refuse.' },
  ),
);

export const ClockNote = named<Wire.ClockNote>('ClockNote')(
  Type.Object(
    {
      kind: oneOf(['moved', 'dropped', 'once', 'twice'] as const, {
        description:
          '`moved`: its local time does not exist, it fires after the gap. `dropped`: it does not fire. ' +
          '`once`, `twice`: its local time comes twice, and it fires so often.',
      }),
      localTime: Type.String({ description: 'Of the wall clock: 2026-03-29T02:30:00.' }),
      at: Instant('When it fires; where it is dropped, the change of the clock.'),
      sentence: Type.String({ description: 'The same in words.' }),
    },
    { description: 'The effect of a change of the wall clock on the interval.' },
  ),
);

export const ExcludedTime = named<Wire.ExcludedTime>('ExcludedTime')(
  Type.Object(
    {
      at: Instant('The time of the interval.'),
      movedTo: Type.Optional(Instant('Absent where it is taken away.')),
      calendar: Type.String({ description: 'The calendar that excludes it.' }),
      summary: Type.String({ description: "The entry's name, may be empty." }),
    },
    { description: 'A time that a calendar takes away, or moves.' },
  ),
);

export const RenderedRequest = named<Wire.RenderedRequest>('RenderedRequest')(
  Type.Object(
    {
      method: oneOf(VERBS, { description: 'The HTTP method.' }),
      url: Type.String({ description: 'With the data of a GET, HEAD or DELETE.' }),
      headers: strings({
        description: 'Without those of one attempt: its number, its id and its signature.',
      }),
      body: Type.Optional(Type.String({ description: 'As it is sent.' })),
    },
    { description: 'The request of a firing, with its templates filled in.' },
  ),
);

export const CheckResult = named<Wire.CheckResult>('CheckResult')(
  Type.Object(
    {
      problems: Type.Array(ref(Problem), {
        description: 'The problems for which a create would be refused; empty if it would succeed.',
      }),
      times: Type.Array(Type.String({ description: 'ISO 8601 in UTC.' }), {
        description: 'The next ten times; empty where interval or time zone are wrong.',
      }),
      clockNotes: Type.Array(ref(ClockNote), { description: 'Within a year.' }),
      excluded: Type.Optional(
        Type.Array(ref(ExcludedTime), {
          description: 'The next five times that calendars take away or move.',
        }),
      ),
      request: Type.Optional(ref(RenderedRequest)),
    },
    { description: 'The result of a create, without creating anything.' },
  ),
);

export const TryResult = named<Wire.TryResult>('TryResult')(
  Type.Object({ attempt: ref(Attempt) }, { description: 'The result of the one request.' }),
);
