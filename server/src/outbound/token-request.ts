import type { DestinationAuth } from '../domain/destination/destination.ts';
import { decapitalized } from '../domain/run/sentence.ts';
import { VERSION } from '../version.ts';
import type { OutboundRequest, SendResult } from './send.ts';

/** Asks for an OAuth2 token by client credentials (RFC 6749, 4.4), and reads the answer. */

export type ClientCredentials = Extract<DestinationAuth, { type: 'oauth2' }>;

/** A token as its endpoint gave it. */
export interface GrantedToken {
  accessToken: string;
  /** From its grant to its end. */
  lifetimeMs: number;
}

const TIMEOUT_MS = 10_000;
/** If the endpoint tells none. */
const USUAL_LIFETIME_SECONDS = 300;

export function tokenRequest(oauth2: ClientCredentials, clientSecret: string): OutboundRequest {
  const { tokenUrl, clientId, scope, audience, sendAs = 'basic' } = oauth2;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) form.set('scope', scope);
  if (audience !== undefined) form.set('audience', audience);
  const headers = [
    ...['Accept', 'application/json'],
    ...['Content-Type', 'application/x-www-form-urlencoded'],
    ...['User-Agent', `Punctual/${VERSION}`],
  ];
  if (sendAs === 'basic') headers.push('Authorization', basicOf(clientId, clientSecret));
  else {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  }
  const body = form.toString();
  return { method: 'POST', url: tokenUrl, headers, body, timeoutMs: TIMEOUT_MS, isPrivate: true };
}

/** RFC 6749, 2.3.1: both are encoded as in a form before they become user and password. */
function basicOf(clientId: string, clientSecret: string): string {
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** @returns the token, or why there is none in one sentence, which repeats nothing of the answer but its status */
export function grantedToken(result: SendResult): GrantedToken | string {
  const { outcome, responseStatus: status, privateBody, error } = result;
  if (outcome === 'cancelled') return 'The service stopped before the token came.';
  if (outcome !== 'response') return `The token endpoint gave no token: ${decapitalized(error!)}`;
  if (status! < 200 || status! > 299) return `The token endpoint answered ${status}.`;
  if (privateBody === null) return 'The token endpoint answered with more than 64 KiB.';
  return (
    tokenOf(parsed(privateBody)) ?? `The token endpoint answered ${status}, but with no token.`
  );
}

function parsed(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Null where there is none that a header can carry as a bearer (RFC 6750, 2.1; RFC 6749, 7.1). */
function tokenOf(answer: Record<string, unknown>): GrantedToken | null {
  const { access_token: accessToken, token_type: type = 'bearer', expires_in: seconds } = answer;
  if (typeof accessToken !== 'string' || !TOKEN.test(accessToken)) return null;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return null;
  const told = typeof seconds === 'string' && seconds !== '' ? Number(seconds) : seconds;
  const isTold = typeof told === 'number' && Number.isFinite(told) && told >= 0;
  return { accessToken, lifetimeMs: (isTold ? told : USUAL_LIFETIME_SECONDS) * 1_000 };
}

/** Visible ASCII: stricter tokens exist, and a few endpoints grant none of them. */
const TOKEN = /^[\x21-\x7e]{1,32768}$/;
