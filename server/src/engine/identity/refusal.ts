import type { DestinationConfig } from '../../domain/destination/destination.ts';
import { needsHttps } from '../../domain/destination/fitness.ts';
import { fitsHosts } from '../../domain/destination/hosts.ts';
import type { OutboundRequest } from '../../outbound/send.ts';

/**
 * Decides whether a request may be sent through a destination, at the moment of the call: the schedule or the destination may
 * have changed since.
 */

/**
 * Why it may not be sent, in one sentence; null: it may.
 *
 * @param names of the headers that the destination sets, in lower case
 */
export function refusalOf(
  { url, headers, ownHeaders = 0 }: OutboundRequest,
  names: ReadonlySet<string>,
  name: string,
  config: DestinationConfig,
): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !fitsHosts(parsed, config.hosts)) {
    const where = parsed === null ? 'no host' : parsed.host;
    return `The url leads to ${where}, and the destination "${name}" does not have it among its hosts.`;
  }
  if (parsed.protocol === 'http:' && needsHttps(config)) {
    return `The url is http, and the destination "${name}" is called by https only.`;
  }
  for (let at = 0; at < ownHeaders && names.size > 0; at += 2) {
    const own = headers[at]!;
    if (names.has(own.toLowerCase())) {
      return `The schedule sets the header ${own}, and the destination "${name}" sets it too.`;
    }
  }
  return null;
}

export function missing(name: string): string {
  return `The destination "${name}" is not there any more, or its secrets cannot be decrypted.`;
}
