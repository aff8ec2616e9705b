import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, named, oneOf, proven, ref } from './fields.ts';

/** The times of schedules by what became of them, step by step. */

const stepRange = {
  from: Type.String({ description: 'ISO 8601, inclusive; rounded down to a full step.' }),
  to: Type.String({ description: 'ISO 8601, exclusive; rounded up to a full step.' }),
  stepSeconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    description:
      'The length of a step; above an hour whole hours. From `from` to `to` there are 1,000 steps and ' +
      '366 days at most.',
  }),
};

export const HistoryQuery = proven<Wire.HistoryQuery>()(Type.Object(stepRange));

export const TimelineQuery = proven<Wire.TimelineQuery>()(
  Type.Object({
    ...stepRange,
    scheduleId: Type.Array(Type.String({ description: 'The id of a schedule.' }), {
      minItems: 1,
      maxItems: 50,
      description: 'Repeat it, 50 at most. All of them together have 20,000 steps at most.',
    }),
  }),
);

const perStep = (description: string) =>
  Type.Array(Type.Integer({ description: 'Of one step.' }), { description });

export const TimelineLane = named<Wire.TimelineLane>('TimelineLane')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      from: Instant('Since when results are counted: later than asked for where `isPartial`.'),
      steps: perStep('The numbers of the steps in which there is something, from 0 on, in order.'),
      succeeded: perStep('Runs that succeeded.'),
      failed: perStep('Runs that failed for good.'),
      skipped: perStep('Times that came while a run was going on.'),
      missed: perStep('Times that passed unseen.'),
      due: perStep('Times that are to come.'),
      isPartial: Type.Optional(
        Type.Boolean({
          description: 'True while results before `from` are counted. Ask again in a second.',
        }),
      ),
    },
    {
      description:
        'The times of one schedule, past and to come: lists of one length, with an entry for each step in ' +
        'which there is something.',
    },
  ),
);

export const Timeline = named<Wire.Timeline>('Timeline')(
  Type.Object(
    {
      from: Instant('The start of the first step.'),
      to: Instant('The end of the last step.'),
      stepSeconds: Type.Integer({ description: 'The length of a step.' }),
      now: Instant("The service's clock: times after it are to come."),
      items: Type.Array(ref(TimelineLane), {
        description: 'In the order of the question; schedules that are not there are left out.',
      }),
    },
    { description: 'The times of several schedules, step by step.' },
  ),
);

export const BandQuery = proven<Wire.BandQuery>()(
  Type.Object({
    from: Type.String({ description: 'ISO 8601, inclusive.' }),
    to: Type.String({ description: 'ISO 8601, exclusive; 366 days after `from` at most.' }),
  }),
);

const BAND_KINDS = [
  'notCreated',
  'deleted',
  'completed',
  'beforeStart',
  'afterEnd',
  'paused',
  'down',
  'halted',
  'suspended',
  'busy',
] as const;

export const ScheduleBand = named<Wire.ScheduleBand>('ScheduleBand')(
  Type.Object(
    {
      kind: oneOf(BAND_KINDS, {
        description:
          'The first six are verdicts of explain. `down`: Punctual was not running. `halted`: an operator ' +
          'had paused it. `suspended`: the client was suspended. `busy`: there was too much to do.',
      }),
      from: Instant('Its start.'),
      to: Instant('Its end, exclusive.'),
      sentence: Type.String({ description: 'The same in words, with the reason.' }),
    },
    { description: 'A span in which a schedule could not fire.' },
  ),
);

export const TimesEdit = named<Wire.TimesEdit>('TimesEdit')(
  Type.Object(
    {
      at: Instant('When it was changed.'),
      sentence: Type.String({ description: 'The change in words.' }),
    },
    { description: 'A change of the times of a schedule.' },
  ),
);

export const Bands = named<Wire.Bands>('Bands')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      from: Instant('As it was asked for.'),
      to: Instant('As it was asked for.'),
      bands: Type.Array(ref(ScheduleBand), {
        description:
          'In the order of their start; they may overlap. Of the newest 1,000 changes and 2,000 missed times.',
      }),
      edits: Type.Array(ref(TimesEdit), { description: 'In order.' }),
    },
    { description: 'Why a schedule did not fire, from one instant to another.' },
  ),
);

export const HistoryStep = named<Wire.HistoryStep>('HistoryStep')(
  Type.Object(
    {
      at: Instant('The start of the step.'),
      succeeded: Type.Integer({ description: 'Runs that succeeded.' }),
      failed: Type.Integer({ description: 'Runs that failed for good.' }),
      skipped: Type.Integer({ description: 'Times that came while a run was going on.' }),
      missed: Type.Integer({ description: 'Times that passed unseen.' }),
    },
    { description: 'Nominal times by what became of them; manual runs by their own time.' },
  ),
);

export const History = named<Wire.History>('History')(
  Type.Object(
    {
      scheduleId: Type.String({ description: 'The schedule.' }),
      from: Instant('Since when it is counted: later than asked for where `isPartial`.'),
      to: Instant('Until when.'),
      stepSeconds: Type.Integer({ description: 'The length of a step.' }),
      steps: Type.Array(ref(HistoryStep), {
        description: 'Steps with records, oldest first. Runs that have not ended are not counted.',
      }),
      isPartial: Type.Optional(
        Type.Boolean({
          description: 'True while what lies before `from` is counted. Ask again in a second.',
        }),
      ),
    },
    { description: 'The results of the times of a schedule.' },
  ),
);
