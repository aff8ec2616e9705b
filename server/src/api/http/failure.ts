import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { ERROR_CODE_HEADER, PunctualError, STORE_UNAVAILABLE } from '../../domain/errors.ts';
import { valueAt } from '../../domain/json-pointer.ts';
import { validationMessage } from './validation-message.ts';

/**
 * Answers with an error: `{"error": sentence}` and a status of the table (domain/errors.ts).
 *
 * Guarantee: a 500 says nothing about its cause, except that the store is unavailable. The log has
 * the rest, without headers, query or body, because these carry keys and secrets.
 */
export function answerFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = failureFrom(thrown, request);
  if (failure.status >= 500) {
    const err = failure.code === 'internal' ? failure.cause : failure;
    const { id: reqId, method, routeOptions } = request;
    request.log.error({ err, reqId, method, route: routeOptions.url }, 'failed');
  }
  // After a bad body Fastify would close the connection. Node reads the rest of it and goes on,
  // so that the answer is not lost to a client that is still sending.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  if (failure.code === 'unauthorized') reply.header('www-authenticate', 'ApiKey');
  reply.header(ERROR_CODE_HEADER, failure.code);
  return reply.code(failure.status).send({ error: publicSentence(failure) });
}

/** Of a route that serves files: what cannot be had as it is asked for is not there. */
export function answerFileFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { statusCode = 500 } = thrown as Partial<FastifyError>;
  const isCallers = statusCode >= 400 && statusCode < 500;
  return answerFailure(isCallers ? nothingHere() : thrown, request, reply);
}

export const WHO_CALLS =
  'The headers ClientId and ApiKey must name a client and one of its valid keys.';

export const NOTHING_HERE = 'There is nothing at this path for this method.';

export function nothingHere(): PunctualError {
  return new PunctualError('not_found', NOTHING_HERE);
}

function publicSentence(failure: PunctualError): string {
  if (failure.status < 500) return failure.message;
  return failure.code === 'store_unavailable'
    ? STORE_UNAVAILABLE
    : 'An internal error occurred; it has been logged.';
}

function failureFrom(thrown: unknown, request: FastifyRequest): PunctualError {
  if (thrown instanceof PunctualError) return thrown;
  if (!(thrown instanceof Error)) return internal(thrown);
  const { code, validation: [fault] = [], validationContext } = thrown as Partial<FastifyError>;
  if (fault !== undefined) {
    const part = validationContext ?? 'body';
    return new PunctualError(
      part === 'body' ? 'body_invalid' : 'request_invalid',
      validationMessage(fault, part),
      { refused: textAt(fault, part === 'body' ? request.body : request.query) },
    );
  }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new PunctualError('body_too_large', 'The body is larger than this operation takes.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new PunctualError('request_invalid', 'The Content-Type is not a media type.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new PunctualError('request_invalid', 'The request ended before it was complete.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
      return nothingHere();
    default:
      return internal(thrown);
  }
}

/** The text that the validator refuses; empty where that is none. */
function textAt({ instancePath }: FastifySchemaValidationError, document: unknown): string {
  const value = valueAt(document, instancePath)?.value;
  return typeof value === 'string' ? value : '';
}

function internal(cause: unknown): PunctualError {
  return new PunctualError('internal', 'Something that is no error of the caller.', { cause });
}
