import type * as Wire from '@punctual/client';
import Type, { type Static } from 'typebox';
import { VERBS } from '../../../domain/schedule/schedule.ts';
import {
  closed,
  Id,
  Instant,
  ignored,
  named,
  oneOf,
  orNull,
  proven,
  ref,
  strings,
} from './fields.ts';
import { Policy, PolicyPatch } from './policy.ts';
import { timingAnswer, timingInput, timingPatch } from './timing.ts';

/** Schedules: what is answered, and what a create, a replace and a patch may say. */

const STATUSES = ['enabled', 'disabled', 'deleted'] as const;
const SETTABLE = ['enabled', 'disabled'] as const;
const MOST_URL = 2_048;
const MOST_TEXT = 500;
export const MOST_BATCH_ITEMS = 1_000;

const verb = () => oneOf(VERBS, { description: 'How the target is called.' });
const interval = () =>
  Type.String({
    description:
      'When it fires: a cron expression of five fields, six with seconds in front, or a macro ' +
      'such as `@daily`; `at(2026-12-24T18:00:00)` for once; `rate(90 minutes)` for a period.',
    examples: ['*/5 * * * *'],
  });
const timezone = () =>
  Type.String({
    description: 'The IANA time zone in which the interval runs, exactly as in `/timezones`.',
    examples: ['Europe/Berlin'],
  });
const url = (description: string) =>
  Type.String({ description, maxLength: MOST_URL, examples: ['https://example.com/hook'] });
const label = () =>
  Type.String({ description: 'Free text to tell schedules apart.', maxLength: MOST_TEXT });
const headers = () =>
  strings({ description: 'Sent with the request. 16 KiB together.', maxProperties: 50 });
const data = () =>
  strings({
    description:
      'The payload: a JSON body (POST, PUT, PATCH, OPTIONS) or query parameters (GET, HEAD, ' +
      'DELETE). 128 KiB as JSON.',
  });
const settableStatus = () =>
  oneOf(SETTABLE, { description: 'Left out, it stays as it is; a new schedule is enabled.' });

const externalId = () =>
  Type.String({
    description:
      "The caller's own id: 1 to 128 of `A-Z a-z 0-9 . _ ~ : @ -`. Wherever an id stands in a path, `ext:` and it name the " +
      'same schedule.',
    examples: ['invoice-nightly'],
  });
const tags = () =>
  strings({
    description: 'Keys and values to select schedules by: 20 at most.',
    examples: [{ team: 'billing' }],
  });
const body = () =>
  Type.String({
    description:
      'The raw body, instead of `data`, for POST, PUT, PATCH and OPTIONS. 128 KiB of UTF-8.',
  });
const destination = () =>
  Type.String({
    description:
      'The name of a destination, whose hosts include that of the url: it says who the service is to the target.',
    examples: ['billing'],
  });
const STATUS_REASONS = ['completed', 'targetGone', 'targetDisabled', 'tooManyFailures'] as const;

const integration = {
  type: oneOf(['WEBHOOK'] as const, { description: 'A signed POST; there is no other yet.' }),
  url: url('Receives the callback.'),
  name: Type.String({ description: 'Free text to tell integrations apart.', maxLength: MOST_TEXT }),
  includeScheduleUrlInCallback: Type.Boolean({
    description: "Whether the callback carries the schedule's url. False by default.",
  }),
  callOnSuccess: Type.Boolean({
    description: 'Whether it is also called when a run succeeds. False by default.',
  }),
};

export const Integration = named<Wire.Integration>('Integration')(
  Type.Object(
    { id: Id('Given by the service.'), ...integration },
    { description: 'Somebody who is told when a run has ended for good.' },
  ),
);

export const IntegrationInput = named<Wire.IntegrationInput>('IntegrationInput')(
  Type.Object(
    {
      id: Type.Optional(
        Type.String({ description: "Kept where it was this schedule's; otherwise a new one." }),
      ),
      type: integration.type,
      url: integration.url,
      name: Type.Optional(integration.name),
      includeScheduleUrlInCallback: Type.Optional(integration.includeScheduleUrlInCallback),
      callOnSuccess: Type.Optional(integration.callOnSuccess),
    },
    { ...closed, description: 'Somebody to tell when a run has ended for good.' },
  ),
);

const CALLED = 'The callbacks that are sent when a run has ended for good.';
const integrations = () => Type.Array(ref(IntegrationInput), { description: CALLED, maxItems: 10 });

export const Schedule = named<Wire.Schedule>('Schedule')(
  Type.Object(
    {
      id: Id('Given by the service.'),
      status: oneOf(STATUSES, { description: 'Only an enabled one fires.' }),
      url: url('The target that is called.'),
      verb: verb(),
      interval: interval(),
      timezone: timezone(),
      createdAt: Instant('When it was made.'),
      updatedAt: Type.Optional(Instant('Absent until the first change.')),
      headers: Type.Optional(headers()),
      data: Type.Optional(data()),
      integrations: Type.Optional(Type.Array(ref(Integration), { description: CALLED })),
      label: label(),
      policy: Type.Optional(ref(Policy)),
      externalId: Type.Optional(externalId()),
      tags: Type.Optional(tags()),
      body: Type.Optional(body()),
      destination: Type.Optional(destination()),
      ...timingAnswer,
      statusReason: Type.Optional(
        oneOf(STATUS_REASONS, { description: 'Only where the service changed the status.' }),
      ),
    },
    { description: 'A stored schedule.' },
  ),
);

export const ScheduleInput = named<Wire.ScheduleInput>('ScheduleInput')(
  Type.Object(
    {
      url: url('The target: absolute, http or https.'),
      verb: verb(),
      interval: interval(),
      timezone: timezone(),
      status: Type.Optional(settableStatus()),
      headers: Type.Optional(headers()),
      data: Type.Optional(data()),
      integrations: Type.Optional(integrations()),
      label: Type.Optional(label()),
      policy: Type.Optional(ref(Policy)),
      externalId: Type.Optional(externalId()),
      tags: Type.Optional(tags()),
      body: Type.Optional(body()),
      destination: Type.Optional(destination()),
      ...timingInput,
      statusReason: ignored(),
      id: ignored(),
      createdAt: ignored(),
      updatedAt: ignored(),
    },
    { ...closed, description: 'A schedule to create, or to put in the place of one.' },
  ),
);

const mergedStrings = () =>
  Type.Unsafe<Record<string, string | null> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: ['string', 'null'] },
    description: 'Merged key by key; null removes.',
  });

export const SchedulePatch = named<Wire.SchedulePatch>('SchedulePatch')(
  Type.Object(
    {
      url: Type.Optional(url('The target: absolute, http or https.')),
      verb: Type.Optional(verb()),
      interval: Type.Optional(interval()),
      timezone: Type.Optional(timezone()),
      status: Type.Optional(settableStatus()),
      headers: Type.Optional(mergedStrings()),
      data: Type.Optional(mergedStrings()),
      integrations: Type.Optional(
        orNull<Static<typeof IntegrationInput>[]>(integrations(), {
          description: 'Replaced as a whole; null removes.',
        }),
      ),
      label: Type.Optional(orNull<string>(label())),
      policy: Type.Optional(
        orNull<Static<typeof PolicyPatch>>(PolicyPatch, {
          description: 'Merged key by key; null removes.',
        }),
      ),
      externalId: Type.Optional(orNull<string>(externalId())),
      tags: Type.Optional(mergedStrings()),
      body: Type.Optional(orNull<string>(body())),
      destination: Type.Optional(orNull<string>(destination())),
      ...timingPatch,
      statusReason: ignored(),
      id: ignored(),
      createdAt: ignored(),
      updatedAt: ignored(),
    },
    {
      ...closed,
      description: 'A JSON Merge Patch (RFC 7396): what is left out stays.',
    },
  ),
);

export const DeleteResult = named<Wire.DeleteResult>('DeleteResult')(
  Type.Object(
    { success: Type.Boolean({ description: 'Always true.' }) },
    { description: 'The schedule is deleted, now or since long.' },
  ),
);

export const SchedulePage = named<Wire.SchedulePage>('SchedulePage')(
  Type.Object(
    {
      items: Type.Array(ref(Schedule), { description: 'Newest first.' }),
      nextCursor: Type.Optional(
        Type.String({
          description:
            'Absent on the last page. A search among very many schedules may answer fewer than were ' +
            'asked for, or none, and go on here.',
        }),
      ),
    },
    { description: 'A page of schedules.' },
  ),
);

export const BatchInput = named<Wire.BatchInput>('BatchInput')(
  Type.Object(
    {
      items: Type.Array(ref(ScheduleInput), {
        description: 'Stored all, or none.',
        maxItems: MOST_BATCH_ITEMS,
      }),
    },
    { ...closed, description: 'Schedules to create together.' },
  ),
);

export const PatchManyInput = named<Wire.PatchManyInput>('PatchManyInput')(
  Type.Object(
    {
      ids: Type.Optional(
        Type.Array(
          Type.String({ description: 'The id of a schedule, or `ext:` and its external id.' }),
          { description: 'These, none of them twice.', minItems: 1, maxItems: MOST_BATCH_ITEMS },
        ),
      ),
      tag: Type.Optional(
        Type.String({
          description: 'All with this tag, 1,000 at most: `team:billing`, or `team` for any value.',
        }),
      ),
      patch: ref(SchedulePatch),
    },
    {
      ...closed,
      description: 'A patch for many schedules: exactly one of `ids` and `tag` selects them.',
    },
  ),
);

export const BatchResult = named<Wire.BatchResult>('BatchResult')(
  Type.Object(
    { items: Type.Array(ref(Schedule), { description: 'In order.' }) },
    { description: 'The schedules that were made, or changed.' },
  ),
);

export const page = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'The size of the page.' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the page before.' })),
};

export const tagFilter = () =>
  Type.Array(Type.String({ description: '`team:billing`, or `team` for any value.' }), {
    description: 'Only with these tags: repeat it, and all must hold.',
    maxItems: 20,
  });

export const HostFilter = () =>
  Type.String({ description: 'Of the url, with its port, in any case.' });

export const ScheduleQuery = proven<Wire.ScheduleQuery>()(
  Type.Object({
    ...page,
    status: Type.Optional(
      oneOf(STATUSES, { description: 'Deleted ones are left out unless asked for.' }),
    ),
    label: Type.Optional(Type.String({ description: 'Contained, any case.' })),
    url: Type.Optional(Type.String({ description: 'Contained, any case.' })),
    host: Type.Optional(HostFilter()),
    tag: Type.Optional(tagFilter()),
  }),
);
