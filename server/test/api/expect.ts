import assert from 'node:assert/strict';
import type { Answer } from './service.ts';

/** Every error answer: the status, JSON, and one sentence under `error` with nothing beside it. */
export function assertError(answer: Answer, status: number, sentence = /./): void {
  assert.equal(answer.status, status, answer.text);
  assertErrorBody(answer.headers.get('content-type') ?? '', answer.text, sentence);
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
