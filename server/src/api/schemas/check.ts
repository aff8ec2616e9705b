import Type from 'typebox';
import { Instant, named, oneOf, ref } from './fields.ts';
import { Attempt } from './run.ts';

/** What is known of a schedule before it is stored. */

export const Problem = named(
  'Problem',
  Type.Object({
    where: Type.String({ description: 'The property: `url`, `integrations[0].url`.' }),
    sentence: Type.String(),
  }),
);

export const ClockNote = named(
  'ClockNote',
  Type.Object(
    {
      kind: oneOf(['moved', 'dropped', 'once', 'twice'] as const),
      localTime: Type.String({ description: 'Of the wall clock: 2026-03-29T02:30:00.' }),
      at: Instant('When it fires; where it is dropped, the change of the clock.'),
      sentence: Type.String(),
    },
    { description: 'What a change of the wall clock does to the interval.' },
  ),
);

export const CheckResult = named(
  'CheckResult',
  Type.Object({
    problems: Type.Array(ref(Problem), {
      description: 'What a create would refuse; empty where it would not.',
    }),
    times: Type.Array(Type.String(), {
      description: 'The next ten times; empty where interval or time zone are wrong.',
    }),
    clockNotes: Type.Array(ref(ClockNote), { description: 'Within a year.' }),
  }),
);

export const TryResult = named('TryResult', Type.Object({ attempt: ref(Attempt) }));
