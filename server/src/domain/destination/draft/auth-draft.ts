import { PunctualError } from '../../errors.ts';
import { checkHeaders } from '../../schedule/headers.ts';
import type { DestinationAuth, DestinationParts, DestinationSecrets } from '../destination.ts';

/** The authentication that a body asks for, its secret apart. */

export type AuthBody =
  | { type: 'basic'; username: string; password?: string }
  | { type: 'bearer'; token?: string }
  | { type: 'headers'; headers?: Record<string, string> }
  | {
      type: 'oauth2';
      tokenUrl: string;
      clientId: string;
      clientSecret?: string;
      scope?: string;
      audience?: string;
      sendAs?: 'basic' | 'body';
    }
  | { type: 'oidc'; audience: string };

interface AuthDraft {
  config: DestinationAuth;
  secrets: DestinationSecrets;
}

/** @throws PunctualError `request_invalid`, `headers_invalid`, `secret_required` */
export function authDraft(body: AuthBody, present: DestinationParts | null): AuthDraft {
  const was = present?.config.auth?.type;
  const kept = was === body.type ? present!.secrets : {};
  const needed = <Value>(field: string, value: Value | undefined): Value => {
    if (value !== undefined) return value;
    throw missing(`auth.${field}`, was !== undefined && was !== body.type);
  };
  switch (body.type) {
    case 'basic': {
      const { type, username, password = kept.password } = body;
      checkText('username', username);
      if (username.includes(':')) throw invalid('auth.username must not contain a colon.');
      const secret = needed('password', password);
      checkSecret('password', secret);
      return { config: { type, username }, secrets: { password: secret } };
    }
    case 'bearer': {
      const { type, token = kept.token } = body;
      const secret = needed('token', token);
      if (!VISIBLE.test(secret)) {
        throw invalid(
          'auth.token must be visible ASCII characters without spaces, and not empty.',
          secret,
        );
      }
      return { config: { type }, secrets: { token: secret } };
    }
    case 'headers': {
      const { type, headers = kept.headers } = body;
      const secret = needed('headers', headers);
      checkSecretHeaders(secret);
      return { config: { type, names: Object.keys(secret) }, secrets: { headers: secret } };
    }
    case 'oauth2': {
      const { type, tokenUrl, clientId, scope, audience, sendAs } = body;
      const secret = needed('clientSecret', body.clientSecret ?? kept.clientSecret);
      checkPrintable('clientId', clientId);
      checkPrintable('clientSecret', secret);
      if (scope !== undefined) checkPrintable('scope', scope);
      if (audience !== undefined) checkFilled('audience', audience);
      const config = {
        ...{ type, tokenUrl, clientId },
        ...(scope !== undefined && { scope }),
        ...(audience !== undefined && { audience }),
        ...(sendAs !== undefined && { sendAs }),
      };
      return { config, secrets: { clientSecret: secret } };
    }
    case 'oidc': {
      const { type, audience } = body;
      checkFilled('audience', audience);
      return { config: { type, audience }, secrets: {} };
    }
  }
}

/** @param isOther whether it takes the place of a secret of another type */
function missing(field: string, isOther: boolean): PunctualError {
  return isOther
    ? new PunctualError('secret_required', `${field} must be sent, because auth.type has changed.`)
    : invalid(`${field} is required.`);
}

/** @throws PunctualError `headers_invalid`, `request_invalid` */
function checkSecretHeaders(headers: Record<string, string>): void {
  const names = Object.keys(headers);
  if (names.length === 0 || names.length > MOST_HEADERS) {
    throw invalid(`auth.headers must have 1 to ${MOST_HEADERS} headers.`);
  }
  try {
    checkHeaders(headers);
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error;
    throw new PunctualError(error.code, `auth.${error.message}`);
  }
  const empty = names.find(name => headers[name] === '');
  if (empty !== undefined) throw invalid(`auth.headers: ${empty} must not be empty.`);
}

function checkFilled(field: string, text: string): void {
  checkText(field, text);
  if (text === '') throw invalid(`auth.${field} must not be empty.`);
}

function checkSecret(field: string, text: string): void {
  checkFilled(field, text);
}

/** RFC 7617, 2: no control characters. */
function checkText(field: string, text: string): void {
  if (CONTROL.test(text) || !text.isWellFormed()) {
    throw invalid(`auth.${field} must be well-formed text without control characters.`, text);
  }
}

/** RFC 6749, appendix A. */
function checkPrintable(field: string, text: string): void {
  if (!PRINTABLE.test(text)) {
    throw invalid(`auth.${field} must be printable ASCII characters, and not empty.`, text);
  }
}

function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('request_invalid', sentence, { refused });
}

const MOST_HEADERS = 10;
const VISIBLE = /^[\x21-\x7e]+$/;
const PRINTABLE = /^[\x20-\x7e]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/;
