import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SentRequest } from '@punctual/client';
import fc from 'fast-check';
import { shellWords } from '../src/paste/shell-words.ts';
import { curlCommand } from '../src/run/curl-command.ts';

test('a shell reads from the command exactly what was sent', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 30 }).map(text => `'${text}\\"$(x)`);
  fc.assert(
    fc.property(texts, texts, (value, body) => {
      const request: SentRequest = {
        method: 'PUT',
        url: `https://example.com/?q=${value}`,
        headers: { 'X-A': value, 'X-Empty': '', 'webhook-signature': '[secret]' },
        body,
      };
      assert.deepEqual(shellWords(curlCommand(request, ['webhook-signature'])), [
        ...['curl', '-X', 'PUT', request.url],
        ...['-H', `X-A: ${value}`, '-H', 'X-Empty;', '--data-raw', body],
      ]);
    }),
  );
});

test('a method is named where cURL would take another one', () => {
  const first = (method: SentRequest['method'], body?: string) => {
    const request = { method, url: 'u', headers: {}, ...(body !== undefined && { body }) };
    return shellWords(curlCommand(request))!.slice(1, -1);
  };
  assert.deepEqual(first('GET'), []);
  assert.deepEqual(first('HEAD'), ['--head']);
  assert.deepEqual(first('POST'), ['-X', 'POST']);
  assert.deepEqual(first('DELETE'), ['-X', 'DELETE']);
  assert.deepEqual(first('POST', 'x'), ['u', '--data-raw']);
});
