import assert from 'node:assert/strict';
import { after, before, mock, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { HeldParts } from '../../src/outbound/held-parts.ts';
import type { CommonPart } from '../../src/outbound/send.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import { tlsSettingsOf } from '../../src/outbound/tls-settings.ts';
import { authority, type KeyPair, signedBy } from '../support/outbound/certificates.ts';
import { answer, get, leftOpen, serve } from '../support/outbound/target-server.ts';
import { serveTls } from '../support/outbound/tls-target.ts';

/** The part that requests have in common goes to each thread once. */

after(async () => assert.deepEqual(await leftOpen(), []));

let ours: KeyPair;
let server: KeyPair;
before(async () => {
  ours = await authority('Ours');
  server = await signedBy(ours, 'server');
});

function threads(t: TestContext, count: number) {
  const made = createSenderPool({
    allow: parseAllowTargets('127.0.0.0/8, ::1, localhost'),
    ...{ connectionsPerOrigin: 8, maxOrigins: 100, maxLookups: 32, threads: count },
  });
  t.after(() => made.close());
  return made;
}

/** The texts that threads are posted. */
function posted(t: TestContext): { countOf(text: string): number } {
  const posting = mock.method(Worker.prototype, 'postMessage');
  t.after(() => posting.mock.restore());
  return {
    countOf: text =>
      posting.mock.calls.filter(({ arguments: [message] }) => `${message}`.includes(text)).length,
  };
}

const JSON_OF = (text: string) => JSON.stringify(text).slice(1, -1);

test('certificates, keys and secrets travel once to a thread, and again where they have changed', async t => {
  const ca = ours.certificate;
  const target = await serveTls(t, server, { requestCert: true, ca });
  const posts = posted(t);
  const { send } = threads(t, 1);
  const names: (string | undefined)[] = [];
  for (const name of ['ada', 'bob']) {
    const pair = await signedBy(ours, name);
    const common = { tls: tlsSettingsOf({ ...pair, ca }), secrets: [`the-secret-of-${name}`] };
    for (let nth = 0; nth < 4; nth += 1) {
      names.push((await send(get(target.url, { common }))).responseBody);
    }
    for (const text of [pair.certificate, pair.key, `the-secret-of-${name}`]) {
      assert.equal(posts.countOf(JSON_OF(text)), 1);
    }
  }
  assert.deepEqual(names, [...Array(4).fill('ada'), ...Array(4).fill('bob')]);
});

test('requests of one turn share it, and each thread gets its own', async t => {
  const open: (() => void)[] = [];
  const secret = 'a-secret-of-many';
  const target = await serve(t, socket => open.push(() => socket.write(answer(secret))));
  const posts = posted(t);
  const { send } = threads(t, 2);
  const common = { secrets: [secret] };
  const results = Array.from({ length: 6 }, () => send(get(target.url, { common })));
  let ended = 0;
  for (const each of results) void each.then(() => ended++);
  while (ended < 6) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  for (const each of results) assert.equal((await each).responseBody, '[secret]');
  assert.equal(posts.countOf(secret), 2);
});

test('more parts than a thread may hold: each request still goes out with its own', async t => {
  const secretOf = (nth: number) => `secret-${nth}-${'x'.repeat(4 * 1024 * 1024)}`;
  const parts = [0, 1, 2, 3, 4].map(nth => ({ secrets: [secretOf(nth), `own-secret-${nth}`] }));
  const lasting = { secrets: ['lasting-secret'] };
  const body = ['lasting-secret', ...parts.map((_, nth) => `own-secret-${nth}`)].join(' ');
  const target = await serve(t, socket => socket.write(answer(body)));
  const posts = posted(t);
  const { send } = threads(t, 1);
  for (let round = 0; round < 2; round += 1) {
    // All in one message: what is forgotten in between is forgotten in order.
    const order = parts.flatMap(part => [part, lasting]);
    const results = await Promise.all(order.map(common => send(get(target.url, { common }))));
    for (const [at, { responseBody }] of results.entries()) {
      const own = at % 2 === 1 ? 'lasting-secret' : `own-secret-${at / 2}`;
      assert.equal(responseBody, body.replace(own, '[secret]'));
    }
  }
  assert.equal(posts.countOf('"own-secret-0"'), 2, 'it was forgotten meanwhile');
  assert.equal(posts.countOf('"lasting-secret"'), 1);
});

test('of parts that do not fit together the one that was used least recently is forgotten', () => {
  const forgotten: number[] = [];
  const held = new HeldParts(number => forgotten.push(number));
  const part = (megabytes: number): CommonPart => ({
    secrets: ['x'.repeat(megabytes * 1024 * 1024)],
  });
  const [one, two, three] = [part(6), part(6), part(6)];
  assert.deepEqual(held.messageOf(one), [1, one]);
  assert.deepEqual(held.messageOf(two), [2, two]);
  assert.equal(held.messageOf(one), 1);
  assert.deepEqual(held.messageOf(three), [3, three]);
  assert.deepEqual(forgotten, [2]);
  assert.deepEqual(held.messageOf(two), [4, two], 'a number never comes back');
  assert.deepEqual(forgotten, [2, 1]);
});

test('a part that is larger than all may be takes the place of all, and small ones have a bound too', () => {
  const forgotten: number[] = [];
  const held = new HeldParts(number => forgotten.push(number));
  const small: CommonPart[] = Array.from({ length: 1_001 }, () => ({}));
  for (const each of small) held.messageOf(each);
  assert.deepEqual(forgotten, [1]);
  const large = { secrets: ['x'.repeat(17 * 1024 * 1024)] };
  held.messageOf(large);
  assert.equal(forgotten.length, 1_001);
  assert.equal(held.messageOf(large), 1_002);
});
