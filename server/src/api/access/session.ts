import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { SESSION_MS } from '../../domain/access/session.ts';

/**
 * The cookie of a session, and when it counts.
 *
 * Guarantee: no other site can act in a session. Scripts cannot read the cookie (HttpOnly), and
 * browsers do not send it from other sites (SameSite=Strict). It counts only beside the header
 * `Punctual-Session`. A page of another origin cannot send that header without a preflight, which
 * is answered with 404. Behind TLS it is sent over TLS only, and its name (`__Host-`) keeps a host
 * of the same domain from setting one (RFC 6265bis, 4.1.3.2).
 */
export const SESSION_COOKIE = 'punctual_session';
const NAME_BEHIND_TLS = `__Host-${SESSION_COOKIE}`;
const HEADER = 'punctual-session';
/** The value of the header in requests that a page makes while nobody uses it. */
const IN_BACKGROUND = 'background';

/** The token of the request's session, or null where it has none that counts. */
export function sessionToken(request: FastifyRequest): string | null {
  const { headers } = request;
  if (headers[HEADER] === undefined || headers.cookie === undefined) return null;
  const cookies = parseCookie(headers.cookie);
  const behindTls = cookies[NAME_BEHIND_TLS];
  if (behindTls !== undefined || isBehindTls(request)) return behindTls ?? null;
  return cookies[SESSION_COOKIE] ?? null;
}

/** Whether somebody is at work there: only such requests keep a session from ending idle. */
export function isUse({ headers }: FastifyRequest): boolean {
  return headers[HEADER] !== IN_BACKGROUND;
}

/** @param token null takes the cookie away */
export function sessionCookie(request: FastifyRequest, token: string | null): string {
  const secure = isBehindTls(request);
  return stringifySetCookie({
    name: secure ? NAME_BEHIND_TLS : SESSION_COOKIE,
    value: token ?? '',
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: token === null ? 0 : SESSION_MS / 1_000,
  });
}

/**
 * The proxy in front says so, or else the browser: its requests that change something name the
 * page's origin. A forged header only makes the cookie stricter.
 */
function isBehindTls({ headers, protocol }: FastifyRequest): boolean {
  return (
    protocol === 'https' ||
    /\bhttps\b/i.test(String(headers['x-forwarded-proto'] ?? '')) ||
    headers.origin?.startsWith('https://') === true
  );
}
