import { createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type SigningSecrets, signingStill } from '../domain/access/rotation.ts';

/** Standard Webhooks v1, symmetric: https://www.standardwebhooks.com, "Signature scheme". */

/**
 * For how long a request may wait for its connection until it is signed anew: receivers refuse what was signed
 * more than five minutes ago.
 */
export const SIGNED_FOR_MS = 60_000;

const PREFIX = 'whsec_';

/** A secret as HMAC mixes it with what is hashed inside and outside: a block of SHA-256 each. */
interface Pads {
  inner: Buffer;
  outer: Buffer;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** Each client has one secret and signs thousands of requests with it. */
const pads = new LRUCache<string, Pads>({ max: 10_000 });
/** The buffer for the inner hash: the pad and the message. Longer bodies are rare. */
const inner = Buffer.alloc(BLOCK_BYTES + 8_192);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

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
  return `v1,${hmac(secret, `${id}.${timestampSeconds}.${body}`)}`;
}

/**
 * HMAC-SHA256 in base64 (RFC 2104, section 2). By two calls of `hash`: an `Hmac` is an object outside of
 * V8's heap for each signature, to be made and collected, and takes 2.1 to 2.7 µs instead of 1.3.
 */
function hmac(secret: string, text: string): string {
  // Of UTF-16, a unit takes three bytes of UTF-8 at most.
  if (text.length * 3 > inner.length - BLOCK_BYTES) {
    return createHmac('sha256', keyOf(secret)).update(text).digest('base64');
  }
  const pad = padsOf(secret);
  pad.inner.copy(inner);
  const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
  pad.outer.copy(outer);
  outer.write(hash('sha256', inner.subarray(0, end), 'latin1'), BLOCK_BYTES, 'latin1');
  return hash('sha256', outer, 'base64');
}

function padsOf(secret: string): Pads {
  const known = pads.get(secret);
  if (known !== undefined) return known;
  const key = keyOf(secret);
  const block = Buffer.alloc(BLOCK_BYTES);
  (key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key).copy(block);
  const made: Pads = { inner: mixed(block, 0x36), outer: mixed(block, 0x5c) };
  pads.set(secret, made);
  return made;
}

function mixed(block: Buffer, byte: number): Buffer {
  return Buffer.from(block.map(one => one ^ byte));
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

/** @param random 24 to 64 bytes of randomness, as the standard wants them */
export function createSigningSecret(random: Buffer): string {
  if (random.length < 24 || random.length > 64) throw new RangeError('24 to 64 bytes are needed');
  return PREFIX + random.toString('base64');
}
