import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type SigningSecrets, signingStill } from '../domain/rotation.ts';

/** Standard Webhooks v1, symmetric: https://www.standardwebhooks.com, "Signature scheme". */

const PREFIX = 'whsec_';

/** Each client has one secret and signs thousands of requests with it. */
const keys = new LRUCache<string, KeyObject>({ max: 10_000 });

/**
 * The value of `webhook-signature`: the signature, and while an overlap lasts, that of the old secret
 * behind it. Receivers take any one that fits.
 *
 * @param nowMs when it is signed: what `webhook-timestamp` says, and whether the overlap lasts
 */
export function signatures(
  { signingSecret, oldSecret }: SigningSecrets,
  id: string,
  nowMs: number,
  body: string,
): string {
  const seconds = Math.floor(nowMs / 1_000);
  const signature = sign(signingSecret, id, seconds, body);
  const old = signingStill(oldSecret, nowMs);
  return old === undefined ? signature : `${signature} ${sign(old.secret, id, seconds, body)}`;
}

/**
 * One signature.
 *
 * @param secret `whsec_` and base64
 * @param body as it is sent; the empty string where there is none
 */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  let key = keys.get(secret);
  if (key === undefined) {
    key = createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
    keys.set(secret, key);
  }
  const digest = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`);
  return `v1,${digest.digest('base64')}`;
}

/** @param random 24 to 64 bytes of randomness, as the standard wants them */
export function createSigningSecret(random: Buffer): string {
  if (random.length < 24 || random.length > 64) throw new RangeError('24 to 64 bytes are needed');
  return PREFIX + random.toString('base64');
}
