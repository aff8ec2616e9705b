import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

/**
 * The cookie of a session, and when it counts.
 *
 * Guarantee: no other site can act in a session. Scripts cannot read the cookie (HttpOnly), browsers
 * do not send it from elsewhere (SameSite=Strict), and it counts only beside the header
 * `Punctual-Session`, which a page of another origin cannot send without a preflight that is
 * answered with 404.
 */
const NAME = 'punctual_session';
const HEADER = 'punctual-session';

/** How long a session lasts at most. */
export const SESSION_SECONDS = 7 * 86_400;

/** The token of the request's session, or null where it has none that counts. */
export function sessionToken({ headers }: FastifyRequest): string | null {
  if (headers[HEADER] === undefined || headers.cookie === undefined) return null;
  return parseCookie(headers.cookie)[NAME] ?? null;
}

/** @param token null takes the cookie away */
export function sessionCookie(request: FastifyRequest, token: string | null): string {
  return stringifySetCookie({
    name: NAME,
    value: token ?? '',
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: isBehindTls(request),
    maxAge: token === null ? 0 : SESSION_SECONDS,
  });
}

/** What stands in front of the service says so; whoever makes it up only makes the cookie stricter. */
function isBehindTls({ headers, protocol }: FastifyRequest): boolean {
  return protocol === 'https' || /\bhttps\b/i.test(String(headers['x-forwarded-proto'] ?? ''));
}
