import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertError } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

/** What is served beside the API; what it does is tested in a browser (dashboard/test). */

const folder = mkdtempSync(join(tmpdir(), 'punctual-page-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<meta content="{{nonce}}"><script src="./assets/a.js">');
writeFileSync(join(folder, 'assets/a-1.js'), 'plain');
writeFileSync(join(folder, 'assets/a-1.js.br'), 'smaller');
const service = await startService({ dashboardFolder: folder });
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});
/** The paths that the dashboard knows, each with an id or a name in it. */
const ROUTES = [
  ...readFileSync(join(import.meta.dirname, '../../../dashboard/src/app.tsx'), 'utf8').matchAll(
    /<Route path="([^"]+)"/g,
  ),
].map(([, path]) => path!.replace(/:\w+/, 'x'));
const NO_KEY = { ClientId: null, ApiKey: null };
const get = (path: string, headers = {}) =>
  service.call('GET', path, { headers: { ...NO_KEY, ...headers } });

test('the page is there for its own paths, without a key', async () => {
  assert.ok(ROUTES.length > 10);
  for (const path of ROUTES) {
    const { status, headers } = await get(path);
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  }
});

test('below a path that a proxy cuts off, each page finds its files', async () => {
  for (const path of [...ROUTES, '/none', '/none/at/all', '/schedules/x/', '/?a=/b/c']) {
    const { text } = await get(path, { Accept: 'text/html' });
    const [, file] = /src="([^"]+)"/.exec(text)!;
    for (const root of ['', '/punctual', '/a/b']) {
      const { pathname } = new URL(file!, `https://example.com${root}${path}`);
      assert.equal(pathname, `${root}/assets/a.js`, path);
    }
  }
});

test('no inline script, nothing from elsewhere, and a nonce that is new each time', async () => {
  const [first, second] = [await get('/'), await get('/')];
  const policy = first.headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']+'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
  assert.ok(first.text.includes(`content="${nonce}"`));
  assert.ok(!second.text.includes(nonce));
  assert.equal(first.headers.get('cache-control'), 'no-store');
});

test('assets are sent compressed where they are, and kept for good', async () => {
  const { status, text, headers } = await get('/assets/a-1.js', { 'Accept-Encoding': 'identity' });
  assert.deepEqual([status, text], [200, 'plain']);
  assert.match(headers.get('cache-control')!, /max-age=31536000, immutable/);
});

test('any other path is the 404 of the API, also beside and above the assets', async () => {
  for (const path of [
    '/nothing',
    '/Schedules',
    '/schedules/',
    '/schedules/x/y',
    '/assets/nothing.js',
    '/assets/',
    '/assets/%2e%2e/x',
    '/assets/%00',
    `/assets/${'a'.repeat(300)}`,
    '/assets/a%5c..%5cb',
    '/docs/',
    '/docs/static/%00',
    '/docs/static/index.html',
    '/docs/static/..%2fx',
    `/docs/static/${'a'.repeat(3_000)}`,
    '/assets/..%2findex.html',
    '/assets/%2e%2e/index.html',
    '/index.html',
    '/favicon.ico',
  ]) {
    assertError(await get(path), 404);
  }
  assertError(await service.call('POST', '/', { headers: NO_KEY }), 404);
  assertError(await get('/v1/nothing'), 401);
});

test('a browser that goes to an unknown address gets the page; a program gets the 404 of the API', async () => {
  const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of ['/nothing', '/schedules/x/y', '/index.html', '/schedules/']) {
    const { status, headers, text } = await get(path, browser);
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)![1]!;
    assert.ok(text.includes(`content="${nonce}"`));
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('vary'), 'Accept');
  }
  for (const accept of ['*/*', 'application/json']) {
    assertError(await get('/nothing', { Accept: accept }), 404);
  }
  // Files of the page are files, the API is the API, and nothing is posted to a page.
  for (const path of ['/assets/old-chunk.js', '/docs/static/nothing.css']) {
    assertError(await get(path, browser), 404);
  }
  assertError(await get('/v1/nothing', browser), 401);
  assertError(await service.call('POST', '/nothing', { headers: { ...NO_KEY, ...browser } }), 404);
});

test('a range or a condition that a file does not meet is no fault of the service', async () => {
  for (const path of ['/assets/a-1.js', '/docs/static/swagger-ui.css']) {
    for (const headers of [
      { Range: 'bytes=99999999-' },
      { Range: 'bytes=5-2' },
      { 'If-Match': '"x"' },
      { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
    ]) {
      const { status } = await get(path, headers);
      assert.ok(status === 200 || status === 404, `${path}: ${status}`);
    }
  }
});

test('the reference shows the document, from here alone', async () => {
  const { status, headers } = await get('/docs');
  assert.equal(status, 200);
  assert.match(headers.get('content-security-policy')!, /^default-src 'none'; script-src 'self';/);
  assert.equal((await get('/docs/json')).body.openapi, '3.1.0');
});

test('without a built page there is none', async () => {
  const other = await startService();
  assertError(await other.call('GET', '/'), 404);
  assertError(await other.call('GET', '/', { headers: { Accept: 'text/html' } }), 404);
  assertError(await other.call('GET', '/docs'), 404);
  await other.close();
});
