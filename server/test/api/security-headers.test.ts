import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { exchange } from '../support/api/raw.ts';
import { startService, valid } from '../support/api/service.ts';

/** Headers that protect who reads an answer, on every path and where no route answers. */

const folder = mkdtempSync(join(tmpdir(), 'punctual-headers-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<meta content="{{nonce}}">');
writeFileSync(join(folder, 'assets/a-1.js'), 'plain');
const service = await startService({ dashboardFolder: folder });
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});
const NO_KEY = { ClientId: null, ApiKey: null };

test('no cache keeps an answer under /v1, and no browser guesses its type', async () => {
  const { id } = await service.create();
  for (const [method, path, options] of [
    ['GET', `/v1/schedule/${id}`, {}],
    ['HEAD', `/v1/schedule/${id}`, {}],
    ['POST', '/v1/schedule', { body: valid }],
    ['POST', '/v1/schedule', { body: '{' }],
    ['POST', '/v1/key', { body: { name: 'CI' } }],
    ['POST', '/v1/secret', { body: {} }],
    ['POST', '/v1/session', {}],
    ['GET', '/v1/nothing', {}],
    ['GET', '/v1/schedule', { headers: NO_KEY }],
    ['GET', '/%761/schedule', { headers: NO_KEY }],
    ['GET', '/v1/%zz', {}],
    ['GET', '/healthz', {}],
    ['GET', '/nothing', {}],
  ] as const) {
    const { headers, status } = await service.call(method, path, options);
    const found = [headers.get('cache-control'), headers.get('x-content-type-options')];
    assert.deepEqual(found, ['no-store', 'nosniff'], `${method} ${path}: ${status}`);
  }
});

test('nor where the listener answers by itself, nor a stream of events', async () => {
  const { clientId, apiKey } = service.mine;
  const credentials = `Host: h\r\nClientId: ${clientId}\r\nApiKey: ${apiKey}\r\n`;
  for (const [bytes, status] of [
    ['hello\r\n\r\n', 400],
    ['PURGE-ALL /v1/schedule HTTP/1.1\r\nHost: h\r\n\r\n', 401],
    [`PURGE-ALL /v1/schedule HTTP/1.1\r\n${credentials}\r\n`, 404],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: h\r\n\r\n', 404],
    [`GET /v1/event HTTP/1.1\r\n${credentials}\r\n`, 200],
  ] as const) {
    // A stream has no length: its head is all that is waited for.
    const { answers } = await exchange(service.port, bytes, { bodyless: true });
    const { status: found, headers } = answers[0]!;
    const standing = [headers['cache-control'], headers['x-content-type-options']];
    assert.deepEqual([found, ...standing], [status, 'no-store', 'nosniff'], bytes);
  }
});

const OF_PAGES = {
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'permissions-policy': /camera=\(\).*geolocation=\(\)/,
  'referrer-policy': /^no-referrer$/,
  'x-content-type-options': /^nosniff$/,
};

test('the page, the reference and their files have one set of headers', async () => {
  for (const [path, cached] of [
    ['/', /^no-store$/],
    ['/schedules/x', /^no-store$/],
    ['/docs', /^no-store$/],
    ['/docs/json', /^no-store$/],
    ['/docs/static/swagger-ui.css', /max-age/],
    ['/assets/a-1.js', /immutable/],
  ] as const) {
    const { status, headers } = await service.call('GET', path, { headers: NO_KEY });
    assert.equal(status, 200, path);
    assert.match(headers.get('cache-control')!, cached, path);
    for (const [name, value] of Object.entries(OF_PAGES)) {
      assert.match(headers.get(name) ?? 'none', value, `${path}: ${name}`);
    }
  }
});
