import assert from 'node:assert/strict';
import { ERROR_CODE_HEADER, ERROR_STATUS, type ErrorCode } from '../../../src/domain/errors.ts';
import type { Answer } from './service.ts';

/** Every error answer: the status, JSON, and one sentence under `error` with nothing beside it. */
export function assertError(answer: Answer, status: number, sentence = /./): void {
  assert.equal(answer.status, status, answer.text);
  assertErrorCode(answer.headers.get(ERROR_CODE_HEADER), status);
  assertErrorBody(answer.headers.get('content-type') ?? '', answer.text, sentence);
}

/** Every error answer says its code, which has this status. */
export function assertErrorCode(code: string | null | undefined, status: number): void {
  assert.ok(typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code), `code: ${code}`);
  if (status !== 503) assert.equal(ERROR_STATUS[code as ErrorCode], status);
}

export function assertErrorBody(contentType: string, text: string, sentence = /./): void {
  assert.match(contentType, /^application\/json/);
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body), ['error']);
  assert.match(body.error, sentence);
  assert.match(body.error, /^[^\s\p{C}][^\p{C}]*\.$/u, 'one sentence, on one line');
  // What the caller sent may stand in quotes.
  const own = body.error.replace(/".*"/su, '');
  assert.doesNotMatch(own, /\.[jt]s:\d|node_modules|SELECT|INSERT|FST_|HPE_|ERR_|undefined/);
}

export function assertOk(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
}

export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
