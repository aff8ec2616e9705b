import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesOf, parseNetwork } from '../../src/domain/address.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import {
  ALLOW_PUBLIC,
  checkTargetUrl,
  judgeAddress,
  parseAllowTargets,
} from '../../src/domain/target.ts';

const EVERYTHING = parseAllowTargets('*');
const NUM_RUNS = { numRuns: 1_000 };

const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 255 })));
const dotted = (bytes: number[]) => bytes.join('.');
/** Anywhere, and near the borders of the special ranges, where a wrong mask would show. */
const ipv4 = fc.oneof(
  octets,
  fc
    .tuple(
      fc.constantFrom(10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255),
      fc.constantFrom(0, 15, 16, 31, 32, 51, 63, 64, 88, 127, 128, 167, 168, 169, 254, 255),
      fc.constantFrom(0, 1, 2, 99, 100, 113, 169, 255),
      fc.integer({ min: 0, max: 255 }),
    )
    .map(bytes => [...bytes]),
);
const hextets = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const colons = (groups: number[]) => groups.map(group => group.toString(16)).join(':');

function outcome(address: string, allow = ALLOW_PUBLIC): string {
  const verdict = judgeAddress(address, allow);
  return verdict.allowed ? 'allowed' : `${verdict.never ? 'never' : 'refused'}: ${verdict.reason}`;
}

test('IPv4: IANA special-purpose networks are refused from their first to their last address', () => {
  for (const [first, last, before, after] of [
    ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
    ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
    ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
  ] as const) {
    assert.match(outcome(first), /^refused/, first);
    assert.match(outcome(last), /^refused/, last);
    if (before !== null) assert.equal(outcome(before), 'allowed', before);
    if (after !== null) assert.equal(outcome(after), 'allowed', after);
  }
});

test('IPv6: only 2000::/3 is public, less its special networks', () => {
  for (const [address, expected] of [
    ['::', 'refused: the unspecified address'],
    ['::1', 'refused: a loopback address'],
    ['::2', 'refused: outside of the public IPv6 addresses'],
    ['100::1', 'refused: outside of the public IPv6 addresses'],
    ['1fff:ffff::', 'refused: outside of the public IPv6 addresses'],
    ['2000::', 'allowed'],
    ['2001::1', 'never: a Teredo address'],
    ['2001:0:ffff::1', 'never: a Teredo address'],
    ['2001:1::1', 'refused: an address of protocol assignments (2001::/23)'],
    ['2001:2::1', 'refused: an address of protocol assignments (2001::/23)'],
    ['2001:10::1', 'refused: an address of protocol assignments (2001::/23)'],
    ['2001:2f::1', 'refused: an address of protocol assignments (2001::/23)'],
    ['2001:1ff:ffff::', 'refused: an address of protocol assignments (2001::/23)'],
    ['2001:200::', 'allowed'],
    ['2001:db7:ffff::', 'allowed'],
    ['2001:db8::', 'refused: an address for documentation'],
    ['2001:db8:ffff::', 'refused: an address for documentation'],
    ['2001:db9::', 'allowed'],
    ['2001:4860:4860::8888', 'allowed'],
    ['2001:ffff::', 'allowed'],
    ['2002::', 'never: a 6to4 address'],
    ['2002:ffff:ffff::', 'never: a 6to4 address'],
    ['2003::', 'allowed'],
    ['2606:4700:4700::1111', 'allowed'],
    ['2620:4f:8000::1', 'refused: an AS112 address'],
    ['2620:4f:8001::1', 'allowed'],
    ['3ffe:ffff::', 'allowed'],
    ['3fff::', 'refused: an address for documentation'],
    ['3fff:fff::', 'refused: an address for documentation'],
    ['3fff:1000::', 'allowed'],
    ['3fff:ffff::', 'allowed'],
    ['4000::', 'refused: outside of the public IPv6 addresses'],
    ['5f00::1', 'refused: outside of the public IPv6 addresses'],
    ['64:ff9b::808:808', 'never: a NAT64 address'],
    ['64:ff9b:1::1', 'never: a NAT64 address'],
    ['64:ff9b:2::1', 'refused: outside of the public IPv6 addresses'],
    ['fc00::1', 'refused: a private address'],
    ['fdff::1', 'refused: a private address'],
    ['fe80::1', 'refused: a link-local address'],
    ['febf:ffff::1', 'refused: a link-local address'],
    ['fec0::1', 'refused: outside of the public IPv6 addresses'],
    ['ff02::1', 'refused: a multicast address'],
  ] as const) {
    assert.equal(outcome(address), expected, address);
  }
});

test('an IPv4 address is judged the same as its IPv4-mapped form, however it is written', () => {
  fc.assert(
    fc.property(ipv4, fc.boolean(), (bytes, open) => {
      const allow = open ? parseAllowTargets('10.0.0.0/8, 192.168.1.1') : ALLOW_PUBLIC;
      const [a, b, c, d] = bytes as [number, number, number, number];
      const expected = outcome(dotted(bytes), allow);
      assert.equal(outcome(`::ffff:${dotted(bytes)}`, allow), expected);
      assert.equal(outcome(`::FFFF:${colons([(a << 8) | b, (c << 8) | d])}`, allow), expected);
      const long = colons([0, 0, 0, 0, 0, 0xffff, (a << 8) | b, (c << 8) | d]);
      assert.equal(outcome(long, allow), expected);
    }),
    NUM_RUNS,
  );
});

test('an IPv4 address inside NAT64, 6to4, Teredo or a translated form is never allowed', () => {
  fc.assert(
    fc.property(ipv4, bytes => {
      const [a, b, c, d] = bytes as [number, number, number, number];
      const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
      for (const address of [
        `64:ff9b::${high}:${low}`,
        `64:ff9b:1::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:${high}:${low}::1`,
        `2001::${high}:${low}`,
      ]) {
        assert.match(outcome(address), /^never/, address);
        assert.match(outcome(address, EVERYTHING), /^never/, address);
      }
      assert.doesNotMatch(outcome(`::ffff:0:${high}:${low}`), /^allowed/);
      assert.doesNotMatch(outcome(`::${high}:${low}`), /^allowed/);
    }),
    NUM_RUNS,
  );
});

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

test('an address has the bytes that the system has for it', () => {
  const texts = fc.oneof(
    fc.ipV6(),
    hextets.map(colons),
    ipv4.map(bytes => `::${dotted(bytes)}`),
    fc.tuple(hextets, ipv4).map(([groups, v4]) => `${colons(groups.slice(0, 6))}:${dotted(v4)}`),
  );
  fc.assert(
    fc.property(texts, text => {
      const bytes = bytesOf(text)!;
      const list = new BlockList();
      if (bytes.length === 4) list.addAddress(dotted([...bytes]), 'ipv4');
      else list.addAddress(colons(groupsOf(bytes)), 'ipv6');
      assert.ok(list.check(text, 'ipv6'), text);
    }),
    NUM_RUNS,
  );
  assert.deepEqual(bytesOf('::8.8.8.8'), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8]);
  assert.match(outcome('::8.8.8.8'), /^refused: outside/);
});

function groupsOf(bytes: readonly number[]): number[] {
  return Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!);
}

test('whatever is not an address to the system is refused, and whatever is one is read', () => {
  const texts = fc.oneof(
    ipv4.map(dotted),
    hextets.map(colons),
    fc.ipV6(),
    fc.stringMatching(/^[0-9a-fx:.%]{1,20}$/),
    fc.stringMatching(/^[0-9]{1,3}(\.[0-9]{1,4}){3}$/),
    fc.stringMatching(/^([0-9a-f]{0,5}:){2,8}[0-9a-f]{0,5}$/),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(texts, text => {
      const readable = isIP(text) !== 0 && !text.includes('%');
      assert.equal(bytesOf(text) !== null, readable, text);
      if (!readable) assert.match(outcome(text, EVERYTHING), /^never: not a plain IP address/);
    }),
    NUM_RUNS,
  );
});

test('a network of PUNCTUAL_ALLOW_TARGETS holds what the system says that it holds', () => {
  const v4 = fc.tuple(ipv4, ipv4, fc.integer({ min: 0, max: 32 }));
  fc.assert(
    fc.property(v4, ([base, address, bits]) => {
      const list = new BlockList();
      list.addSubnet(dotted(base), bits, 'ipv4');
      const allow = parseAllowTargets(`${dotted(base)}/${bits}`);
      const opened = list.check(dotted(address), 'ipv4');
      const before = outcome(dotted(address));
      const expected = opened && before.startsWith('refused') ? 'allowed' : before;
      assert.equal(outcome(dotted(address), allow), expected);
    }),
    NUM_RUNS,
  );
  const v6 = fc.tuple(
    hextets,
    hextets,
    fc.integer({ min: 0, max: 128 }),
    fc.integer({ max: 8, min: 0 }),
  );
  fc.assert(
    fc.property(v6, ([base, other, bits, shared]) => {
      const address = colons([...base.slice(0, shared), ...other.slice(shared)]);
      const list = new BlockList();
      list.addSubnet(colons(base), bits, 'ipv6');
      const allow = parseAllowTargets(`${colons(base)}/${bits}`);
      const opened = list.check(address, 'ipv6');
      const before = outcome(address);
      const expected = opened && before.startsWith('refused') ? 'allowed' : before;
      assert.equal(outcome(address, allow), expected);
    }),
    NUM_RUNS,
  );
});

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
    'https://example.com?q=[x]{y}|z^`',
  ]) {
    checkTargetUrl(url, ALLOW_PUBLIC, 'url');
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
