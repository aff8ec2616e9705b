import type { Attempt, Destination, DestinationAuth } from '@punctual/client';
import { whole } from '../parts/numbers.ts';
import type { AuthKind } from './destination-draft.ts';

/** Destinations in words. */

export const AUTH_KINDS: { value: AuthKind; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'basic', label: 'User name and password' },
  { value: 'headers', label: 'Secret headers' },
  { value: 'oauth2', label: 'OAuth 2 client credentials' },
  { value: 'oidc', label: 'Signed token (OpenID Connect)' },
];

/** How a destination says who calls, without its secrets. */
export function authText(auth: DestinationAuth | undefined): string {
  switch (auth?.type) {
    case undefined:
      return 'no sign-in';
    case 'basic':
      return `user ${auth.username}`;
    case 'bearer':
      return 'bearer token';
    case 'headers':
      return 'secret headers';
    case 'oauth2':
      return `OAuth 2 client ${auth.clientId}`;
    case 'oidc':
      return `signed token for ${auth.audience}`;
  }
}

export function tlsText({ tls }: Pick<Destination, 'tls'>): string {
  if (tls === undefined) return '';
  const parts = [tls.certificate && 'client certificate', tls.ca && 'own authorities'];
  return parts.filter(Boolean).join(', ');
}

export function limitsText({ limits = {} }: Pick<Destination, 'limits'>): string {
  const { maxConcurrent, perSecond } = limits;
  return [
    maxConcurrent !== undefined && `${whole(maxConcurrent)} at a time`,
    perSecond !== undefined && `${whole(perSecond)} a second`,
  ]
    .filter(text => text !== false)
    .join(', ');
}

type Answer = Pick<Attempt, 'responseStatus' | 'error'>;

/** The likely reason behind a failed test, where the answer alone does not say whose mistake it is; else null. */
export function behindAnswer({ auth, tls }: Destination, { responseStatus, error = '' }: Answer) {
  if (error.startsWith('The token endpoint')) return behindToken(error);
  if (responseStatus === 401) return refusedText(auth);
  if (responseStatus === 403) {
    return 'The host knows who calls, and does not allow this request. The account may lack a right.';
  }
  if (/not signed by a trusted authority|self-signed/.test(error)) {
    return tls?.ca === undefined
      ? 'The certificate of the host is of an authority that the system does not know. Paste the certificate of that authority under Certificates.'
      : 'The certificate of the host is of another authority than those under Certificates.';
  }
  if (error.includes('asked for a client certificate')) {
    return 'The host lets nobody in without a client certificate. Give one under Certificates.';
  }
  return null;
}

/** No request was sent to the host: there was no token for it. */
function behindToken(error: string): string {
  const status = Number(/answered (\d{3})/.exec(error)?.[1] ?? 0);
  if (status === 0) {
    return 'The token has to be fetched first, and its endpoint could not be reached. Check the token url.';
  }
  if (status === 400 || status === 401 || status === 403) {
    return 'The token endpoint does not accept the client id with this secret, scope and audience. Check them, and whether it wants id and secret in the body.';
  }
  if (status < 300) {
    return 'An answer came, but without an access token. The token url may lead to a page for people.';
  }
  return status === 429 || status >= 500
    ? 'The token endpoint has a fault of its own, or is busy. A firing would try again.'
    : 'The token url is not the address of a token endpoint.';
}

function refusedText(auth: DestinationAuth | undefined): string {
  switch (auth?.type) {
    case undefined:
      return 'The host wants to know who calls, and this destination has no sign-in.';
    case 'basic':
      return 'The host does not accept this user name with this password.';
    case 'bearer':
      return 'The host does not accept this token. It may have ended, or be for another host.';
    case 'headers':
      return 'The host does not accept these headers.';
    case 'oauth2':
      return 'The token was fetched, but the host does not accept it. Check scope and audience.';
    case 'oidc':
      return `The host does not accept the signed token. It has to trust this installation as the issuer, and to expect the audience ${auth.audience}.`;
  }
}
