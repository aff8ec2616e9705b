import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { parseNetwork } from '../../src/domain/schedule/address.ts';
import {
  ALLOW_PUBLIC,
  checkTargetUrl,
  judgeAddress,
  parseAllowTargets,
} from '../../src/domain/schedule/target.ts';
import { dotted, ipv4, outcome } from '../support/domain/address.ts';

const EVERYTHING = parseAllowTargets('*');
const NUM_RUNS = { numRuns: 1_000 };

test('every numeric form of a host is judged like the dotted one', () => {
  fc.assert(
    fc.property(ipv4, bytes => {
      const [a, b, c, d] = bytes as [number, number, number, number];
      const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
      const octal = (part: number) => `0${part.toString(8)}`;
      const hex = (part: number) => `0x${part.toString(16)}`;
      const expected = judged(dotted(bytes));
      for (const form of [
        String(number),
        hex(number),
        octal(number),
        bytes.map(octal).join('.'),
        bytes.map(hex).join('.'),
        `${a}.${number & 0xffffff}`,
        `${a}.${b}.${number & 0xffff}`,
        `${hex(a)}.${octal(b)}.${c}.${hex(d)}`,
        `${dotted(bytes)}.`,
        [...dotted(bytes)].map(digit => (digit === '.' ? '。' : fullWidth(digit))).join(''),
        dotted(bytes).replaceAll('.', '%2e'),
      ]) {
        assert.equal(judged(form), expected, form);
      }
    }),
    NUM_RUNS,
  );
});

function judged(host: string): string {
  try {
    checkTargetUrl(`http://${host}/`, ALLOW_PUBLIC, 'url');
    return 'allowed';
  } catch (error) {
    return (error as Error).message;
  }
}

function fullWidth(digit: string): string {
  return String.fromCodePoint(0xff10 + Number(digit));
}

for (const address of [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]) {
  test(`the metadata address ${address} is never opened, in no form`, () => {
    const text = `*, ${address}, ${address}/1, 0.0.0.0/0, ::/0, ::ffff:0:0/96`;
    const allow = parseAllowTargets(text);
    const forms = [address];
    if (address.includes('.')) {
      for (const prefix of ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']) {
        forms.push(`${prefix}${address}`);
      }
    }
    for (const form of forms) assert.match(outcome(form, allow), /^never/, form);
    const host = address.includes(':') ? `[${address}]` : address;
    refuses(
      `http://${host}/`,
      'target_refused',
      /metadata service, which PUNCT\S+ never opens/,
      allow,
    );
  });
}

for (const name of [
  'metadata.google.internal',
  'METADATA.google.INTERNAL.',
  'metadata.goog',
  'metadata',
  'instance-data',
  'instance-data.ec2.internal',
  'met%61data',
]) {
  test(`the metadata name ${name} is never opened`, () => {
    const allow = parseAllowTargets('*, metadata, metadata.goog, instance-data');
    refuses(`http://${name}/`, 'target_refused', /cloud metadata service/, allow);
  });
}

test('PUNCTUAL_ALLOW_TARGETS: networks, addresses, names and * are separated by commas', () => {
  const allow = parseAllowTargets(
    ' 10.0.0.0/8 ,fd00::/8,192.168.1.7,, ::1, Svc.Internal. ,bücher.example',
  );
  for (const [address, expected] of [
    ['10.255.0.1', true],
    ['172.16.0.1', false],
    ['192.168.1.7', true],
    ['192.168.1.8', false],
    ['fd12::1', true],
    ['fc12::1', false],
    ['::1', true],
    ['127.0.0.1', false],
  ] as const) {
    assert.equal(judgeAddress(address, allow).allowed, expected, address);
  }
  assert.deepEqual([...allow.hosts], ['svc.internal', 'xn--bcher-kva.example']);
  assert.equal(allow.everything, false);
  assert.deepEqual(parseAllowTargets(''), ALLOW_PUBLIC);
});

test('PUNCTUAL_ALLOW_TARGETS: host bits of a network are ignored, mapped networks are IPv4', () => {
  assert.equal(judgeAddress('10.9.9.9', parseAllowTargets('10.1.2.3/8')).allowed, true);
  assert.equal(judgeAddress('10.9.9.9', parseAllowTargets('::ffff:10.0.0.0/104')).allowed, true);
  assert.equal(judgeAddress('127.9.9.9', parseAllowTargets('::ffff:10.0.0.0/104')).allowed, false);
  assert.equal(parseNetwork('::ffff:10.0.0.0/95'), null);
});

for (const part of [
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '10.1',
  '0x7f.1',
  '2130706433',
  '10.0.0.0/',
  '10.0.0.0/a',
  'fd00::/129',
  'fd00::/8%eth0',
  'fe80::1%eth0',
  '[::1]',
  'localhost:8080',
  'http://localhost',
  '*.example.com',
  'a b',
  'user@host',
  'host/path',
  'a..b',
  'ex%61mple.com',
]) {
  test(`PUNCTUAL_ALLOW_TARGETS: ${part} is refused by name`, () => {
    assert.throws(() => parseAllowTargets(`10.0.0.0/8, ${part}, localhost`), {
      name: 'PunctualError',
      code: 'setting_invalid',
      message: `PUNCTUAL_ALLOW_TARGETS: "${part}" is not a network in CIDR form, an address, a host name or "*".`,
    });
  });
}

function refuses(url: string, code: ErrorCode, sentence: RegExp, allow = ALLOW_PUBLIC): void {
  assert.throws(() => checkTargetUrl(url, allow, 'url'), {
    name: 'PunctualError',
    code,
    message: sentence,
  });
}

for (const [what, url, sentence] of [
  ['a relative url', '/v1/x', /must be absolute/],
  ['a url without slashes', 'http:example.com/', /must be absolute/],
  ['a url with one slash', 'http:/example.com/', /must be absolute/],
  ['a url with a third slash', 'http:///example.com/', /must have a host/],
  ['a url without a host', 'http://', /must have a host/],
  ['another scheme', 'ftp://example.com/', /must be absolute/],
  ['a space', 'http://example.com/a b', /white space/],
  ['a space in front', ' http://example.com/', /white space/],
  ['a no-break space', 'http://example.com/\u00a0', /white space/],
  ['a tab', 'http://exa\tmple.com/', /white space/],
  ['a line end', 'http://example.com/\n', /white space/],
  ['a control character', 'http://example.com/\x7f', /control/],
  ['a C1 control character', 'http://example.com/\x85', /control/],
  ['a backslash', 'http://example.com\\@127.0.0.1/', /backslash/],
  ['a backslash behind the host', 'http://example.com/a\\b', /backslash/],
  ['a user name', 'http://me@example.com/', /user name or password/],
  ['a password', 'http://:secret@example.com/', /user name or password/],
  ['an empty user name', 'http://@example.com/', /user name or password/],
  ['port 0', 'http://example.com:0/', /port 0/],
  ['port 00', 'http://example.com:00/', /port 0/],
  ['a port too large', 'http://example.com:65536/', /not valid/],
  ['an empty label', 'http://a..b/', /not a valid host name/],
  ['a label of 64 characters', `http://${'a'.repeat(64)}.de/`, /not a valid host name/],
  ['a name of 254 characters', `http://${'a.'.repeat(126)}aa/`, /not a valid host name/],
  ['empty punycode', 'http://xn--/', /not a valid host name/],
  ['a lone surrogate', 'http://example.com/\ud800', /well-formed/],
] as const) {
  test(`${what} is refused: ${JSON.stringify(url)}`, () =>
    refuses(url, 'target_invalid', sentence));
}

test('a fragment, an IDN, an underscore, a port, odd characters in path and query pass', () => {
  for (const url of [
    'http://example.com/#part',
    'https://bücher.example/ä?ö=ü',
    'HTTPS://EXAMPLE.com',
    'http://my_host.example:8080/a;b=c,d/@e?f=g@h',
    'https://example.com./a//b/../c%2561',
    'https://example.com:443/🎈',
    'https://example.com/?a=\\b#\\c',
    'https://example.com?q=[x]{y}|z^`',
  ]) {
    checkTargetUrl(url, ALLOW_PUBLIC, 'url');
  }
});

test('a host that was found good is good for no other setting, port or path that is not', () => {
  const here = 'http://127.0.0.1:8080';
  checkTargetUrl(`${here}/hook`, EVERYTHING, 'url');
  checkTargetUrl(`${here}/hook`, EVERYTHING, 'url');
  refuses(`${here}/hook`, 'target_refused', /127\.0\.0\.1/, ALLOW_PUBLIC);
  refuses('http://127.0.0.1:0/hook', 'target_invalid', /port 0/, EVERYTHING);
  refuses(`${here}/a b`, 'target_invalid', /white space/, EVERYTHING);
  refuses(`${here}@example.com/`, 'target_invalid', /user name/, EVERYTHING);
  refuses('http://169.254.169.254/', 'target_refused', /never opens/, EVERYTHING);
});

test('as many hosts as one likes are judged', () => {
  for (let host = 0; host < 2_100; host += 1) {
    checkTargetUrl(`https://host-${host}.example/`, ALLOW_PUBLIC, 'url');
    refuses(`https://10.0.${host % 256}.1/`, 'target_refused', /private/);
  }
});

test('a url has at most 2,048 characters, counted in code points', () => {
  const start = 'https://example.com/';
  checkTargetUrl(start + 'a'.repeat(2048 - start.length), ALLOW_PUBLIC, 'url');
  checkTargetUrl(start + '🎈'.repeat(2048 - start.length), ALLOW_PUBLIC, 'url');
  const sentence = /^url: a url has at most 2,048 characters\.$/;
  refuses(start + 'a'.repeat(2049 - start.length), 'target_invalid', sentence);
  refuses(start + '🎈'.repeat(2049 - start.length), 'target_invalid', sentence);
});

test('a sentence says where the url stands, and never repeats its path or query', () => {
  assert.throws(
    () => checkTargetUrl('http://10.0.0.1/secret?token=1', ALLOW_PUBLIC, 'integrations[0].url'),
    {
      code: 'target_refused',
      message:
        'integrations[0].url: the address 10.0.0.1 is a private address, which is refused unless ' +
        'PUNCTUAL_ALLOW_TARGETS opens it.',
    },
  );
});

test('an opened network, address or name opens literals of it', () => {
  checkTargetUrl('http://10.0.0.1/', parseAllowTargets('10.0.0.0/8'), 'url');
  checkTargetUrl('http://[::1]:8080/', parseAllowTargets('::1'), 'url');
  checkTargetUrl('http://0x7f.1/', parseAllowTargets('127.0.0.1'), 'url');
  checkTargetUrl('http://127.0.0.1/', EVERYTHING, 'url');
});

test('the ports of the Fetch standard are refused unless the host is open', () => {
  const { badPortsSet } = createRequire(import.meta.url)(
    '../../../node_modules/undici/lib/web/fetch/constants.js',
  ) as { badPortsSet: Set<string> };
  for (let port = 1; port <= 65_535; port++) {
    const url = `http://example.com:${port}/`;
    const isBad = badPortsSet.has(String(port));
    assert.equal(judged(`example.com:${port}`) === 'allowed', !isBad, url);
  }
  refuses('http://93.184.216.34:25/', 'target_refused', /^url: port 25 .* PUNCTUAL_ALLOW_TARGETS/);
  checkTargetUrl('http://example.com:25/', parseAllowTargets('example.com'), 'url');
  checkTargetUrl('http://example.com.:25/', parseAllowTargets('EXAMPLE.com'), 'url');
  checkTargetUrl('http://93.184.216.34:25/', parseAllowTargets('93.184.0.0/16'), 'url');
  checkTargetUrl('http://example.com:25/', EVERYTHING, 'url');
});
