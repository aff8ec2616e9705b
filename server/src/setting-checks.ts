import { parseSecretKeys } from './domain/access/envelope.ts';
import { PunctualError } from './domain/errors.ts';
import { type Database, serversOf } from './store/open.ts';

/**
 * The checks of settings: the text of the environment becomes a value, or a sentence that names the setting.
 *
 * Each throws PunctualError `setting_invalid`.
 */

export function secretKeys(value: string, name: string): Buffer[] {
  return value === '' ? [] : parseSecretKeys(value, name);
}

export function text(value: string): string {
  return value;
}

/** A url that paths are put behind. @returns null where it is unset */
export function publicUrl(value: string, name: string): string | null {
  if (value === '') return null;
  const url = URL.parse(value);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  const isBare = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(value);
  if (isHttp && isBare) return url.href.replace(/\/+$/, '');
  // It may carry a password, and is not repeated.
  throw invalid(
    `${name} must be an http or https url without user, query or fragment, such as https://punctual.example.com.`,
  );
}

export function integer(least: number, most: number) {
  return (value: string, name: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    throw invalid(`${name} must be a whole number from ${least} to ${most}, not ${quote(value)}.`);
  };
}

export function threads(value: string, name: string): number | null {
  if (value === 'auto') return null;
  if (/^\d+$/.test(value) && Number(value) <= 64) return Number(value);
  throw invalid(`${name} must be auto or a whole number from 0 to 64, not ${quote(value)}.`);
}

export function oneOf<Value extends string>(...values: Value[]) {
  return (value: string, name: string): Value => {
    const known = values.find(each => each === value);
    if (known !== undefined) return known;
    throw invalid(`${name} must be one of ${values.join(', ')}, not ${quote(value)}.`);
  };
}

/** Sent as a header's value, so no blanks and nothing beyond ASCII. Never quoted: it may be a key. */
export function optionalToken(value: string, name: string): string {
  if (/^[\x21-\x7e]{0,200}$/.test(value)) return value;
  throw invalid(`${name} must be 1 to 200 printable ASCII characters without blanks.`);
}

/**
 * Only its SHA-256 is kept, and nothing limits guesses: that takes a key that cannot be guessed. Twenty
 * random characters of base64 are 120 bits.
 */
export function apiKey(value: string, name: string): string {
  const key = optionalToken(value, name);
  if (key === '' || key.length >= LEAST_KEY_CHARACTERS) return key;
  throw invalid(
    `${name} must have at least ${LEAST_KEY_CHARACTERS} characters, and has ${key.length}: a random ` +
      'key comes from "openssl rand -base64 32".',
  );
}

/** As Standard Webhooks has it: 24 to 64 bytes. Never quoted. */
export function signingSecret(value: string, name: string): string {
  if (value === '') return value;
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? [];
  const bytes = text === undefined ? null : Buffer.from(text, 'base64');
  const isCanonical = bytes?.toString('base64') === text;
  if (bytes !== null && isCanonical && bytes.length >= 24 && bytes.length <= 64) return value;
  throw invalid(
    `${name} must be "whsec_" and 24 to 64 bytes in base64, as from: echo "whsec_$(openssl rand -base64 32)".`,
  );
}

const LEAST_KEY_CHARACTERS = 20;

export interface Credentials {
  clientId: string;
  apiKey: string;
  signingSecret?: string;
}

/** @throws PunctualError `setting_invalid` where some of them are there and others are not */
export function credentialsOf(
  clientId: string,
  apiKey: string,
  signingSecret: string,
): Credentials | null {
  if (clientId !== '' && apiKey !== '') {
    return { clientId, apiKey, ...(signingSecret !== '' && { signingSecret }) };
  }
  if (clientId !== '' || apiKey !== '') {
    throw invalid('PUNCTUAL_CLIENT_ID and PUNCTUAL_API_KEY must be set together.');
  }
  if (signingSecret === '') return null;
  throw invalid('PUNCTUAL_SIGNING_SECRET needs PUNCTUAL_CLIENT_ID and PUNCTUAL_API_KEY beside it.');
}

/** @param name what the value was given as, for the sentence */
export function database(value: string, name: string): Database {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(value)?.[1];
  if (path) return { kind: 'sqlite', path };
  if (isPostgresUrl(value)) return { kind: 'postgres', url: value };
  // The value may carry a password: it is not repeated.
  throw invalid(
    `${name} must be sqlite: and a path, such as sqlite:./data/punctual.db, or a url that begins ` +
      'with postgres://.',
  );
}

function isPostgresUrl(value: string): boolean {
  try {
    return serversOf(value).length > 0;
  } catch {
    return false;
  }
}

export function quote(value: string): string {
  return JSON.stringify(value.slice(0, 60));
}

export function invalid(sentence: string): PunctualError {
  return new PunctualError('setting_invalid', sentence);
}
