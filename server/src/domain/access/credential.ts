import { hash, randomBytes } from 'node:crypto';

/** Keys and secrets: made here, shown once, and only hashes of keys are kept. */

/** 256 random bits; the prefix lets scanners of leaked secrets know it. */
export function newApiKey(): string {
  return `pk_${randomBytes(32).toString('base64url')}`;
}

/** A signing secret in the form of Standard Webhooks. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * The stored form of a key: SHA-256 as hex. A fast hash is enough here, because nobody can guess
 * 256 random bits. (The OWASP advice on password storage, https://cheatsheetseries.owasp.org, is
 * about words that people choose.)
 */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/** The token in a session cookie. It is stored and looked up as keys are. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** For one answer: which styles of its page are the page's own. */
export function newNonce(): string {
  return randomBytes(16).toString('base64');
}
