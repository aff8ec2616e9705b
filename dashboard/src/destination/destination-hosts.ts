/** Hosts of destinations: whether a url is among them. A test holds these rules against the service's. */

/** @param hosts names or addresses, `*.` for one label in front, `:port` to bind the port too */
export function isAmong(hosts: readonly string[], url: string): boolean {
  const called = URL.parse(url.trim());
  if (called === null) return false;
  const port = called.port || (called.protocol === 'http:' ? '80' : '443');
  return hosts.some(host => isHost(host, bareName(called.hostname), port));
}

const PATTERN = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:]+)(?::(\d{1,5}))?$/i;

function isHost(text: string, hostname: string, port: string): boolean {
  const [, star, name = '', bound] = PATTERN.exec(text) ?? [];
  const own = bareName(URL.parse(`http://${name}/`)?.hostname ?? '');
  if (own === '' || (bound !== undefined && Number(bound) !== Number(port))) return false;
  if (star === undefined) return own === hostname;
  const dot = hostname.indexOf('.');
  return dot > 0 && hostname.slice(dot + 1) === own;
}

function bareName(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/** Those that fit the url first, each by name. */
export function byFit<Named extends { name: string; hosts: string[] }>(
  destinations: readonly Named[],
  url: string,
): { fitting: Named[]; others: Named[] } {
  const sorted = [...destinations].sort((one, other) => (one.name < other.name ? -1 : 1));
  const fits = (each: Named) => isAmong(each.hosts, url);
  return { fitting: sorted.filter(fits), others: sorted.filter(each => !fits(each)) };
}
