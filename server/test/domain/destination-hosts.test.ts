import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  canonicalHost,
  fitsHosts,
  isSameHosts,
  keepsHosts,
} from '../../src/domain/destination/hosts.ts';

const FITS: [url: string, host: string][] = [
  ['https://api.example.com/x?y#z', 'api.example.com'],
  ['https://API.Example.COM/', 'api.example.com'],
  ['https://api.example.com/', 'API.EXAMPLE.com'],
  ['https://api.example.com./', 'api.example.com'],
  ['https://api.example.com/', 'api.example.com.'],
  ['https://api.example.com:8443/', 'api.example.com'],
  ['https://api.example.com:8443/', 'api.example.com:8443'],
  ['https://api.example.com/', 'api.example.com:443'],
  ['http://api.example.com/', 'api.example.com:80'],
  ['https://a.example.com/', '*.example.com'],
  ['https://a.example.com:8443/', '*.example.com:8443'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://xn--bcher-kva.example/', 'BÜCHER.example'],
  ['https://xn--bcher-kva.example/', '*.example'],
  ['https://laden.bücher.example/', '*.bücher.example'],
  ['http://127.0.0.1:3000/', '127.0.0.1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://[::1]/', '[::1]'],
  ['http://[0:0:0:0:0:0:0:1]:8443/', '[::1]:8443'],
  ['http://localhost/', 'localhost'],
];

const FITS_NOT: [url: string, host: string][] = [
  ['https://api.example.com/', 'example.com'],
  ['https://example.com/', '*.example.com'],
  ['https://a.b.example.com/', '*.example.com'],
  ['https://aexample.com/', '*.example.com'],
  ['https://api.example.com.evil.example/', 'api.example.com'],
  ['https://evil.example/?api.example.com', 'api.example.com'],
  ['https://evil.example#api.example.com', 'api.example.com'],
  ['https://evil.example\\@api.example.com/', 'api.example.com'],
  ['https://api.example.com@evil.example/', 'api.example.com'],
  ['https://api.example.com:8443/', 'api.example.com:443'],
  ['http://api.example.com/', 'api.example.com:443'],
  ['https://api.example.com/', 'api.example.com:80'],
  ['http://[::ffff:127.0.0.1]/', '127.0.0.1'],
  ['http://[::1]:80/', '[::1]:8443'],
  ['http://10.0.0.7/', '10.0.0.70'],
  ['no url', 'api.example.com'],
];

const NO_HOSTS = [
  ...['', ' ', '*', '*.', '*.*.example.com', 'a.*.example.com', '**.example.com', 'a*.example.com'],
  ...['https://api.example.com', 'api.example.com/', 'api.example.com/x', 'api.example.com?x'],
  ...['user@api.example.com', 'api.example.com#x', 'api example.com', ' api.example.com', 'a\n'],
  ...['api.example.com:', 'api.example.com:0', 'api.example.com:65536', 'api.example.com:443:443'],
  ...['api.example.com:x', 'a..b', '.example.com', 'exa%6dple.com', 'a\\b', '[::1', '::1', '[::g]'],
  ...['*.[::1]', '*.127.0.0.1', '127.1', '0x7f.0.0.1', '2130706433', '1.2.3.4.5', '256.1.1.1'],
  ...['١.٢.٣.٤', 'xn--.example', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}aa`],
];

describe('hosts of a destination', () => {
  for (const [url, host] of FITS) {
    test(`${url} fits ${host}`, () => assert.ok(fitsHosts(url, ['other.example', host])));
  }
  for (const [url, host] of FITS_NOT) {
    test(`${url} does not fit ${host}`, () => {
      assert.ok(!fitsHosts(url, ['other.example', host]));
    });
  }
  for (const host of NO_HOSTS) {
    test(`${JSON.stringify(host)} is no host`, () => assert.equal(canonicalHost(host), null));
  }

  test('two lists are the same where they name the same hosts, in whatever order and case', () => {
    const hosts = ['a.example', '*.b.example:8443', 'bücher.example'];
    assert.ok(isSameHosts(hosts, ['XN--BCHER-KVA.example', 'A.example.', '*.B.example:08443']));
    assert.ok(!isSameHosts(hosts, hosts.slice(1)));
    assert.ok(!isSameHosts(hosts, ['a.example', 'b.example:8443', 'bücher.example']));
    assert.ok(!isSameHosts(['a.example'], ['a.example:443']));
    assert.ok(keepsHosts(hosts, [...hosts, 'c.example']));
    assert.ok(!keepsHosts(hosts, hosts.slice(1)));
  });

  test('a url fits the host that the parser finds in it, and a name with another label in front does not', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'] }), url => {
        const { hostname, host, port } = new URL(url);
        assert.ok(fitsHosts(url, [hostname]));
        assert.ok(fitsHosts(url, [port === '' ? hostname : host]));
        assert.ok(!fitsHosts(url, [`x.${hostname}`]));
        assert.ok(!fitsHosts(url, [`*.${hostname}`]));
        const parent = hostname.slice(hostname.indexOf('.') + 1);
        assert.equal(fitsHosts(url, [`*.${parent}`]), parent !== hostname);
      }),
    );
  });

  test('any text either names hosts or is refused, and a host that is accepted fits its own url', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.domain()), text => {
        const canonical = canonicalHost(text);
        if (canonical === null || text.startsWith('*')) return;
        assert.ok(fitsHosts(`http://${text}/`, [text]), text);
      }),
    );
  });
});
