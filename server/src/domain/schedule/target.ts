import { PunctualError } from '../errors.ts';
import {
  type Bytes,
  bytesOf,
  isLinkLocal,
  type Network,
  opens,
  parseNetwork,
  specialty,
} from './address.ts';

/**
 * Targets: which urls may be called.
 *
 * A target is checked twice. The API checks the URL alone, so that a mistake is a 400 and not a
 * failing run. The guard checks the resolved addresses before every connection (outbound/guard.ts);
 * this second check protects.
 */

/**
 * The targets that `PUNCTUAL_ALLOW_TARGETS` opens beyond public addresses. Metadata services stay
 * closed.
 */
export interface AllowTargets {
  /** All but link-local addresses. */
  readonly everything: boolean;
  readonly networks: readonly Network[];
  /** Lower case, punycode, without a dot at the end. */
  readonly hosts: ReadonlySet<string>;
  /** PUNCTUAL_URL is unset: no target can call this installation, and no draft may ask for completions. */
  readonly lacksUrl?: boolean;
}

export const ALLOW_PUBLIC: AllowTargets = { everything: false, networks: [], hosts: new Set() };

export type AddressVerdict =
  | { allowed: true }
  /** `reason` fits into "it is …"; `never`: no setting opens it. */
  | { allowed: false; reason: string; never: boolean };

/** @param address an IPv4 or IPv6 literal, as a resolver gives it */
export function judgeAddress(address: string, allow: AllowTargets): AddressVerdict {
  const bytes = bytesOf(address);
  // An address that cannot be parsed is refused.
  if (bytes === null) return { allowed: false, reason: 'not a plain IP address', never: true };
  const special = specialty(bytes);
  if (special === null) return ALLOWED;
  if (!special.never && isOpened(bytes, allow)) return ALLOWED;
  return { allowed: false, reason: special.why, never: special.never };
}

/**
 * The rules for the addresses of `hostname`: if the name is open, all its addresses are, as with
 * `*`.
 */
export function allowFor(hostname: string, allow: AllowTargets): AllowTargets {
  return allow.hosts.has(bareHost(hostname)) ? { ...allow, everything: true } : allow;
}

/**
 * Why a host and port may not be called, as far as they tell without resolving: null when nothing
 * speaks against it.
 *
 * @param hostname as the WHATWG parser gives it, so that every numeric form has become a dotted one
 * @param port the empty string for the scheme's own
 * @returns the end of a sentence that begins with where the url stands
 */
export function refusal(hostname: string, port: string, allow: AllowTargets): string | null {
  const host = bareHost(hostname);
  if (METADATA_HOSTS.has(host)) {
    return `the host "${host}" is a cloud metadata service, which ${SETTING} never opens.`;
  }
  const literal = bytesOf(host);
  if (literal !== null) {
    const verdict = judgeAddress(host, allow);
    if (!verdict.allowed) return addressRefusal(`the address ${host}`, verdict);
  }
  if (!BAD_PORTS.has(Number(port))) return null;
  const opened = literal !== null ? isOpened(literal, allow) : allowFor(host, allow).everything;
  return opened
    ? null
    : `port ${port} belongs to another protocol than HTTP (Fetch standard, "bad port"), ` +
        `and is refused unless ${SETTING} opens the host.`;
}

/** @param subject what is being refused: an address, or a name that resolves to one */
export function addressRefusal(
  subject: string,
  verdict: { reason: string; never: boolean },
): string {
  return verdict.never
    ? `${subject} is ${verdict.reason}, which ${SETTING} never opens.`
    : `${subject} is ${verdict.reason}, which is refused unless ${SETTING} opens it.`;
}

/**
 * Refuses a url that could never be called, or not as it is written.
 *
 * Stricter than the WHATWG parser, which mends white space, backslashes and missing slashes, so that
 * what is stored, what is shown and what is called are the same, whoever reads it.
 *
 * @param where what the sentence calls it, such as `integrations[0].url`
 * @throws PunctualError `target_invalid`, or `target_refused` where a setting decides
 */
export function checkTargetUrl(url: string, allow: AllowTargets, where: string): void {
  const fault = textFaultOf(url);
  if (fault !== null) {
    throw new PunctualError('target_invalid', `${where}: ${fault}`, { refused: url });
  }
  const origin = ORIGIN.exec(url)![0];
  if (isKnownGood(origin, allow)) return;
  const { hostname, port } = parseOrigin(origin, where);
  const refused = refusal(hostname, port, allow);
  if (refused !== null) throw new PunctualError('target_refused', `${where}: ${refused}`);
  rememberGood(origin, allow);
}

/** Scheme, host and port as they are written; empty where the url is not absolute. */
export function originTextOf(url: string): string {
  return ORIGIN.exec(url)?.[0] ?? '';
}

/** Host and port of a url that is accepted, as it is written, in lower case. */
export function hostOf(url: string): string {
  const [origin = ''] = ORIGIN.exec(url) ?? [];
  return origin.slice(origin.indexOf('//') + 2).toLowerCase();
}

/** Parses the scheme, host and port of a URL. Nothing behind them can make it fail. */
function parseOrigin(origin: string, where: string): URL {
  const parsed = URL.parse(origin);
  const fault = parsed === null ? 'the host or port of the url is not valid.' : hostFaultOf(parsed);
  if (fault !== null) throw new PunctualError('target_invalid', `${where}: ${fault}`);
  return parsed!;
}

function hostFaultOf({ hostname, port }: URL): string | null {
  if (!isHost(bareHost(hostname))) return 'the host of the url is not a valid host name.';
  return port === '0' ? 'port 0 cannot be called.' : null;
}

/**
 * Scheme, host and port that were found good are remembered: most schedules of a caller go to the same
 * few hosts, and parsing one costs 4 µs. The verdict hangs on nothing else.
 */
const good = new WeakMap<AllowTargets, Set<string>>();
const MOST_REMEMBERED = 1_000;

function isKnownGood(origin: string, allow: AllowTargets): boolean {
  return good.get(allow)?.has(origin) === true;
}

function rememberGood(origin: string, allow: AllowTargets): void {
  const known = good.get(allow);
  if (known === undefined || known.size >= MOST_REMEMBERED) good.set(allow, new Set([origin]));
  else known.add(origin);
}

function textFaultOf(url: string): string | null {
  if (url.length > MOST_URL_CHARACTERS && [...url].length > MOST_URL_CHARACTERS) {
    return `a url has at most ${MOST_URL_CHARACTERS.toLocaleString('en')} characters.`;
  }
  if (!url.isWellFormed()) return 'a url must be well-formed Unicode.';
  if (UNSAFE.test(url)) return 'a url must not contain white space or control characters.';
  if (BACKSLASH.test(url)) return 'a url must not contain a backslash before its query.';
  const origin = ORIGIN.exec(url)?.[0];
  if (origin === undefined) return 'a url must be absolute and begin with http:// or https://.';
  if (origin.endsWith('//')) return 'a url must have a host.';
  if (origin.includes('@')) {
    return 'a url must not contain a user name or password; send an Authorization header instead.';
  }
  return null;
}

/**
 * Reads `PUNCTUAL_ALLOW_TARGETS`: networks in CIDR form, addresses, host names, or `*`, separated
 * by commas. A host name opens whatever it resolves to, and only that very name. Link-local addresses
 * are opened by a network within 169.254.0.0/16 or fe80::/10 alone.
 *
 * @throws PunctualError `setting_invalid`
 */
export function parseAllowTargets(text: string): AllowTargets {
  let everything = false;
  const networks: Network[] = [];
  const hosts = new Set<string>();
  for (const part of text.split(',').map(raw => raw.trim())) {
    if (part === '') continue;
    if (part === '*') {
      everything = true;
      continue;
    }
    const network = parseNetwork(part);
    if (network !== null) {
      networks.push(network);
      continue;
    }
    const host = hostName(part);
    if (host === null) {
      throw new PunctualError(
        'setting_invalid',
        `${SETTING}: "${part}" is not a network in CIDR form, an address, a host name or "*".`,
      );
    }
    hosts.add(host);
  }
  return { everything, networks, hosts };
}

/** The name as a parsed url shows it, or null: the parser turns 0x7f.1 into an address. */
function hostName(part: string): string | null {
  if (/[\s/:?#@\\%*[\]]/.test(part)) return null;
  const host = bareHost(URL.parse(`http://${part}/`)?.hostname ?? '');
  return bytesOf(host) === null && isHost(host) ? host : null;
}

/** An address or a name that DNS could hold (RFC 1123, and the underscore that people use). */
function isHost(host: string): boolean {
  if (bytesOf(host) !== null) return true;
  return host.length <= 253 && host.split('.').every(label => LABEL.test(label));
}

/** Without the brackets of IPv6 and the dot at the end; the parser has lowered the case. */
export function bareHost(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function isOpened(address: Bytes, allow: AllowTargets): boolean {
  const isOpen = allow.everything && !isLinkLocal(address);
  return isOpen || allow.networks.some(network => opens(network, address));
}

const ALLOWED: AddressVerdict = { allowed: true };
const SETTING = 'PUNCTUAL_ALLOW_TARGETS';
export const MOST_URL_CHARACTERS = 2_048;
const ORIGIN = /^https?:\/\/[^/?#]*/i;
/** In front of the query: there it would count as a slash. */
const BACKSLASH = /^[^?#]*\\/;
const UNSAFE = /[\s\p{Cc}]/u;
/** `xn--` with nothing behind it is an empty name to some parsers and a name to others. */
const LABEL = /^(?!xn--$)[a-z0-9_-]{1,63}$/;

const METADATA_HOSTS: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.packet.net', // Equinix Metal
  'metadata.platformequinix.com',
  'api.metadata.cloud.ibm.com',
  'api.service.softlayer.com', // IBM classic
  'rancher-metadata',
]);

/** https://fetch.spec.whatwg.org/#port-blocking */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);
