import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { allSecrets, redact, secretTexts } from '../../src/domain/run/redaction.ts';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import { answer, get, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

/** What a destination adds stays out of what is kept; what a token endpoint answers is not kept at all. */

after(async () => assert.deepEqual(await leftOpen(), []));

const TOKEN = 'a token with "quotes" & Ωmega';

function senderOf(t: TestContext, threads: number) {
  if (threads === 0) return sender(t);
  const pool = createSenderPool({
    allow: parseAllowTargets('127.0.0.0/8'),
    ...{ connectionsPerOrigin: 8, maxOrigins: 8, maxLookups: 8, threads },
  });
  t.after(() => pool.close());
  return pool;
}

for (const threads of [0, 1]) {
  const where = threads === 0 ? 'the main thread' : 'a thread';

  test(`the given secrets are not kept of an answer, in no spelling: ${where}`, async t => {
    const body = JSON.stringify({ echo: TOKEN, url: `/?t=${encodeURIComponent(TOKEN)}` });
    const target = await serve(t, socket =>
      socket.write(answer(body, '302 Found', [`Location: /?t=${encodeURIComponent(TOKEN)}`])),
    );
    const secrets = secretTexts([TOKEN, 'short']);
    const { send } = senderOf(t, threads);
    // The secrets of one request alone, and those that it shares with others: before and after they are known there.
    for (const given of [
      { secrets },
      { common: { secrets } },
      { common: { secrets }, secrets: [] },
    ]) {
      for (let nth = 0; nth < 2; nth += 1) {
        const { responseHeaders, responseBody } = await send(get(target.url, given));
        assert.equal(responseHeaders!.location, '/?t=[secret]');
        assert.equal(responseBody, '{"echo":"[secret]","url":"/?t=[secret]"}');
      }
    }
  });

  test(`secrets of the request, its headers and its destination go together: ${where}`, async t => {
    const target = await serve(t, socket =>
      socket.write(answer('of-the-url of-headers of-the-destination')),
    );
    const { send } = senderOf(t, threads);
    const { responseBody } = await send(
      get(target.url, {
        ...{ headers: ['X-Token', 'of-headers'], ownHeaders: 2 },
        ...{ secrets: ['of-the-url'], common: { secrets: ['of-the-destination'] } },
      }),
    );
    assert.equal(responseBody, '[secret] [secret] [secret]');
  });

  test(`a private answer comes whole, and nothing of it is kept: ${where}`, async t => {
    const body = JSON.stringify({ access_token: 'x'.repeat(20_000) });
    const target = await serve(t, (socket, nth) =>
      socket.write(
        answer(nth === 1 ? body : 'y'.repeat(64 * 1024 + 1), '200 OK', ['X-Own: token']),
      ),
    );
    const { send } = senderOf(t, threads);
    const request = get(target.url, { isPrivate: true });
    const { privateBody, responseHeaders, responseBody, responseStatus } = await send(request);
    assert.equal(privateBody, body);
    assert.deepEqual([responseStatus, responseHeaders, responseBody], [200, undefined, undefined]);
    assert.equal((await send(request)).privateBody, null, 'more than 64 KiB');
  });
}

test('a secret of eight characters or more is found in each of its spellings, and none of fewer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), secret => {
      const texts = secretTexts([secret]);
      if (secret.length < 8) return assert.deepEqual(texts, []);
      const form = new URLSearchParams({ '': secret }).toString().slice(1);
      const slashed = JSON.stringify(secret).replaceAll('/', '\\/');
      const spellings = [secret, JSON.stringify(secret), encodeURIComponent(secret), form, slashed];
      for (const spelling of spellings) {
        const kept = redact(`before ${spelling} after`, texts);
        assert.match(kept, /^before "?\[secret\]"? after$/);
      }
    }),
  );
});

test('a secret that is a part of another one does not spoil it', () => {
  const both = allSecrets(secretTexts(['12345678']), ['0123456789']);
  assert.equal(redact('0123456789 and 12345678', both), '[secret] and [secret]');
});
