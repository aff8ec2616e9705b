import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { AttemptCompletion } from './completion.ts';
import { Id, Instant, named, oneOf, proven, ref, strings } from './fields.ts';
import { causeField } from './incident.ts';
import { page, tagFilter } from './schedule.ts';

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

export const OUTCOMES = ['response', 'timeout', 'connectionError', 'blocked', 'lost'] as const;

const span = (description: string) => Type.Optional(Type.Number({ description }));

export const Phases = named<Wire.Phases>('Phases')(
  Type.Object(
    {
      dnsMs: span('The lookup of the name.'),
      connectMs: span('TCP.'),
      tlsMs: span('The handshake of TLS.'),
      firstByteMs: span('From the request sent to the first byte of the answer.'),
    },
    {
      description:
        'Spans of one attempt. A request on a kept connection has no dns, connect and tls.',
    },
  ),
);

export const Control = named<Wire.Control>('Control')(
  Type.Object(
    {
      noRetry: Type.Optional(Type.Literal(true, { description: 'A failure is final.' })),
      pauseSeconds: Type.Optional(
        Type.Integer({ description: 'Nothing fires for so long, counted from the answer.' }),
      ),
      disable: Type.Optional(Type.Literal(true, { description: 'The schedule is disabled.' })),
      againSeconds: Type.Optional(
        Type.Integer({ description: 'One more run comes after so long.' }),
      ),
    },
    { description: 'The members of `Punctual-Control` in the answer that were obeyed.' },
  ),
);

export const Attempt = named<Wire.Attempt>('Attempt')(
  Type.Object(
    {
      number: Type.Integer({ description: '1 for the first.' }),
      startedAt: Instant('The actual time.'),
      durationMs: Type.Optional(Type.Number({ description: 'Absent where nobody saw the end.' })),
      outcome: oneOf(OUTCOMES, {
        description:
          'The outcome of the request; `lost` when the service itself stopped before the answer.',
      }),
      responseStatus: Type.Optional(
        Type.Integer({ description: 'Absent where nothing was answered.' }),
      ),
      error: Type.Optional(Type.String({ description: 'Why it is not a success.' })),
      note: Type.Optional(
        Type.String({
          description:
            'About the exchange, whatever its verdict is: an address that was dead, an answer whose rest could not be read.',
        }),
      ),
      control: Type.Optional(ref(Control)),
      controlFault: Type.Optional(
        Type.String({
          description: 'The members of `Punctual-Control` that were ignored, and why.',
        }),
      ),
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
      completion: Type.Optional(ref(AttemptCompletion)),
    },
    { description: 'One request of a run or of a callback.' },
  ),
);

export const Callback = named<Wire.Callback>('Callback')(
  Type.Object(
    {
      id: Id('Its `webhook-id` too.'),
      integrationId: Type.String({ description: 'The integration that asked for it.' }),
      url: Type.String({ description: 'Where it goes.' }),
      status: oneOf(['queued', 'running', 'retrying', 'succeeded', 'failed'] as const, {
        description: 'How far it is.',
      }),
      attempts: Type.Array(ref(Attempt), { description: 'In order.' }),
    },
    { description: 'One callback that the end of a run has caused.' },
  ),
);

export const Run = named<Wire.Run>('Run')(
  Type.Object(
    {
      id: Id('Its `webhook-id` too, the same for every attempt.'),
      scheduleId: Type.String({ description: 'The schedule that it is of.' }),
      label: Type.Optional(
        Type.String({
          description: 'The label of its schedule now: in events, and in lists with `names`.',
        }),
      ),
      url: Type.Optional(
        Type.String({
          description: 'The url of its schedule now: in events, and in lists with `names`.',
        }),
      ),
      scheduledFor: Instant('The nominal time.'),
      trigger: oneOf(['schedule', 'manual', 'target'] as const, {
        description:
          '`manual`: somebody asked for it. `target`: the target did, with an answer before.',
      }),
      status: oneOf(RUN_STATUSES, {
        description: 'How far it is; `skipped` and `missed` were never sent.',
      }),
      startedAt: Type.Optional(Instant('The actual time.')),
      finishedAt: Type.Optional(Instant('When it ended for good.')),
      completionUntil: Type.Optional(
        Instant('Of a `running` one that waits for its completion: by when that is to come.'),
      ),
      attempts: Type.Array(ref(Attempt), {
        description: 'In order; empty where nothing was sent.',
      }),
      reason: Type.Optional(
        Type.String({
          description: 'Why it was skipped or missed, or why its retries ended early.',
        }),
      ),
      missedCount: Type.Optional(
        Type.Integer({
          description: 'The number of missed times, if one record stands for more than 1,000.',
        }),
      ),
      from: Type.Optional(Instant('The first of `missedCount`.')),
      to: Type.Optional(Instant('The last of `missedCount`.')),
      callbacks: Type.Optional(
        Type.Array(ref(Callback), { description: 'In the single run only.' }),
      ),
    },
    { description: 'One firing of a schedule, or a time that did not fire.' },
  ),
);

export const RunPage = named<Wire.RunPage>('RunPage')(
  Type.Object(
    {
      items: Type.Array(ref(Run), { description: 'Newest first.' }),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
    },
    { description: 'A page of runs.' },
  ),
);

export const RunQuery = proven<Wire.RunQuery>()(
  Type.Object({
    ...page,
    scheduleId: Type.Optional(
      Type.String({ description: 'Of this schedule: its id, or `ext:` and its external id.' }),
    ),
    status: Type.Optional(oneOf(RUN_STATUSES, { description: 'In this status.' })),
    from: Type.Optional(Type.String({ description: 'ISO 8601. Nominal time, inclusive.' })),
    to: Type.Optional(Type.String({ description: 'ISO 8601. Nominal time, exclusive.' })),
    tag: Type.Optional(tagFilter()),
    host: Type.Optional(
      Type.String({
        maxLength: 300,
        description: 'Of schedules whose url has this host, and port where it names one.',
      }),
    ),
    responseStatus: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 999,
        description: 'The status that the last attempt was answered with.',
      }),
    ),
    error: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'A part of the error or the reason, in any case. Only failed runs are searched unless `status` is given.',
      }),
    ),
    cause: Type.Optional(
      causeField('The cause by which they failed or were missed: that of their incident.'),
    ),
    names: Type.Optional(
      Type.Boolean({ description: 'Each run with the `label` and the `url` of its schedule.' }),
    ),
  }),
);
