import type * as Wire from '@punctual/client';
import Type, { type Static } from 'typebox';
import { closed, named, nullableOf, oneOf, orNull, proven, ref } from './fields.ts';

/** The policy of a schedule: how its firing behaves. */

const OVERLAPS = ['skip', 'bufferOne'] as const;
const KEPT = ['all', 'headers', 'none'] as const;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const MOST_CONTAINED = 500;

const timeoutSeconds = () =>
  Type.Integer({
    description: 'Time limit of one attempt, from connecting to the last byte. 30 by default.',
    minimum: 1,
    maximum: 1_800,
  });
const maxRetries = () =>
  Type.Integer({
    description:
      'Attempts after the first one. As many as `retryDelaysSeconds` has by default, 3 without it.',
    minimum: 0,
    maximum: 10,
  });
const catchUpSeconds = () =>
  Type.Integer({
    description: 'How old a time that passed unseen may be and still fire. 86,400 by default.',
    minimum: 0,
    maximum: 31_536_000,
  });
const template = () =>
  Type.Boolean({
    description:
      'Whether `{{run.id}}` and other names are replaced in url, headers, data and body. False by default.',
  });
const statuses = (description: string, minItems: number, example: string[]) =>
  Type.Array(Type.String({ description: 'A status such as `304`, or a class such as `2xx`.' }), {
    description,
    minItems,
    maxItems: 20,
    examples: [example],
  });
const retryDelaysSeconds = () =>
  Type.Array(Type.Integer({ minimum: 1, maximum: DAY_SECONDS, description: 'Seconds.' }), {
    description:
      'The delay before each retry, instead of 5, 30, 120 and so on. Beyond its end the last one repeats.',
    minItems: 1,
    maxItems: 10,
    examples: [[1, 10, 60]],
  });
const retryForSeconds = () =>
  Type.Integer({
    description: 'No retry starts later than this after the nominal time.',
    minimum: 1,
    maximum: WEEK_SECONDS,
    examples: [600],
  });
const retryStatuses = () =>
  statuses(
    'Statuses and classes to retry, instead of 408, 425, 429 and 5xx. None: only errors of the network and timeouts.',
    0,
    ['429', '5xx'],
  );
const overlap = () =>
  oneOf(OVERLAPS, {
    description:
      'The fate of times that come while a run of the schedule is going: `skip` by default; with `bufferOne` the latest ' +
      'starts when the run ends.',
  });
const disableAfterFailures = () =>
  Type.Integer({
    description: 'The schedule is disabled after this many failed runs in a row.',
    minimum: 1,
    maximum: 1_000,
  });
const disableOnGone = () =>
  Type.Boolean({ description: 'Whether a 410 disables the schedule. False by default.' });
const keepResponse = () =>
  oneOf(KEPT, { description: 'The part of an answer that history keeps: `all` by default.' });
const obeyTarget = () =>
  Type.Boolean({
    description: 'Whether the `Punctual-Control` of the target is obeyed. True by default.',
  });
const deadlineSeconds = () =>
  Type.Integer({
    description: 'The time from the 202 to the completion.',
    minimum: 1,
    maximum: WEEK_SECONDS,
  });
const COMPLETION = 'A target that answers 202 tells the end of its run later.';

const contained = (description: string, example: string) =>
  Type.String({ description, minLength: 1, maxLength: MOST_CONTAINED, examples: [example] });
const successStatuses = () => statuses('Any of these. `["2xx"]` by default.', 1, ['2xx', '304']);
const bodyContains = () => contained('A text that the body must contain.', 'done');
const bodyLacks = () => contained('A text that the body must not contain.', 'error');
const pointer = () =>
  Type.String({
    description: 'Its place, by RFC 6901.',
    maxLength: MOST_CONTAINED,
    examples: ['/ok'],
  });
const equals = () =>
  Type.Unsafe<string | number | boolean | null>({
    type: ['string', 'number', 'boolean', 'null'],
    description: 'The value that must stand there.',
    examples: [true],
  });
const SUCCESS =
  'The conditions that make an answer a success: all must hold. The first 64 KiB of the body are judged.';
const JSON_VALUE = 'A value of a JSON body.';

export const Success = named<Wire.Success>('Success')(
  Type.Object(
    {
      statuses: Type.Optional(successStatuses()),
      bodyContains: Type.Optional(bodyContains()),
      bodyLacks: Type.Optional(bodyLacks()),
      json: Type.Optional(
        Type.Object(
          { pointer: pointer(), equals: equals() },
          { ...closed, description: JSON_VALUE },
        ),
      ),
    },
    { ...closed, description: SUCCESS },
  ),
);

const SuccessPatch = proven<Wire.SuccessPatch>()(
  Type.Object(
    {
      statuses: Type.Optional(orNull<string[]>(successStatuses())),
      bodyContains: Type.Optional(orNull<string>(bodyContains())),
      bodyLacks: Type.Optional(orNull<string>(bodyLacks())),
      json: Type.Optional(
        orNull<{ pointer?: string | null; equals?: string | number | boolean | null }>(
          Type.Object(
            {
              pointer: Type.Optional(orNull<string>(pointer())),
              equals: Type.Optional(equals()),
            },
            { ...closed, description: JSON_VALUE },
          ),
        ),
      ),
    },
    { ...closed, description: SUCCESS },
  ),
);

export const Policy = named<Wire.Policy>('Policy')(
  Type.Object(
    {
      timeoutSeconds: Type.Optional(timeoutSeconds()),
      maxRetries: Type.Optional(maxRetries()),
      catchUpSeconds: Type.Optional(catchUpSeconds()),
      template: Type.Optional(template()),
      success: Type.Optional(ref(Success)),
      retryDelaysSeconds: Type.Optional(retryDelaysSeconds()),
      retryForSeconds: Type.Optional(retryForSeconds()),
      retryStatuses: Type.Optional(retryStatuses()),
      overlap: Type.Optional(overlap()),
      disableAfterFailures: Type.Optional(disableAfterFailures()),
      disableOnGone: Type.Optional(disableOnGone()),
      keepResponse: Type.Optional(keepResponse()),
      obeyTarget: Type.Optional(obeyTarget()),
      completion: Type.Optional(
        Type.Object({ deadlineSeconds: deadlineSeconds() }, { ...closed, description: COMPLETION }),
      ),
    },
    { ...closed, description: "How one schedule's firing behaves." },
  ),
);

export const PolicyPatch = proven<Wire.PolicyPatch>()(
  Type.Object(
    {
      timeoutSeconds: Type.Optional(orNull<number>(timeoutSeconds())),
      maxRetries: Type.Optional(orNull<number>(maxRetries())),
      catchUpSeconds: Type.Optional(orNull<number>(catchUpSeconds())),
      template: Type.Optional(orNull<boolean>(template())),
      retryDelaysSeconds: Type.Optional(orNull<number[]>(retryDelaysSeconds())),
      retryForSeconds: Type.Optional(orNull<number>(retryForSeconds())),
      retryStatuses: Type.Optional(orNull<string[]>(retryStatuses())),
      overlap: Type.Optional(orNull<Wire.Overlap>(nullableOf(OVERLAPS, overlap()))),
      disableAfterFailures: Type.Optional(orNull<number>(disableAfterFailures())),
      disableOnGone: Type.Optional(orNull<boolean>(disableOnGone())),
      keepResponse: Type.Optional(orNull<Wire.KeepResponse>(nullableOf(KEPT, keepResponse()))),
      obeyTarget: Type.Optional(orNull<boolean>(obeyTarget())),
      success: Type.Optional(orNull<Static<typeof SuccessPatch>>(SuccessPatch)),
      completion: Type.Optional(
        orNull<{ deadlineSeconds?: number | null }>(
          Type.Object(
            { deadlineSeconds: Type.Optional(orNull<number>(deadlineSeconds())) },
            { ...closed, description: COMPLETION },
          ),
        ),
      ),
    },
    closed,
  ),
);
