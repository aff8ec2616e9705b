import type { ScheduleCallback } from './wire.ts';

/** Checks that a request was signed by Punctual (Standard Webhooks v1, docs/signatures.md). */

/** Why a request was refused. `secretInvalid` is a mistake of the receiver's own. */
export type VerificationProblem =
  | 'secretInvalid'
  | 'headerMissing'
  | 'timestampInvalid'
  | 'timestampTooOld'
  | 'timestampTooNew'
  | 'signatureInvalid'
  | 'bodyInvalid';

/** The request is not to be trusted; `message` says why, and never holds the secret. */
export class PunctualVerificationError extends Error {
  readonly problem: VerificationProblem;

  constructor(problem: VerificationProblem, sentence: string) {
    super(sentence);
    this.name = 'PunctualVerificationError';
    this.problem = problem;
  }
}

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from now, either way, in seconds: 300 by default. */
  toleranceSeconds?: number;
  /** Now, in milliseconds since 1970. */
  nowMs?: number;
}

/** A request that Punctual signed. */
export interface Verified {
  /** `webhook-id`: of the run or the callback, the same for each of its attempts. */
  id: string;
  /** When this attempt was signed. */
  signedAt: Date;
}

/** Headers as `fetch`, Node's `http` and most frameworks have them; names in any case. */
export type ReceivedHeaders = Headers | Record<string, string | readonly string[] | undefined>;

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

/**
 * Checks a request: a run's, or a callback's.
 *
 * @param secret `whsec_…`; several where more than one client or secret may sign
 * @param body exactly as it was received, '' where there is none
 * @throws PunctualVerificationError where it was not signed with the secret, or too long ago
 */
export async function verify(
  secret: string | readonly string[],
  headers: ReceivedHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() }: VerifyOptions = {},
): Promise<Verified> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesIn(headerOf(headers, 'webhook-signature'));
  const seconds = secondsOf(timestamp);
  checkAge(seconds, nowMs / 1_000, toleranceSeconds);
  const content = signedContent(`${id}.${timestamp}.`, body);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const key of await Promise.all(secrets.map(keyOf))) {
    for (const signature of signatures) {
      if (await crypto.subtle.verify(HMAC, key, signature, content)) {
        return { id, signedAt: new Date(seconds * 1_000) };
      }
    }
  }
  throw new PunctualVerificationError(
    'signatureInvalid',
    'No signature fits: the secret is another one, or the body is not exactly as it was received.',
  );
}

/**
 * Checks a callback and reads its body.
 *
 * @throws PunctualVerificationError as `verify` does, and where the body is no callback
 */
export async function verifyCallback(
  secret: string | readonly string[],
  headers: ReceivedHeaders,
  body: string | Uint8Array,
  options: VerifyOptions = {},
): Promise<Verified & { callback: ScheduleCallback }> {
  const verified = await verify(secret, headers, body, options);
  return { ...verified, callback: callbackIn(body) };
}

function callbackIn(body: string | Uint8Array): ScheduleCallback {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const callback = JSON.parse(text) as ScheduleCallback;
    if (/^schedule\.run\.(succeeded|failed)$/.test(callback.type)) return callback;
  } catch {
    // No JSON, or no object.
  }
  throw new PunctualVerificationError('bodyInvalid', 'The body is not that of a callback.');
}

function headerOf(headers: ReceivedHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : recordedHeader(headers, name);
  if (value) return value;
  throw new PunctualVerificationError('headerMissing', `The header ${name} is missing.`);
}

/** Also those of another realm, such as a test's. */
function isHeaders(headers: ReceivedHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function recordedHeader(headers: Exclude<ReceivedHeaders, Headers>, name: string) {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'object' ? value.join(' ') : value;
}

function secondsOf(timestamp: string): number {
  if (/^\d{1,12}$/.test(timestamp)) return Number(timestamp);
  throw new PunctualVerificationError(
    'timestampInvalid',
    'The header webhook-timestamp is not a number of seconds since 1970.',
  );
}

function checkAge(seconds: number, nowSeconds: number, toleranceSeconds: number): void {
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds must be 0 or more.');
  const age = Math.round(nowSeconds - seconds);
  if (!Number.isFinite(age)) throw new RangeError('nowMs must be a number.');
  if (age > toleranceSeconds) {
    const sentence = `The request was signed ${age} s ago; ${toleranceSeconds} s are allowed.`;
    throw new PunctualVerificationError('timestampTooOld', sentence);
  }
  if (-age > toleranceSeconds) {
    const sentence = `The request was signed ${-age} s ahead of this clock; ${toleranceSeconds} s are allowed.`;
    throw new PunctualVerificationError('timestampTooNew', sentence);
  }
}

/** Those of version 1; others, and what is no base64, are passed over. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(/,? +/)
    .filter(part => part.startsWith('v1,'))
    .flatMap(part => bytesOf(part.slice('v1,'.length)) ?? []);
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : null;
  if (bytes === null || bytes.length === 0) {
    throw new PunctualVerificationError(
      'secretInvalid',
      'The secret must be "whsec_" and base64, as `punctual secret rotate` prints it.',
    );
  }
  return crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function signedContent(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const [start, rest] = [
    encoder.encode(head),
    typeof body === 'string' ? encoder.encode(body) : body,
  ];
  const content = new Uint8Array(start.length + rest.length);
  content.set(start);
  content.set(rest, start.length);
  return content;
}
