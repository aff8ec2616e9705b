import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import {
  answer,
  get,
  leftOpen,
  SENDER_SETTINGS,
  sender,
  serve,
} from '../support/outbound/target-server.ts';

/** The conditions of a success, judged where the body is read. */

const MOST = 64 * 1024;
const ok = { json: { pointer: '/ok', equals: true } };
const padded = (bytes: number) => {
  const json = '{"ok":true,"pad":""}';
  return `{"ok":true,"pad":"${'x'.repeat(bytes - json.length)}"}`;
};

after(async () => assert.deepEqual(await leftOpen(), []));

async function judged(t: TestContext, body: string, success: object) {
  const target = await serve(t, socket => socket.write(answer(body)));
  return sender(t).send(get(target.url, { success }));
}

test('a body of exactly 64 KiB is judged whole, and 4 KiB of it are kept', async t => {
  const result = await judged(t, padded(MOST), ok);
  assert.equal(result.outcome, 'response');
  assert.equal(result.unmet, undefined);
  assert.equal(result.responseBody, padded(MOST).slice(0, 4096));
});

test('one byte more is not read as JSON', async t => {
  const result = await judged(t, padded(MOST + 1), ok);
  assert.equal(result.responseStatus, 200);
  assert.match(result.unmet!, /^The body is longer than 64 KiB/);
});

test('a text counts where it stands in the first 64 KiB, and not behind them', async t => {
  const within = `${'x'.repeat(MOST - 4)}done${'x'.repeat(10)}`;
  const across = `${'x'.repeat(MOST - 3)}done`;
  assert.equal((await judged(t, within, { bodyContains: 'done' })).unmet, undefined);
  assert.equal(
    (await judged(t, across, { bodyContains: 'done' })).unmet,
    'The body does not contain "done".',
  );
  assert.equal((await judged(t, across, { bodyLacks: 'done' })).unmet, undefined);
});

test('a character that 64 KiB would cut in two does not count as another', async t => {
  const body = `${'x'.repeat(MOST - 1)}ä`;
  assert.equal((await judged(t, body, { bodyLacks: '\uFFFD' })).unmet, undefined);
});

test('an answer of 2 MiB is not waited for, and its start is judged', async t => {
  const result = await judged(t, 'y'.repeat(2 * 1024 * 1024), { bodyContains: 'yy' });
  assert.deepEqual([result.outcome, result.unmet], ['response', undefined]);
});

test('a body in the smallest pieces is judged as a whole one is', async t => {
  const body = padded(MOST);
  const target = await serve(t, socket => {
    const chunks = [...body].map(each => `1\r\n${each}\r\n`).join('');
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  });
  const { send } = sender(t);
  const met = await send(get(target.url, { success: ok }));
  const unmet = await send(get(target.url, { success: { bodyLacks: '"}' } }));
  assert.deepEqual([met.outcome, met.unmet], ['response', undefined]);
  assert.equal(unmet.unmet, 'The body contains "\\"}", and must not.');
});

test('no body: a text is missing, and it is no JSON', async t => {
  assert.equal(
    (await judged(t, '', { bodyContains: 'x' })).unmet,
    'The body does not contain "x".',
  );
  const result = await judged(t, '', ok);
  assert.equal(result.unmet, 'The body is not JSON, and /ok must be true.');
  assert.equal(result.responseBody, undefined);
});

test('NUL, which is not kept, is judged as it came', async t => {
  const result = await judged(t, 'a\0b', { bodyContains: 'a\0b' });
  assert.deepEqual([result.unmet, result.responseBody], [undefined, 'a\uFFFDb']);
});

test('a secret that the target echoes stays out of the sentence', async t => {
  const target = await serve(t, socket => socket.write(answer('{"ok":"Bearer the-token-of-ada"}')));
  const headers = ['Authorization', 'Bearer the-token-of-ada'];
  const result = await sender(t).send(
    get(target.url, { headers, ownHeaders: headers.length, success: ok }),
  );
  assert.equal(result.unmet, '/ok was "Bearer [secret]", and must be true.');
});

test('an answer that breaks off is not judged', async t => {
  const target = await serve(t, socket => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"ok":false}');
  });
  const result = await sender(t).send(get(target.url, { success: ok }));
  assert.deepEqual([result.outcome, result.unmet], ['connectionError', undefined]);
  assert.equal(result.responseBody, '{"ok":false}');
});

test('a sender thread judges as the main thread does', async t => {
  const target = await serve(t, (socket, nth) => socket.write(answer(`{"ok":${nth === 1}}`)));
  const pool = createSenderPool({
    ...SENDER_SETTINGS,
    allow: parseAllowTargets('127.0.0.0/8'),
    threads: 1,
  });
  t.after(() => pool.close());
  assert.equal((await pool.send(get(target.url, { success: ok }))).unmet, undefined);
  assert.equal(
    (await pool.send(get(target.url, { success: ok }))).unmet,
    '/ok was false, and must be true.',
  );
  assert.equal((await pool.send(get(target.url))).unmet, undefined);
});
