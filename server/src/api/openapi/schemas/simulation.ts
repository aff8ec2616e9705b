import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { ClockNote, Problem } from './check.ts';
import { closed, Instant, named, oneOf, ref } from './fields.ts';
import { ScheduleInput, SchedulePatch } from './schedule.ts';

/** Changes that are worked out and not made. */

const MOST_CHANGES = 1_000;

export const ChangeInput = named<Wire.ChangeInput>('ChangeInput')(
  Type.Object(
    {
      create: Type.Optional(ref(ScheduleInput)),
      id: Type.Optional(Type.String({ description: 'An id, or `ext:` and an external id.' })),
      patch: Type.Optional(ref(SchedulePatch)),
      delete: Type.Optional(
        Type.Unsafe<true>({ type: 'boolean', const: true, description: 'Always true.' }),
      ),
    },
    { ...closed, description: 'One change: `create` alone, or `id` with `patch` or `delete`.' },
  ),
);

export const SimulationInput = named<Wire.SimulationInput>('SimulationInput')(
  Type.Object(
    {
      changes: Type.Array(ref(ChangeInput), {
        description: 'Worked out in this order: each builds on those before it.',
        minItems: 1,
        maxItems: MOST_CHANGES,
      }),
      from: Type.Optional(
        Type.String({
          description: 'ISO 8601, inclusive: when the changes are made. Now by default.',
          examples: ['2026-06-01T00:00:00Z'],
        }),
      ),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 92, default: 31, description: 'Of 24 hours each.' }),
      ),
      herd: Type.Optional(
        Type.Boolean({ description: 'Whether the busiest minutes of the hosts are told.' }),
      ),
    },
    { ...closed, description: 'Changes whose effect is asked for.' },
  ),
);

const ABSENT = 'Absent where a schedule has more than 100,000 times in the range.';
const times = (description: string) =>
  Type.Optional(Type.Array(Type.String({ description: 'ISO 8601 in UTC.' }), { description }));

export const ChangeEffect = named<Wire.ChangeEffect>('ChangeEffect')(
  Type.Object(
    {
      action: oneOf(['create', 'patch', 'delete'] as const, { description: 'The change.' }),
      id: Type.Optional(Type.String({ description: 'Of a schedule that is stored.' })),
      firingsBefore: Type.Integer({ description: 'Nominal times in the range without it.' }),
      firingsAfter: Type.Integer({ description: 'Nominal times in the range with it.' }),
      addedCount: Type.Optional(Type.Integer({ description: `New times. ${ABSENT}` })),
      removedCount: Type.Optional(Type.Integer({ description: `Times that go. ${ABSENT}` })),
      added: times(`The first 20 new times. ${ABSENT}`),
      removed: times(`The first 20 times that go. ${ABSENT}`),
      nextBefore: Type.Optional(Instant('The first time from `from` on, without the change.')),
      nextAfter: Type.Optional(Instant('The first time from `from` on, with the change.')),
      clockNotes: Type.Array(ref(ClockNote), {
        description: 'Changes of the wall clock in the range that touch the changed schedule.',
      }),
      problems: Type.Array(ref(Problem), {
        description: 'Why a write would refuse the change; then nothing is changed.',
      }),
    },
    { description: 'The effect of one change.' },
  ),
);

export const BusiestMinute = named<Wire.BusiestMinute>('BusiestMinute')(
  Type.Object(
    {
      at: Instant('Its start; of several the first.'),
      firings: Type.Integer({ description: 'Firings within it.' }),
    },
    { description: 'The minute in which a host gets the most firings.' },
  ),
);

export const HerdEffect = named<Wire.HerdEffect>('HerdEffect')(
  Type.Object(
    {
      host: Type.String({ description: 'Name, and port where it is not the usual one.' }),
      before: Type.Optional(ref(BusiestMinute)),
      after: Type.Optional(ref(BusiestMinute)),
    },
    { description: 'The busiest minute of a host without and with the changes.' },
  ),
);

export const Simulation = named<Wire.Simulation>('Simulation')(
  Type.Object(
    {
      tzdata: Type.String({ description: 'The release of the rules of time zones.' }),
      from: Instant('When the changes are made.'),
      to: Instant('The end of the range, exclusive.'),
      changes: Type.Array(ref(ChangeEffect), { description: 'In the order of the request.' }),
      herd: Type.Optional(
        Type.Array(ref(HerdEffect), {
          description:
            'Only if it was asked for: of the hosts that the changes touch, the 20 with the most changed schedules.',
        }),
      ),
      isPartial: Type.Optional(
        Type.Boolean({
          description: 'True while not all schedules of these hosts are counted.',
        }),
      ),
    },
    { description: 'The effect of changes that are not made.' },
  ),
);
