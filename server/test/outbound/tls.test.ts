import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSecureServer, createServer, type Http2Server } from 'node:http2';
import { after, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { answer, get, leftOpen, names, sender, serve } from '../support/outbound/target-server.ts';

/** Key and certificate for localhost, self-signed; the expired one ran out in 2020. */
const pem = (name: string) =>
  readFileSync(new URL(`../data/localhost-${name}.pem`, import.meta.url), 'utf8');
const TRUSTED = pem('trusted');

// What NODE_EXTRA_CA_CERTS does for an operator.
setDefaultCACertificates([...getCACertificates('default'), TRUSTED, pem('expired')]);

after(async () => assert.deepEqual(await leftOpen(), []));

const resolve = names({ localhost: ['127.0.0.1'], 'other.test': ['127.0.0.1'] });

test('https: the certificate is verified, and the handshake is a phase of its own', async t => {
  const target = await serve(t, socket => socket.write(answer('sealed')), { pem: TRUSTED });
  const { send } = sender(t, { resolve });
  const first = await send(get(target.url, { method: 'POST', body: '{}' }));
  assert.equal(first.responseBody, 'sealed');
  assert.deepEqual(Object.keys(first.phases), ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs']);
  const second = await send(get(target.url));
  assert.deepEqual(Object.keys(second.phases), ['firstByteMs']);
  assert.equal(target.connections, 1);
});

test('https: the server is told the name, without a dot at its end, and HTTP/1.1 only', async t => {
  const seen: unknown[] = [];
  const onConnect = (socket: unknown) => {
    const { servername, alpnProtocol } = socket as TLSSocket & { servername: string };
    seen.push(servername, alpnProtocol);
  };
  const target = await serve(t, socket => socket.write(answer('')), { pem: TRUSTED, onConnect });
  const dotted = target.url.replace('localhost', 'localhost.');
  const result = await sender(t, { resolve: async () => ['127.0.0.1'] }).send(get(dotted));
  assert.equal(result.outcome, 'response');
  assert.deepEqual(seen, ['localhost', 'http/1.1']);
});

async function fails(t: TestContext, name: string, host: string, sentence: RegExp): Promise<void> {
  const target = await serve(t, socket => socket.write(answer('')), { pem: pem(name) });
  const result = await sender(t, { resolve }).send(get(`https://${host}:${target.port}/`));
  assert.equal(result.outcome, 'connectionError');
  assert.match(result.error!, sentence);
  assert.equal(target.requests.length, 0);
}

test('https: a certificate that nobody vouches for is a connectionError', t =>
  fails(t, 'untrusted', 'localhost', /^The certificate of localhost:\d+ is self-signed and not/));

test('https: a certificate that has expired is a connectionError', t =>
  fails(t, 'expired', 'localhost', /^The certificate of localhost:\d+ has expired\.$/));

test('https: a certificate for another name is a connectionError', t =>
  fails(t, 'trusted', 'other.test', /^The certificate of other\.test:\d+ is for another name\.$/));

test('https: a certificate for a name does not do for its address', t =>
  fails(t, 'trusted', '127.0.0.1', /^The certificate of 127\.0\.0\.1:\d+ is for another name\.$/));

test('https: NODE_TLS_REJECT_UNAUTHORIZED changes nothing', async t => {
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  await fails(t, 'untrusted', 'localhost', /self-signed and not trusted\.$/);
});

test('https: a certificate is refused the second time too', async t => {
  const target = await serve(t, socket => socket.write(answer('')), { pem: TRUSTED });
  const { send } = sender(t, { resolve });
  for (let n = 0; n < 3; n++) {
    const result = await send(get(`https://other.test:${target.port}/`));
    assert.equal(result.outcome, 'connectionError');
  }
});

test('https: a server that speaks no TLS is a connectionError that suspects the url', async t => {
  const target = await serve(t, () => {}, {
    onConnect: socket => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  });
  const result = await sender(t, { resolve }).send(get(`https://localhost:${target.port}/`));
  assert.equal(result.outcome, 'connectionError');
  assert.match(result.error!, /does not speak TLS; is the url https by mistake\?$/);
});

test('https: a server that hangs up in the handshake is a connectionError', async t => {
  const target = await serve(t, () => {}, { onConnect: socket => socket.end() });
  const result = await sender(t, { resolve }).send(get(`https://localhost:${target.port}/`));
  assert.equal(result.outcome, 'connectionError');
  assert.match(result.error!, /closed the connection in the TLS handshake\.$/);
});

for (const scheme of ['http', 'https']) {
  test(`${scheme}: a target that speaks only HTTP/2 is a connectionError that says so`, async t => {
    const server: Http2Server =
      scheme === 'http'
        ? createServer()
        : createSecureServer({ key: TRUSTED, cert: TRUSTED, allowHTTP1: false });
    server.on('sessionError', () => {});
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    t.after(() => new Promise(done => server.close(done)));
    const { port } = server.address() as { port: number };
    const result = await sender(t, { resolve }).send(get(`${scheme}://localhost:${port}/`));
    assert.equal(result.outcome, 'connectionError');
    assert.equal(
      result.error,
      `localhost:${port} speaks only HTTP/2, and Punctual calls over HTTP/1.1.`,
    );
  });
}
