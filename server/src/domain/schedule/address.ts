/**
 * Addresses as their bytes. The checks judge the address that would be dialled, in any notation of
 * the text.
 *
 * The tables are IANA's special-purpose registries (RFC 6890 and later entries), read strictly: an
 * address that nobody on the public internet can answer from is refused. IPv6 is turned around,
 * only global unicast (2000::/3) is let through at all, less what stands in the table.
 */

/** 4 bytes (IPv4) or 16 (IPv6). */
export type Bytes = readonly number[];

/** The addresses whose first `bits` bits are those of `bytes`; bytes left out at the end are 0. */
export interface Network {
  readonly bytes: Bytes;
  readonly bits: number;
  readonly length: 4 | 16;
}

/**
 * The bytes of a dotted IPv4 or a colon IPv6 address, null for anything else (zone ids too).
 *
 * An IPv4-mapped address (::ffff:0:0/96) is the IPv4 address that the kernel dials for it. Read
 * here and not by ipaddr.js, which takes `::8.8.8.8`, as resolvers write it, for that address too.
 */
export function bytesOf(text: string): Bytes | null {
  if (!text.includes(':')) return bytesOfV4(text);
  const bytes = bytesOfV6(text);
  return bytes !== null && contains(MAPPED, bytes) ? bytes.slice(12) : bytes;
}

function bytesOfV4(text: string): Bytes | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every(part => OCTET.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every(byte => byte < 256) ? bytes : null;
}

/** The platform's parser turns every way of writing one into groups of hexadecimal digits. */
function bytesOfV6(text: string): Bytes | null {
  if (!/^[0-9a-f:.]+$/i.test(text)) return null;
  const canonical = URL.parse(`http://[${text}]/`)?.hostname;
  if (canonical === undefined) return null;
  const [head = [], tail = []] = canonical
    .slice(1, -1)
    .split('::')
    .map(side => (side === '' ? [] : side.split(':')));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].flatMap(group => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

export function contains(network: Network, address: Bytes): boolean {
  if (address.length !== network.length) return false;
  const whole = network.bits >> 3;
  for (let i = 0; i < whole; i++) {
    if (address[i] !== (network.bytes[i] ?? 0)) return false;
  }
  const rest = 8 - (network.bits & 7);
  return rest === 8 || address[whole]! >> rest === (network.bytes[whole] ?? 0) >> rest;
}

/** A network in CIDR form or a single address; null for anything else. Host bits are ignored. */
export function parseNetwork(text: string): Network | null {
  const [address = '', bits, ...more] = text.split('/');
  const bytes = bytesOf(address);
  if (bytes === null || more.length > 0) return null;
  const length = bytes.length as 4 | 16;
  const width = length * 8;
  if (bits === undefined) return { bytes, bits: width, length };
  if (!/^\d{1,3}$/.test(bits)) return null;
  // ::ffff:10.0.0.0/104 counts its bits from the IPv6 form; a shorter one would reach beyond IPv4.
  const own = address.includes(':') && length === 4 ? Number(bits) - 96 : Number(bits);
  return own < 0 || own > width ? null : { bytes, bits: own, length };
}

/**
 * Returns the special purpose of an address: `why` fits into "it is …". Null for a public address.
 */
export function specialty(address: Bytes): { why: string; never: boolean } | null {
  if (isMetadata(address)) return { why: 'the address of a cloud metadata service', never: true };
  if (isIsatap(address)) return { why: 'an ISATAP address', never: true };
  for (const [network, why] of NEVER) {
    if (contains(network, address)) return { why, never: true };
  }
  for (const [network, why] of address.length === 4 ? SPECIAL_V4 : SPECIAL_V6) {
    if (contains(network, address)) return { why, never: false };
  }
  return address.length === 4 || contains(GLOBAL_UNICAST, address)
    ? null
    : { why: 'outside of the public IPv6 addresses', never: false };
}

/** Also in the two forms, besides the mapped one, in which an IPv4 address stands at the end. */
function isMetadata(address: Bytes): boolean {
  const embeds = contains(COMPATIBLE, address) || contains(TRANSLATED, address);
  const judged = embeds ? address.slice(12) : address;
  return METADATA.some(known => contains(known, address) || contains(known, judged));
}

/** RFC 5214, 6.1: under any prefix it carries an IPv4 address to a router, as the networks of `NEVER` do. */
function isIsatap(address: Bytes): boolean {
  const [first = 0, ...rest] = address.slice(8, 12);
  return (first & 0xfd) === 0 && rest[0] === 0 && rest[1] === 0x5e && rest[2] === 0xfe;
}

/**
 * Whether a network that is to be opened is meant for this address. A link-local one is opened by a
 * network within the link-local ones alone: clouds put services there that whoever opens all private
 * networks does not think of.
 */
export function opens(network: Network, address: Bytes): boolean {
  return contains(network, address) && (!isLinkLocal(address) || isWithinLinkLocal(network));
}

export function isLinkLocal(address: Bytes): boolean {
  return LINK_LOCAL.some(network => contains(network, address));
}

function isWithinLinkLocal({ bytes, bits }: Network): boolean {
  return LINK_LOCAL.some(network => bits >= network.bits && contains(network, bytes));
}

const v4 = (bits: number, ...bytes: number[]): Network => ({ bytes, bits, length: 4 });
const v6 = (bits: number, ...bytes: number[]): Network => ({ bytes, bits, length: 16 });

const OCTET = /^(?:0|[1-9]\d{0,2})$/;

const MAPPED = v6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);
const COMPATIBLE = v6(96);
const TRANSLATED = v6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);
const GLOBAL_UNICAST = v6(3, 0x20);

const LINK_LOCAL: readonly Network[] = [v4(16, 169, 254), v6(10, 0xfe, 0x80)];

/** Whole networks where a cloud keeps further services of its own beside its metadata. */
const METADATA: readonly Network[] = [
  v4(24, 169, 254, 169), // .254: AWS, Azure, Google, Oracle, OpenStack and most others; .253, .249: AWS
  v4(24, 169, 254, 170), // AWS ECS and EKS, credentials of a task (.2) or a pod (.23)
  v4(32, 169, 254, 0, 23), // Tencent
  v4(32, 169, 254, 42, 42), // Scaleway
  v4(20, 169, 254, 128), // Azure App Service, identity: 169.254.129.x and above
  v4(32, 100, 100, 100, 200), // Alibaba
  v4(32, 100, 96, 0, 96), // Volcengine
  v4(32, 192, 0, 0, 192), // Oracle
  v4(32, 168, 63, 129, 16), // Azure WireServer; looks public
  v6(128, 0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), // AWS fd00:ec2::254
  v6(128, 0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x53), // AWS fd00:ec2::253
  v6(128, 0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23), // AWS EKS fd00:ec2::23
  v6(128, 0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), // Google fd20:ce::254
  v6(128, 0xfd, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42), // Scaleway fd00:42::42
  v6(128, 0xfd, 0, 0, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe), // Oracle
  v6(128, 0xfd, 0, 0xa9, 0xfe, 0xa9, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), // Linode
  v6(128, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe), // OpenStack, Hetzner
];

/** These carry an IPv4 address to a translator or relay, where no guard of ours looks at it. */
const NEVER: readonly (readonly [Network, string])[] = [
  [v6(96, 0, 0x64, 0xff, 0x9b), 'a NAT64 address'],
  [v6(48, 0, 0x64, 0xff, 0x9b, 0, 1), 'a NAT64 address'],
  [v6(16, 0x20, 0x02), 'a 6to4 address'],
  [v6(32, 0x20, 0x01, 0, 0), 'a Teredo address'],
];

const SPECIAL_V4: readonly (readonly [Network, string])[] = [
  [v4(8, 0), 'an address of "this network" (0.0.0.0/8)'],
  [v4(8, 10), 'a private address'],
  [v4(10, 100, 64), 'a shared address (100.64.0.0/10)'],
  [v4(8, 127), 'a loopback address'],
  [v4(16, 169, 254), 'a link-local address'],
  [v4(12, 172, 16), 'a private address'],
  [v4(24, 192, 0, 0), 'an address of protocol assignments (192.0.0.0/24)'],
  [v4(24, 192, 0, 2), 'an address for documentation'],
  [v4(24, 192, 31, 196), 'an AS112 address'],
  [v4(24, 192, 52, 193), 'an AMT relay address'],
  [v4(24, 192, 88, 99), 'a 6to4 relay address'],
  [v4(16, 192, 168), 'a private address'],
  [v4(24, 192, 175, 48), 'an AS112 address'],
  [v4(15, 198, 18), 'an address for benchmarks'],
  [v4(24, 198, 51, 100), 'an address for documentation'],
  [v4(24, 203, 0, 113), 'an address for documentation'],
  [v4(4, 224), 'a multicast address'],
  [v4(4, 240), 'a reserved address'],
];

const SPECIAL_V6: readonly (readonly [Network, string])[] = [
  [v6(128), 'the unspecified address'],
  [v6(128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 'a loopback address'],
  [v6(7, 0xfc), 'a private address'],
  [v6(10, 0xfe, 0x80), 'a link-local address'],
  [v6(8, 0xff), 'a multicast address'],
  // ORCHID, benchmarks, AMT, AS112 and what may follow; holds no ordinary allocation.
  [v6(23, 0x20, 0x01), 'an address of protocol assignments (2001::/23)'],
  [v6(32, 0x20, 0x01, 0x0d, 0xb8), 'an address for documentation'],
  [v6(48, 0x26, 0x20, 0, 0x4f, 0x80, 0), 'an AS112 address'],
  [v6(20, 0x3f, 0xff, 0), 'an address for documentation'],
];
