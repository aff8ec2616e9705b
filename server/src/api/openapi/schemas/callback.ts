import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { Id, Instant, named, oneOf, ref, strings } from './fields.ts';
import { OUTCOMES } from './run.ts';

/** The body of a callback, as `domain/run/callback.ts` writes it. */

export const CallbackRun = named<Wire.CallbackRun>('CallbackRun')(
  Type.Object(
    {
      id: Id('The run.'),
      scheduledFor: Instant('The nominal time.'),
      startedAt: Instant('When its first attempt started.'),
      finishedAt: Instant('When it ended for good.'),
      attempts: Type.Integer({ description: 'How many attempts were made.' }),
      status: oneOf(['succeeded', 'failed'] as const, { description: 'How it ended.' }),
      outcome: Type.Optional(oneOf(OUTCOMES, { description: 'Of the last attempt.' })),
      responseStatus: Type.Optional(
        Type.Integer({ description: 'Of the last attempt; absent where nothing was answered.' }),
      ),
      error: Type.Optional(Type.String({ description: 'Why it failed.' })),
    },
    { description: 'The run that a callback tells of.' },
  ),
);

export const ScheduleCallback = named<Wire.ScheduleCallback>('ScheduleCallback')(
  Type.Object(
    {
      type: oneOf(['schedule.run.succeeded', 'schedule.run.failed'] as const, {
        description: 'How the run ended.',
      }),
      timestamp: Instant('When the run ended.'),
      data: Type.Object(
        {
          scheduleId: Id('The schedule.'),
          label: Type.String({ description: 'Its label.' }),
          externalId: Type.Optional(
            Type.String({ description: "The schedule's external id, if it has one." }),
          ),
          tags: Type.Optional(strings({ description: "The schedule's tags, if it has some." })),
          integrationId: Id('The integration that asked for it.'),
          scheduleUrl: Type.Optional(
            Type.String({
              description: 'Only where the integration has `includeScheduleUrlInCallback`.',
            }),
          ),
          run: ref(CallbackRun),
        },
        { description: 'The run that the callback is about.' },
      ),
    },
    { description: 'The body of a callback, in the form of Standard Webhooks.' },
  ),
);
