import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PunctualError } from '../../domain/errors.ts';
import { readJson } from './json.ts';
import { nextSlice } from './slices.ts';
import { synchronousHook } from './synchronous-hook.ts';

/**
 * Bodies are JSON in UTF-8, not compressed, and declared so. The headers about a body are checked
 * before its first byte is read. Fastify checks the size as soon as it is known.
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyDigest', undefined);
  app.addHook('preParsing', (request, _reply, payload, done) => {
    checkBodyHeaders(request);
    done(null, payload);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    const read = () => {
      if (request.headers['idempotency-key'] !== undefined) {
        request.bodyDigest = hash('sha256', bytes);
      }
      parse(bytes, done);
    };
    if (bytes.length < LARGE_BYTES) read();
    else void nextSlice(request.caller?.clientRowId ?? 0).then(read);
  });
}

function parse(bytes: Buffer, done: (error: Error | null, value?: unknown) => void): void {
  let value: unknown;
  try {
    value = readJson(bytes);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, value);
}

/**
 * For operations that have none: whatever is sent is left unread, since HTTP gives it no meaning
 * there, and a client that always sends `{}` is not worth an error.
 */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', synchronousHook(forgetBody));
  app.addContentTypeParser('*', async () => undefined);
}

/** Not deleted: an object that lost a property is slower to read for all that follows. */
function forgetBody({ raw: { headers } }: FastifyRequest): void {
  if (headers['content-type'] !== undefined) headers['content-type'] = undefined;
}

/** @throws PunctualError `request_invalid` */
function checkBodyHeaders({ headers, method }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw refused('The Content-Encoding must be identity: send the body uncompressed.');
  }
  const accepted = method === 'PATCH' ? PATCH_TYPES : TYPES;
  if (!isTyped(headers['content-type'] ?? '', accepted)) {
    throw refused(`The Content-Type must be ${accepted.join(' or ')}, in UTF-8.`);
  }
}

/** Of the parameters only charset says anything about JSON (RFC 8259, 11). */
function isTyped(contentType: string, accepted: readonly string[]): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  return (
    accepted.includes(type.trim()) &&
    parameters.every(text => !/^\s*charset\b/.test(text) || UTF_8.test(text))
  );
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}

/** From here on, to read it takes more than a moment: a millisecond or more. */
const LARGE_BYTES = 64 * 1024;
const TYPES = ['application/json'];
const PATCH_TYPES = [...TYPES, 'application/merge-patch+json'];
const UTF_8 = /^\s*charset=(?:utf-8|"utf-8")\s*$/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the bytes of a body that came with an `Idempotency-Key`. */
    bodyDigest?: string | undefined;
  }
}
