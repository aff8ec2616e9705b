import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Instant, named, oneOf } from './fields.ts';

/** Completions: targets that answer 202 say later how an attempt ended. */

const MOST_SECONDS = 604_800;
const MOST_MESSAGE = 1_000;

export const CompletionInput = named<Wire.CompletionInput>('CompletionInput')(
  Type.Object(
    {
      status: Type.Optional(
        oneOf(['succeeded', 'failed'] as const, {
          description:
            'Left out: it succeeded, or with `extendSeconds` it goes on. A failure is final.',
        }),
      ),
      message: Type.Optional(
        Type.String({ maxLength: MOST_MESSAGE, description: 'Shown with the attempt.' }),
      ),
      extendSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_SECONDS,
          description:
            'A heartbeat: the deadline becomes this much later than now, at most 7 days after the start of the ' +
            'attempt. With a status it means nothing.',
        }),
      ),
    },
    { description: 'How an attempt ended, or that it needs longer. No body: it succeeded.' },
  ),
);

export const CompletionAnswer = named<Wire.CompletionAnswer>('CompletionAnswer')(
  Type.Object(
    { success: Type.Boolean({ description: 'Always true.' }) },
    { description: 'It is kept.' },
  ),
);

export const AttemptCompletion = named<Wire.AttemptCompletion>('AttemptCompletion')(
  Type.Object(
    {
      until: Instant('The deadline that the answer has set; a heartbeat moves it for the run.'),
      endedAt: Type.Optional(
        Instant('When the target said how it ended. Absent until then, and where nothing came.'),
      ),
      message: Type.Optional(Type.String({ description: 'The words of the target.' })),
    },
    {
      description:
        'The end of an attempt as its target said it: later than its answer 202, or where no answer came.',
    },
  ),
);
