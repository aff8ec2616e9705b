import type * as Wire from '@punctual/client';
import Type from 'typebox';
import { VERBS } from '../../../domain/schedule/schedule.ts';
import { Id, Instant, named, oneOf, proven, ref, strings } from './fields.ts';
import { page } from './schedule.ts';

/** Versions of schedules, and the requests that they made. */

const value = (description: string) =>
  Type.Optional(
    Type.Unknown({
      description: `${description} A text of more than 1,000 characters ends with \`…\`.`,
    }),
  );

export const FieldChange = named<Wire.FieldChange>('FieldChange')(
  Type.Object(
    {
      path: Type.String({
        description: 'The property: `url`, `policy.maxRetries`, `headers["X-Key"]`.',
      }),
      before: value('Absent where the property was not there.'),
      after: value('Absent where the property is gone.'),
    },
    { description: 'A property that a change has touched.' },
  ),
);

export const ScheduleVersion = named<Wire.ScheduleVersion>('ScheduleVersion')(
  Type.Object(
    {
      version: Type.Integer({ description: 'The number in its ETag.' }),
      at: Instant('Since when it holds.'),
      until: Type.Optional(Instant('Until when it held; absent of the present one.')),
      by: Type.Optional(
        oneOf(['key', 'cli', 'service', 'target'] as const, {
          description:
            'Its author: a key, a command of the operator, the service itself, or the target of a run. Absent of the ' +
            'first one, and where the version before is not kept.',
        }),
      ),
      key: Type.Optional(
        Type.Object(
          {
            keyId: Id('Of the key.'),
            name: Type.Optional(Type.String({ description: 'Its name, where it has one.' })),
          },
          { description: 'The key that stored it, only where one did.' },
        ),
      ),
      changes: Type.Optional(
        Type.Array(ref(FieldChange), {
          description:
            'The changes; absent where the version before is not kept, empty of the first one.',
        }),
      ),
    },
    { description: 'A version of a schedule: one of its states, from one change to the next.' },
  ),
);

export const VersionPage = named<Wire.VersionPage>('VersionPage')(
  Type.Object(
    {
      items: Type.Array(ref(ScheduleVersion), {
        description: 'Newest first; the present one is the first of all.',
      }),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
    },
    { description: 'A page of the versions of a schedule.' },
  ),
);

export const VersionsQuery = proven<Wire.VersionsQuery>()(Type.Object({ ...page }));

export const RunRequestQuery = proven<Wire.RunRequestQuery>()(
  Type.Object({
    attempt: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 11,
        description: 'The number of the attempt. The last one if left out.',
      }),
    ),
  }),
);

export const SentRequest = named<Wire.SentRequest>('SentRequest')(
  Type.Object(
    {
      method: oneOf(VERBS, { description: 'The HTTP method.' }),
      url: Type.String({ description: 'With the data of a GET, HEAD or DELETE.' }),
      headers: strings({
        description: 'All but Host, Content-Length and what the connection adds.',
      }),
      body: Type.Optional(Type.String({ description: 'As it was sent.' })),
    },
    { description: 'A request as it was sent.' },
  ),
);

export const RunRequest = named<Wire.RunRequest>('RunRequest')(
  Type.Object(
    {
      runId: Id('Of the run.'),
      scheduleId: Id('Of its schedule.'),
      attempt: Type.Optional(
        Type.Integer({ description: 'From 1; absent where nothing was sent.' }),
      ),
      version: Type.Optional(
        Type.Integer({
          description: 'The version of the schedule that was sent; absent where it is not known.',
        }),
      ),
      presentVersion: Type.Integer({
        description: 'The version of the schedule now: it is what another run sends.',
      }),
      request: Type.Optional(ref(SentRequest)),
      masked: Type.Array(Type.String({ description: 'The name of a header.' }), {
        description:
          'The headers whose values are not told: `[secret]` stands for a secret, `[not kept]` for a value that nobody ' +
          'kept.',
      }),
      notes: Type.Array(Type.String({ description: 'One sentence.' }), {
        description: 'Gaps in this knowledge.',
      }),
    },
    { description: 'The request of a run, made anew from the schedule as it was then.' },
  ),
);
