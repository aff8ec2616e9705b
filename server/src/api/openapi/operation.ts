import type { FastifySchema } from 'fastify';
import { ERROR_CODE_HEADER, ERROR_STATUS } from '../../domain/errors.ts';
import { PARAMETERS } from './parameters.ts';
import { type Named, type Proven, ref } from './schemas/fields.ts';
import { ErrorBody } from './schemas/time.ts';

/** The ways in which a caller of `/v1` says who it is. */
export const BY_KEY: Record<string, string[]> = { ClientId: [], ApiKey: [] };
const BY_SESSION: Record<string, string[]> = { SessionCookie: [], SessionHeader: [] };

/** Each path under it asks for a key or a session. */
export const V1 = '/v1';
export const isV1 = (path: string) => path.startsWith(`${V1}/`);

/** The answer of an operation that no schema describes. */
export const EVENT_STREAM = { mediaType: 'text/event-stream' } as const;

/** One method of one path, as the document of the API tells it. */
export interface Operation<
  Path extends string = string,
  Query = unknown,
  Body = unknown,
  Answer = unknown,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Whole, with its parameters as `:scheduleId`. */
  path: Path;
  operationId: string;
  summary: string;
  description: string;
  tag:
    | 'schedules'
    | 'runs'
    | 'times'
    | 'calendars'
    | 'destinations'
    | 'figures'
    | 'access'
    | 'service';
  query?: Proven<Query>;
  body?: Named<Body>;
  answer: Named<Answer> | typeof EVENT_STREAM;
  /** Headers of the answer. */
  answerHeaders?: Record<string, { type: string; description: string }>;
  /** The header by which the caller names the version that it knows. */
  condition?: 'If-Match' | 'If-None-Match';
  /** It makes what is not there: the caller may demand that it is not. */
  isUpsert?: boolean;
  /** It takes an `Idempotency-Key`. */
  isKeyed?: boolean;
  /** The answer is one schedule and carries its ETag. */
  isTagged?: boolean;
  /** Media types of the body, where there is more than the usual one. */
  consumes?: string[];
  /** The ways in which a caller may say who it is; left out: a key or a session. */
  security?: Record<string, string[]>[];
  /** Statuses of errors beside those that every operation may answer. */
  statuses?: number[];
  example: Example<Query, Body, Answer>;
}

/**
 * A request and its answer, as the reference shows them. A test sends each of them to a service, with ids of its own
 * (test/service/examples.test.ts). Examples of path parameters stand in parameters.ts.
 */
interface Example<Query = unknown, Body = unknown, Answer = unknown> {
  query?: Query;
  body?: Body;
  answer: Answer;
}

/** The schema by which Fastify judges requests and serialises answers, and which the document shows. */
export function schemaOf(operation: Operation): FastifySchema {
  const { path, operationId, summary, description, tag, query, body, consumes } = operation;
  const params = paramsIn(path);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(isV1(path) && { security: operation.security ?? [BY_KEY, BY_SESSION] }),
    ...(consumes && { consumes }),
    ...(params.length > 0 && { params: paramsSchema(params) }),
    ...(query && { querystring: query }),
    ...(body && { body: ref(body) }),
    ...headersOf(operation),
    response: { ...success(operation), ...failures(operation) },
  };
}

const CODE = {
  [ERROR_CODE_HEADER]: {
    type: 'string',
    enum: Object.keys(ERROR_STATUS),
    description: 'The code of the error, for programs: docs/errors.md lists them.',
  },
};

const ETAG = {
  ETag: { type: 'string', description: 'The version of the schedule, in quotes: for `If-Match`.' },
};

const REPLAYED = {
  'Idempotent-Replayed': {
    type: 'string',
    enum: ['true'],
    description: 'Only where an earlier call with this `Idempotency-Key` made it.',
  },
};

const REQUEST_HEADERS = {
  'If-Match':
    'Entity tags of versions, or `*`: the change is refused with 412 where the schedule is none of them.',
  'If-None-Match':
    'Entity tags of versions, or `*`: the answer is 304 where the schedule is one of them.',
  isUpsert: '`*`: the change is refused with 412 where the schedule is there.',
  isKeyed:
    '1 to 255 printable ASCII characters, in quotes or without. For 24 hours the same request with it makes nothing ' +
    'again, and is answered with the present state of what the first one made. Another request with it is a 422, and ' +
    'one while the first goes on a 409.',
};

function headersOf({ condition, isUpsert, isKeyed }: Operation) {
  const described = {
    ...(condition && { [condition]: REQUEST_HEADERS[condition] }),
    ...(isUpsert && { 'If-None-Match': REQUEST_HEADERS.isUpsert }),
    ...(isKeyed && { 'Idempotency-Key': REQUEST_HEADERS.isKeyed }),
  };
  const properties = Object.entries(described).map(([name, description]) => [
    name,
    { type: 'string', description },
  ]);
  if (properties.length === 0) return {};
  return { headers: { type: 'object', properties: Object.fromEntries(properties) } };
}

function success({ answer, answerHeaders, isTagged, isKeyed, condition }: Operation) {
  if ('mediaType' in answer) return { 200: STREAM };
  const told = { ...answerHeaders, ...(isTagged && ETAG), ...(isKeyed && REPLAYED) };
  const headers = Object.keys(told).length > 0 ? told : undefined;
  return {
    200: { description: 'The answer.', ...ref(answer), ...(headers && { headers }) },
    ...(condition === 'If-None-Match' && { 304: { description: 'It is the version named.' } }),
  };
}

const STREAM = {
  description: 'A stream that ends when either side closes it.',
  content: { [EVENT_STREAM.mediaType]: { schema: { type: 'string' } } },
};

/** An operation outside `/v1` asks for nothing, so little can be wrong with it. */
function failures({ path, condition, isKeyed, statuses = [] }: Operation) {
  const usual = isV1(path) ? [400, 401, 404, 500] : [400, 500];
  const conditional = condition === 'If-Match' ? [412] : [];
  const keyed = isKeyed ? [409, 422] : [];
  const all = [...usual, ...conditional, ...keyed, ...statuses];
  const failure = { description: 'The error, and its place.', headers: CODE, ...ref(ErrorBody) };
  return Object.fromEntries(all.map(status => [status, failure]));
}

type Parameter = keyof typeof PARAMETERS;

function paramsIn(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as Parameter);
}

function paramsSchema(names: Parameter[]) {
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map(name => [name, { type: 'string', description: PARAMETERS[name].description }]),
    ),
  };
}
