/**
 * Host patterns: which urls a destination is for.
 *
 * A pattern is a name or an address, as a url has it. `*.` in front stands for exactly one label. A port binds the pattern to
 * that port; without one it fits any. Case does not count, and names are compared in ASCII, as the WHATWG parser writes them.
 */
interface HostPattern {
  /** Without the label of the asterisk, the brackets of IPv6, and the dot at the end. */
  host: string;
  isWild: boolean;
  /** Null: any. */
  port: number | null;
}

/** Whether one of the patterns fits host and port of the url. A url that cannot be parsed fits none. */
export function fitsHosts(url: string | URL, hosts: readonly string[]): boolean {
  const called = typeof url === 'string' ? URL.parse(url) : url;
  if (called === null) return false;
  const host = bareName(called.hostname);
  const port = portOf(called);
  return patternsOf(hosts).some(pattern => fits(pattern, host, port));
}

/** One text for all ways to write the same pattern; null where it is none. */
export function canonicalHost(text: string): string | null {
  const pattern = parsePattern(text);
  if (pattern === null) return null;
  const { host, isWild, port } = pattern;
  return `${isWild ? '*.' : ''}${host}${port === null ? '' : ` ${port}`}`;
}

/** Whether two lists of patterns are the same set. */
export function isSameHosts(a: readonly string[], b: readonly string[]): boolean {
  const [one, two] = [setOf(a), setOf(b)];
  return one.size === two.size && one.isSubsetOf(two);
}

/** Whether each url that `before` fits is sure to fit `after`, because no pattern is gone. */
export function keepsHosts(before: readonly string[], after: readonly string[]): boolean {
  return setOf(before).isSubsetOf(setOf(after));
}

function setOf(hosts: readonly string[]): Set<string | null> {
  return new Set(hosts.map(canonicalHost));
}

function fits({ host: own, isWild, port: bound }: HostPattern, host: string, port: number) {
  if (bound !== null && bound !== port) return false;
  if (!isWild) return own === host;
  const dot = host.indexOf('.');
  return dot > 0 && own === host.slice(dot + 1) && !IPV4.test(host);
}

/** The lists that firings ask for are the same for as long as a destination is. */
const parsed = new WeakMap<readonly string[], HostPattern[]>();

function patternsOf(hosts: readonly string[]): HostPattern[] {
  const known = parsed.get(hosts);
  if (known !== undefined) return known;
  const patterns = hosts.map(parsePattern).filter(pattern => pattern !== null);
  parsed.set(hosts, patterns);
  return patterns;
}

function parsePattern(text: string): HostPattern | null {
  const [, star, name = '', digits] = PATTERN.exec(text) ?? [];
  const host = bareName(URL.parse(`http://${name}/`)?.hostname ?? '');
  const isWild = star !== undefined;
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port === 0 || port > 65_535)) return null;
  if (host.includes(':')) return isWild ? null : { host, isWild, port };
  // The parser makes an address of 127.1 and 0x7f.0.0.1: nobody means that by it.
  if (IPV4.test(host)) return isWild || host !== name ? null : { host, isWild, port };
  const isName = host.length <= 253 && host.split('.').every(label => LABEL.test(label));
  return isName ? { host, isWild, port } : null;
}

/** An asterisk, a name or an address in brackets, a port. */
const PATTERN = /^(\*\.)?(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\%*[\]]+)(?::(\d{1,5}))?$/u;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const LABEL = /^(?!xn--$)[a-z0-9_-]{1,63}$/;

function bareName(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'http:' ? 80 : 443;
}
