import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { ERROR_CODE_HEADER, ERROR_STATUS } from '../../domain/errors.ts';
import { ref } from './schemas/fields.ts';
import { ErrorBody } from './schemas/time.ts';

/** How a caller of `/v1` says who it is: one of the two. */
export const BY_KEY: Record<string, string[]> = { ClientId: [], ApiKey: [] };
export const BY_SESSION: Record<string, string[]> = { SessionCookie: [], SessionHeader: [] };

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tag: 'schedules' | 'runs' | 'times' | 'figures' | 'access' | 'service';
  /** Names of path parameters, with what they are. */
  params?: Record<string, string>;
  query?: TSchema;
  body?: TSchema & { $id: string };
  answer: TSchema & { $id: string };
  /** What the answer carries beside its body. */
  answerHeaders?: Record<string, { type: string; description: string }>;
  /** The header by which the caller names the version that it knows. */
  condition?: 'If-Match' | 'If-None-Match';
  /** The answer is one schedule and carries its ETag. */
  isTagged?: boolean;
  /** Media types of the body, where there is more than the usual one. */
  consumes?: string[];
}

/**
 * What Fastify judges and serialises by, and what the document says, from one description. The
 * statuses are those of the interface: every operation can answer each of them.
 */
export function operation(described: Operation): FastifySchema {
  const { answer, condition, isTagged = false, ...rest } = described;
  const failure = failures(400, 401, 404, 500, ...(condition === 'If-Match' ? [412] : []));
  return {
    ...request(rest),
    ...(condition && { headers: conditionSchema(condition) }),
    response: {
      200: { ...success(answer), ...(isTagged && { headers: ETAG }) },
      ...(condition === 'If-None-Match' && { 304: { description: 'It is the version named.' } }),
      ...failure,
    },
  };
}

/** An operation whose answer is a stream of events, which no schema describes. */
export function streamOperation(described: Omit<Operation, 'answer'>): FastifySchema {
  const stream = {
    description: 'A stream that ends when either side closes it.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  };
  return { ...request(described), response: { 200: stream, ...failures(400, 401, 404, 500) } };
}

/** An operation outside `/v1`: it asks for nothing, so little can be wrong with it. */
export function openOperation(described: Operation, ...statuses: number[]): FastifySchema {
  const { answer, answerHeaders, ...rest } = described;
  return {
    ...request(rest),
    response: {
      200: { ...success(answer), ...(answerHeaders && { headers: answerHeaders }) },
      ...failures(400, 500, ...statuses),
    },
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

function conditionSchema(name: 'If-Match' | 'If-None-Match') {
  const effect =
    name === 'If-Match'
      ? 'the change is refused with 412 where the schedule is none of them'
      : 'the answer is 304 where the schedule is one of them';
  const description = `Entity tags of versions, or \`*\`: ${effect}.`;
  return { type: 'object', properties: { [name]: { type: 'string', description } } };
}

function request({ tag, params, query, body, ...words }: Omit<Operation, 'answer'>) {
  return {
    ...words,
    tags: [tag],
    ...(params && { params: paramsSchema(params) }),
    ...(query && { querystring: query }),
    ...(body && { body: ref(body) }),
  };
}

function success(answer: Operation['answer']) {
  return { description: 'The answer.', ...ref(answer) };
}

function failures(...statuses: number[]) {
  const failure = { description: 'What is wrong, and where.', headers: CODE, ...ref(ErrorBody) };
  return Object.fromEntries(statuses.map(status => [status, failure]));
}

function paramsSchema(params: Record<string, string>) {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(params).map(([name, description]) => [name, { type: 'string', description }]),
    ),
  };
}
