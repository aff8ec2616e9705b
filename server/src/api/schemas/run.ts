import Type from 'typebox';
import { Id, Instant, named, oneOf, ref, strings } from './fields.ts';
import { page } from './schedule.ts';

/** Runs: the firings of schedules, as they are shown. */

const RUN_STATUSES = [
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'skipped',
  'missed',
] as const;

const span = () => Type.Optional(Type.Number());

export const Phases = named(
  'Phases',
  Type.Object(
    { dnsMs: span(), connectMs: span(), tlsMs: span(), firstByteMs: span() },
    {
      description:
        'Spans of one attempt. A request on a kept connection has no dns, connect and tls.',
    },
  ),
);

export const Attempt = named(
  'Attempt',
  Type.Object(
    {
      number: Type.Integer({ description: '1 for the first.' }),
      startedAt: Instant('The actual time.'),
      durationMs: Type.Optional(Type.Number({ description: 'Absent where nobody saw the end.' })),
      outcome: oneOf(['response', 'timeout', 'connectionError', 'blocked', 'lost'] as const, {
        description:
          'What the network did; `lost` when the service itself stopped before the answer.',
      }),
      responseStatus: Type.Optional(Type.Integer()),
      error: Type.Optional(Type.String({ description: 'Why it is not a success.' })),
      refused: Type.Optional(
        Type.Boolean({ description: 'It was never sent: the breaker of its host was open.' }),
      ),
      phases: Type.Optional(ref(Phases)),
      responseHeaders: Type.Optional(
        strings({
          description:
            'In the single run only. Lower-case names; repeated fields are joined with a comma, Set-Cookie ' +
            'with a line break. `[secret]` stands for the values of cookies and for echoed secrets.',
        }),
      ),
      responseBody: Type.Optional(
        Type.String({
          description:
            'In the single run only: the first 4 KiB, read as UTF-8. `[secret]` stands for echoed secrets.',
        }),
      ),
    },
    { description: 'One request of a run or of a callback.' },
  ),
);

export const Callback = named(
  'Callback',
  Type.Object({
    id: Id('Its `webhook-id` too.'),
    integrationId: Type.String(),
    url: Type.String(),
    status: oneOf(['queued', 'running', 'retrying', 'succeeded', 'failed'] as const),
    attempts: Type.Array(ref(Attempt)),
  }),
);

export const Run = named(
  'Run',
  Type.Object({
    id: Id('Its `webhook-id` too, the same for every attempt.'),
    scheduleId: Type.String(),
    scheduledFor: Instant('The nominal time.'),
    trigger: oneOf(['schedule', 'manual'] as const),
    status: oneOf(RUN_STATUSES),
    startedAt: Type.Optional(Instant('The actual time.')),
    finishedAt: Type.Optional(Instant('When it ended for good.')),
    attempts: Type.Array(ref(Attempt)),
    reason: Type.Optional(
      Type.String({
        description: 'Why it was skipped or missed, or why its retries ended early.',
      }),
    ),
    missedCount: Type.Optional(
      Type.Integer({ description: 'Where one record stands for more than 1,000 missed times.' }),
    ),
    from: Type.Optional(Instant('The first of `missedCount`.')),
    to: Type.Optional(Instant('The last of `missedCount`.')),
    callbacks: Type.Optional(Type.Array(ref(Callback), { description: 'In the single run only.' })),
  }),
);

export const RunPage = named(
  'RunPage',
  Type.Object({
    items: Type.Array(ref(Run)),
    nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
  }),
);

export const RunQuery = Type.Object({
  ...page,
  scheduleId: Type.Optional(Type.String()),
  status: Type.Optional(oneOf(RUN_STATUSES)),
  from: Type.Optional(Type.String({ description: 'ISO 8601. Nominal time, inclusive.' })),
  to: Type.Optional(Type.String({ description: 'ISO 8601. Nominal time, exclusive.' })),
});
