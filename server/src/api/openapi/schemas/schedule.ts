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
      'such as `@daily`.',
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

const timeoutSeconds = {
  description: 'Time limit of one attempt, from connecting to the last byte. 30 by default.',
  minimum: 1,
  maximum: 1_800,
};
const maxRetries = {
  description: 'Attempts after the first one. 3 by default.',
  minimum: 0,
  maximum: 10,
};
const catchUpSeconds = {
  description: 'How old a time that passed unseen may be and still fire. 86,400 by default.',
  minimum: 0,
  maximum: 31_536_000,
};

export const Policy = named<Wire.Policy>('Policy')(
  Type.Object(
    {
      timeoutSeconds: Type.Optional(Type.Integer(timeoutSeconds)),
      maxRetries: Type.Optional(Type.Integer(maxRetries)),
      catchUpSeconds: Type.Optional(Type.Integer(catchUpSeconds)),
    },
    { ...closed, description: "How one schedule's firing behaves." },
  ),
);

export const PolicyPatch = proven<Wire.PolicyPatch>()(
  Type.Object(
    {
      timeoutSeconds: Type.Optional(orNull<number>(Type.Integer(timeoutSeconds))),
      maxRetries: Type.Optional(orNull<number>(Type.Integer(maxRetries))),
      catchUpSeconds: Type.Optional(orNull<number>(Type.Integer(catchUpSeconds))),
    },
    closed,
  ),
);

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

export const BatchResult = named<Wire.BatchResult>('BatchResult')(
  Type.Object(
    { items: Type.Array(ref(Schedule), { description: 'In the order of the request.' }) },
    { description: 'What was created.' },
  ),
);

export const page = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'The size of the page.' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the page before.' })),
};

export const ScheduleQuery = proven<Wire.ScheduleQuery>()(
  Type.Object({
    ...page,
    status: Type.Optional(
      oneOf(STATUSES, { description: 'Deleted ones are left out unless asked for.' }),
    ),
    label: Type.Optional(Type.String({ description: 'Contained, any case.' })),
    url: Type.Optional(Type.String({ description: 'Contained, any case.' })),
  }),
);
