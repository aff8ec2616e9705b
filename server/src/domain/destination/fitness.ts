import type { ErrorCode } from '../errors.ts';
import type { DestinationConfig } from './destination.ts';
import { fitsHosts, keepsHosts } from './hosts.ts';

/**
 * Fitness: whether a schedule may name a destination. Its url lies within the hosts, secrets leave over https, and no header is
 * set by both.
 */

/** A schedule, as far as a destination asks about it. */
export interface DestinationCall {
  url: string;
  headers?: Record<string, string>;
}

/** The rule that a schedule breaks. */
export interface Misfit {
  /** The field of the schedule that breaks it. */
  where: 'url' | 'headers';
  code: ErrorCode;
  /** For the writer of the schedule. */
  sentence: string;
  /** The field of the destination that says so. */
  rule: 'hosts' | 'allowHttp' | 'auth';
  /** The same for the writer of the destination: what the schedule does, behind its name. */
  use: string;
}

/** All that a destination with this name finds wrong with a schedule; none where it fits. */
export function misfitsOf(
  { url, headers = {} }: DestinationCall,
  name: string,
  config: DestinationConfig,
): Misfit[] {
  const misfits: Misfit[] = [];
  if (!fitsHosts(url, config.hosts)) misfits.push(outside(url, name));
  else if (needsHttps(config) && URL.parse(url)?.protocol === 'http:') misfits.push(open(name));
  const own = headersOf(config);
  for (const header of Object.keys(headers)) {
    if (own.has(header.toLowerCase())) misfits.push(twice(header, name));
  }
  return misfits;
}

/** Whether a schedule that fits `before` may not fit `after`. */
export function mayUnfit(before: DestinationConfig, after: DestinationConfig): boolean {
  return (
    !keepsHosts(before.hosts, after.hosts) ||
    (needsHttps(after) && !needsHttps(before)) ||
    !headersOf(after).isSubsetOf(headersOf(before))
  );
}

/** Whether it has secrets or a certificate to send, and may send them over https alone. */
export function needsHttps({ auth, tls, allowHttp = false }: DestinationConfig): boolean {
  return !allowHttp && (auth !== undefined || tls?.certificate !== undefined);
}

/** The headers that it sets, in lower case. */
export function headersOf({ auth }: DestinationConfig): Set<string> {
  if (auth === undefined) return new Set();
  if (auth.type === 'headers') return new Set(auth.names.map(name => name.toLowerCase()));
  return new Set(['authorization']);
}

function outside(url: string, name: string): Misfit {
  const host = URL.parse(url)?.host ?? url;
  return {
    ...{ where: 'url', code: 'request_invalid', rule: 'hosts' },
    sentence: `url: the host ${host} is none of the hosts of the destination ${name}.`,
    use: `calls ${host}, which is none of these hosts`,
  };
}

function open(name: string): Misfit {
  return {
    ...{ where: 'url', code: 'request_invalid', rule: 'allowHttp' },
    sentence: `url: the destination ${name} authenticates over https only: take an https url, or set its allowHttp.`,
    use: 'has an http url, and the destination would authenticate over https only',
  };
}

function twice(header: string, name: string): Misfit {
  return {
    ...{ where: 'headers', code: 'headers_invalid', rule: 'auth' },
    sentence: `headers: the destination ${name} sets ${JSON.stringify(header)} too, so leave it out.`,
    use: `sets ${JSON.stringify(header)} itself`,
  };
}
