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
 * What is stored of a key: SHA-256 as hex. A fast hash is right here: 256 random bits cannot be
 * guessed however fast one tries (https://cheatsheetseries.owasp.org, Password Storage, is about
 * words that people choose).
 */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/** What the cookie of a session carries, kept and looked up as keys are. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** For one answer: which styles of its page are the page's own. */
export function newNonce(): string {
  return randomBytes(16).toString('base64');
}
