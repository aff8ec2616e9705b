import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, named, oneOf, ref } from './fields.ts';
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
    },
    { description: 'The result of a create, without creating anything.' },
  ),
);

export const TryResult = named<Wire.TryResult>('TryResult')(
  Type.Object({ attempt: ref(Attempt) }, { description: 'The result of the one request.' }),
);
