import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesOf } from '../../src/domain/schedule/address.ts';
import { ALLOW_PUBLIC, parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { colons, dotted, hextets, ipv4, outcome } from '../support/domain/address.ts';

const EVERYTHING = parseAllowTargets('*');
const NUM_RUNS = { numRuns: 1_000 };

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

test('an ISATAP address is never allowed, under whatever prefix', () => {
  for (const prefix of ['2606:4700:1:2', '2001:4860:4860:0', 'fe80:0:0:0', 'fd00:1:2:3']) {
    for (const middle of ['0:5efe', '200:5efe']) {
      for (const embedded of ['10.0.0.1', '93.184.216.34', '169.254.169.254']) {
        const address = `${prefix}:${middle}:${embedded}`;
        assert.equal(outcome(address, EVERYTHING), 'never: an ISATAP address', address);
      }
    }
  }
  assert.equal(outcome('2606:4700:1:2:400:5efe:a00:1'), 'allowed');
  assert.equal(outcome('2606:4700:1:2:0:5eff:a00:1'), 'allowed');
});

test('the metadata services of the clouds are never opened', () => {
  const allow = parseAllowTargets('*, 169.254.0.0/16, fe80::/10, fd00::/8, 100.64.0.0/10');
  for (const address of [
    '169.254.169.254',
    '169.254.169.253',
    '169.254.169.249',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.23',
    '169.254.42.42',
    '169.254.129.4',
    '169.254.130.5',
    '100.100.100.200',
    '100.96.0.96',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::253',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:42::42',
    'fd00:c1::a9fe:a9fe',
    'fd00:a9fe:a9fe::1',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.42.42',
    '::ffff:0:169.254.0.23',
    '::169.254.129.4',
  ]) {
    const never = 'never: the address of a cloud metadata service';
    assert.equal(outcome(address, allow), never, address);
  }
});

test('a link-local address is opened by a network of its own alone', () => {
  for (const [setting, address, isOpen] of [
    ['*', '169.254.7.7', false],
    ['*', 'fe80::7', false],
    ['0.0.0.0/0', '169.254.7.7', false],
    ['169.0.0.0/8', '169.254.7.7', false],
    ['169.254.0.0/16', '169.254.7.7', true],
    ['*, 169.254.7.0/24', '169.254.7.7', true],
    ['*, 169.254.8.0/24', '169.254.7.7', false],
    ['::ffff:169.254.0.0/112', '169.254.7.7', true],
    ['::/0', 'fe80::7', false],
    ['fe80::/9', 'fe80::7', false],
    ['fe80::/10', 'fe80::7', true],
    ['fe80::7', 'fe80::7', true],
  ] as const) {
    const expected = isOpen ? 'allowed' : 'refused: a link-local address';
    assert.equal(outcome(address, parseAllowTargets(setting)), expected, `${setting} ${address}`);
  }
});

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
      const reaches = bits >= 16 || !before.includes('link-local');
      const expected = opened && reaches && before.startsWith('refused') ? 'allowed' : before;
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
      const reaches = bits >= 10 || !before.includes('link-local');
      const expected = opened && reaches && before.startsWith('refused') ? 'allowed' : before;
      assert.equal(outcome(address, allow), expected);
    }),
    NUM_RUNS,
  );
});
