import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, type TestContext, test } from 'node:test';
import { checkTargetUrl, parseAllowTargets } from '../../src/domain/schedule/target.ts';
import vectors from '../data/target-urls.json' with { type: 'json' };
import { answer, get, leftOpen, names, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

/** Two tests need a listener on ::1, which not every container has. */
const IPV6 = Object.values(networkInterfaces()).some(all =>
  all?.some(one => one.address === '::1'),
);
const PUBLIC_ONLY = parseAllowTargets('');
const refuses = (what: string) =>
  new RegExp(`${what}, which is refused unless PUNCTUAL_ALLOW_TARGETS opens it\\.$`);

interface Vector {
  url: string;
  must: string;
  stage: string;
  why: string;
  dns?: { A?: string[]; AAAA?: string[]; sequence?: string[][]; NXDOMAIN?: boolean };
  redirectTo?: string;
}

/** Sends to a listener that must never see a connection, by way of its own port. */
async function isBlocked(t: TestContext, url: string, resolved: string[][]): Promise<void> {
  const listener = await serve(t, socket => socket.write(answer('reached')));
  const left = [...resolved];
  const resolve = async () => left.shift() ?? [];
  const { send } = sender(t, { allow: PUBLIC_ONLY, resolve });
  const parsed = new URL(url);
  parsed.port = String(listener.port);
  const result = await send(get(parsed.href));
  assert.notEqual(result.outcome, 'response');
  if (resolved.length > 0) assert.equal(result.outcome, 'blocked');
  assert.equal(result.responseStatus, undefined);
  assert.equal(listener.connections, 0);
}

for (const vector of vectors as Vector[]) {
  const name = `${vector.must} at ${vector.stage}: ${JSON.stringify(vector.url)}, ${vector.why}`;
  if (vector.stage === 'create') {
    test(name, () => {
      const check = () => checkTargetUrl(vector.url, PUBLIC_ONLY, 'url');
      if (vector.must === 'allow') check();
      else assert.throws(check, { name: 'PunctualError', code: /^target_(invalid|refused)$/ });
    });
  } else if (vector.stage === 'connect' && vector.must === 'block') {
    test(name, async t => {
      const { A = [], AAAA = [], sequence, NXDOMAIN } = vector.dns!;
      // A rebinding name is public when it is first looked up, and something else when it counts.
      const resolved = sequence?.slice(1) ?? (NXDOMAIN ? [] : [[...A, ...AAAA]]);
      if (URL.canParse(vector.url)) await isBlocked(t, vector.url, resolved);
      else assert.throws(() => checkTargetUrl(vector.url, PUBLIC_ONLY, 'url'));
    });
  } else if (vector.stage === 'connect') {
    test(name, async t => {
      // It is let through at create time, and what it resolves to would be dialled. The test opens
      // the name to loopback instead, and looks at what arrives.
      checkTargetUrl(vector.url, PUBLIC_ONLY, 'url');
      const url = new URL(vector.url);
      const listener = await serve(t, socket => socket.write(answer('')));
      const resolve = async () => ['127.0.0.1'];
      const allow = parseAllowTargets(url.hostname);
      url.port = String(listener.port);
      const plain = url.href.replace(/^https/, 'http');
      assert.equal((await sender(t, { allow, resolve }).send(get(plain))).outcome, 'response');
      assert.ok(listener.requests[0]!.head.startsWith(`GET ${url.pathname} `));
    });
  } else {
    test(`${name}: ${vector.redirectTo}`, async t => {
      const asked: string[] = [];
      const resolve = async (hostname: string) => {
        asked.push(hostname);
        return ['127.0.0.1'];
      };
      const location = `Location: ${vector.redirectTo}`;
      const target = await serve(t, socket => socket.write(answer('', '302 Found', [location])));
      const { send } = sender(t, { allow: parseAllowTargets('public.test'), resolve });
      const result = await send(get(`http://public.test:${target.port}/r`));
      assert.equal(result.outcome, 'response');
      assert.equal(result.responseStatus, 302);
      assert.equal(result.responseHeaders!.location, vector.redirectTo);
      assert.deepEqual([target.requests.length, asked], [1, ['public.test']]);
    });
  }
}

test('a literal loopback host is blocked without a connection, and the sentence names the setting', async t => {
  const listener = await serve(t, socket => socket.write(answer('')));
  const result = await sender(t, { allow: PUBLIC_ONLY }).send(get(listener.url));
  assert.equal(result.outcome, 'blocked');
  assert.match(result.error!, refuses('^The address 127\\.0\\.0\\.1 is a loopback address'));
  assert.equal(listener.connections, 0);
});

test('a name is blocked without telling what it resolves to', async t => {
  const resolve = names({ 'inside.test': ['10.1.2.3'] });
  const result = await sender(t, { allow: PUBLIC_ONLY, resolve }).send(get('http://inside.test/'));
  assert.equal(result.outcome, 'blocked');
  assert.match(result.error!, refuses('^What inside\\.test resolves to is a private address'));
  assert.doesNotMatch(result.error!, /10\.1\.2\.3/);
});

test('every address of a name is judged, and only those allowed are dialled', {
  skip: !IPV6,
}, async t => {
  const refused = await serve(t, socket => socket.write(answer('refused')), { host: '::1' });
  const allowed = await serve(t, socket => socket.write(answer('allowed')));
  const allow = parseAllowTargets('127.0.0.1');
  const resolve = names({ 'both.test': ['::1', '127.0.0.1', '10.0.0.1'] });
  const { send } = sender(t, { allow, resolve });
  const toAllowed = await send(get(`http://both.test:${allowed.port}/`));
  assert.equal(toAllowed.responseBody, 'allowed');
  const toRefused = await send(get(`http://both.test:${refused.port}/`));
  assert.equal(toRefused.outcome, 'connectionError');
  assert.equal(refused.connections, 0);
});

test('a name is resolved and judged again for every connection (DNS rebinding)', async t => {
  const target = await serve(t, socket =>
    socket.write(answer('', '200 OK', ['Connection: close'])),
  );
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
  const resolve = async () => answers.shift()!;
  const { send } = sender(t, { allow: parseAllowTargets('127.0.0.1'), resolve });
  const outcomes = [];
  for (let i = 0; i < 3; i++) {
    outcomes.push((await send(get(`http://moving.test:${target.port}/`))).outcome);
  }
  assert.deepEqual(outcomes, ['response', 'blocked', 'response']);
  assert.equal(target.connections, 2);
});

test('where the first address does not answer, the next one is tried', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const resolve = names({ 'two.test': ['::1', '127.0.0.1'] });
  const result = await sender(t, { resolve }).send(get(`http://two.test:${target.port}/`));
  assert.equal(result.outcome, 'response');
  assert.deepEqual(Object.keys(result.phases), ['dnsMs', 'connectMs', 'firstByteMs']);
});

test('the other family is tried second, and four addresses in all', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  // Ways of writing one address, on which nobody listens.
  const deaf = ['::1', '0::1', '0:0::1', '0:0:0::1', '0:0:0:0::1'];
  const resolve = names({
    'second.test': [...deaf, '127.0.0.1'],
    'fourth.test': [...deaf.slice(0, 3), '::ffff:127.0.0.1'],
    'fifth.test': [...deaf.slice(0, 4), '::ffff:127.0.0.1'],
  });
  const { send } = sender(t, { resolve });
  const outcomes = [];
  for (const name of ['second', 'fourth', 'fifth']) {
    outcomes.push((await send(get(`http://${name}.test:${target.port}/`))).outcome);
  }
  assert.deepEqual(outcomes, [
    'response',
    IPV6 ? 'response' : 'connectionError',
    'connectionError',
  ]);
});

test('an IPv6 host in brackets is dialled and judged', { skip: !IPV6 }, async t => {
  const target = await serve(t, socket => socket.write(answer('six')), { host: '::1' });
  const result = await sender(t).send(get(target.url));
  assert.equal(result.responseBody, 'six');
  assert.match(target.requests[0]!.head, new RegExp(`^host: \\[::1\\]:${target.port}$`, 'm'));
  const refused = await sender(t, { allow: PUBLIC_ONLY }).send(get(target.url));
  assert.equal(refused.outcome, 'blocked');
  assert.equal(target.connections, 1);
});

test('an opened name reaches private addresses, but never metadata', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const own = ['127.0.0.1'];
  const table = { 'own.test': own, 'own.test.': own, 'other.test': own };
  const allow = parseAllowTargets('own.test, meta.test');
  const resolve = names({ ...table, 'meta.test': ['169.254.169.254', '::ffff:169.254.169.254'] });
  const { send } = sender(t, { allow, resolve });
  assert.equal((await send(get(`http://own.test:${target.port}/`))).outcome, 'response');
  assert.equal((await send(get(`http://OWN.test.:${target.port}/`))).outcome, 'response');
  assert.equal((await send(get(`http://other.test:${target.port}/`))).outcome, 'blocked');
  const meta = await send(get('http://meta.test/'));
  assert.equal(meta.outcome, 'blocked');
  assert.match(meta.error!, /metadata service, which PUNCTUAL_ALLOW_TARGETS never opens\.$/);
});

test('an opened name does not open the link-local addresses that it resolves to', async t => {
  const resolve = names({ 'near.test': ['169.254.7.7'] });
  const { send } = sender(t, { allow: parseAllowTargets('near.test, *'), resolve });
  const result = await send(get('http://near.test/'));
  assert.equal(result.outcome, 'blocked');
  assert.match(result.error!, /^What near\.test resolves to is a link-local address/);
});

test('metadata names and NAT64 are blocked where everything is open', async t => {
  const allow = parseAllowTargets('*');
  const resolve = names({
    'nat.test': ['64:ff9b::7f00:1'],
    'metadata.google.internal': ['127.0.0.1'],
  });
  const { send } = sender(t, { allow, resolve });
  for (const url of [
    'http://metadata.google.internal/',
    'http://METADATA/',
    'http://metadata.platformequinix.com/',
    'http://api.metadata.cloud.ibm.com/',
    'http://nat.test/',
    'http://[64:ff9b::1]/',
    'http://169.254.169.254/latest/',
    'http://[::ffff:a9fe:a9fe]/',
  ]) {
    assert.equal((await send(get(url))).outcome, 'blocked', url);
  }
});

test('what a resolver gives that is no plain address is not dialled', async t => {
  for (const odd of [
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '::1%lo',
    '',
    '127.0.0.1 ',
    '2130706433',
  ]) {
    const { send } = sender(t, { allow: parseAllowTargets('*'), resolve: async () => [odd] });
    const result = await send(get('http://odd.test/'));
    assert.equal(result.outcome, 'blocked', odd);
  }
});

test('a port of another protocol is blocked unless the host is open', async t => {
  const resolve = names({ 'mail.test': ['93.184.216.34'] });
  const { send } = sender(t, { allow: PUBLIC_ONLY, resolve });
  const result = await send(get('http://mail.test:25/'));
  assert.equal(result.outcome, 'blocked');
  assert.match(result.error!, /^Port 25 belongs to another protocol/);
});

test('what is allowed is asked for at every connection', async t => {
  const target = await serve(t, socket =>
    socket.write(answer('', '200 OK', ['Connection: close'])),
  );
  let allow = PUBLIC_ONLY;
  const { send } = sender(t, { allow: () => allow });
  assert.equal((await send(get(target.url))).outcome, 'blocked');
  allow = parseAllowTargets('127.0.0.0/8');
  assert.equal((await send(get(target.url))).outcome, 'response');
  allow = PUBLIC_ONLY;
  assert.equal((await send(get(target.url))).outcome, 'blocked');
});

test('a blocked request is no burden for the next', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const resolve = async () => (turn++ % 2 === 0 ? ['10.0.0.1'] : ['127.0.0.1']);
  let turn = 0;
  const { send } = sender(t, {
    allow: parseAllowTargets('127.0.0.1'),
    connectionsPerOrigin: 1,
    resolve,
  });
  const both = [1, 2].map(() => send(get(`http://turns.test:${target.port}/`)));
  const outcomes = (await Promise.all(both)).map(result => result.outcome);
  assert.deepEqual(outcomes, ['blocked', 'response']);
});
