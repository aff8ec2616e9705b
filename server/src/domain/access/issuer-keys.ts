import { createHash, createPublicKey, generateKeyPair } from 'node:crypto';

/** The keys with which an installation signs its tokens (RS256). Instants are epoch ms. */

/** A new key is published this long before it signs, so that verifiers which cache keys have it by then. */
const ANNOUNCED_FOR_MS = 3_600_000;
/** How long the public half of a replaced key is published: tokens live for minutes, but verifiers cache keys for days. */
export const PUBLISHED_FOR_MS = 7 * 86_400_000;

export interface IssuerKey {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string;
  /** PKCS #8, PEM. */
  privateKey: string;
  createdAt: number;
  /** From then on it signs nothing, and the key in front of it signs. */
  replacedAt?: number;
}

/** The newest first: each has replaced the one behind it, or will soon. */
export type IssuerKeys = [IssuerKey, ...IssuerKey[]];

/** The public half of a key, as a JWKS has it (RFC 7517). */
export interface PublicKey {
  kty: 'RSA';
  kid: string;
  use: 'sig';
  alg: 'RS256';
  n: string;
  e: string;
}

export async function newIssuerKey(now: number): Promise<IssuerKey> {
  const pem = await newPrivateKey();
  return { kid: thumbprintOf(pem), privateKey: pem, createdAt: now };
}

/** On a thread: it takes a good part of a second. */
function newPrivateKey(): Promise<string> {
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  const options = { modulusLength: 2_048, privateKeyEncoding, publicKeyEncoding };
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', options, (error, _publicKey, privateKey) =>
      error ? reject(error) : resolve(privateKey),
    );
  });
}

/** `key` signs in an hour; the first key of all at once. Keys that were replaced more than seven days ago are dropped. */
export function withNewKey(present: IssuerKeys | null, key: IssuerKey, now: number): IssuerKeys {
  const [newest, ...older] = present ?? [];
  const replaced = newest === undefined ? [] : [{ ...newest, replacedAt: now + ANNOUNCED_FOR_MS }];
  return [key, ...replaced, ...older.filter(each => isPublished(each, now))];
}

export function signingKeyOf(keys: IssuerKeys, now: number): IssuerKey {
  return keys.findLast(({ replacedAt }) => replacedAt === undefined || now < replacedAt)!;
}

export function publicKeysOf(keys: IssuerKeys, now: number): PublicKey[] {
  return keys.filter(key => isPublished(key, now)).map(publicKeyOf);
}

function isPublished({ replacedAt }: IssuerKey, now: number): boolean {
  return replacedAt === undefined || now < replacedAt + PUBLISHED_FOR_MS;
}

function publicKeyOf({ kid, privateKey }: IssuerKey): PublicKey {
  return { kty: 'RSA', kid, use: 'sig', alg: 'RS256', ...numbersOf(privateKey) };
}

function thumbprintOf(pem: string): string {
  const { n, e } = numbersOf(pem);
  return createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
}

function numbersOf(pem: string): { n: string; e: string } {
  const { n, e } = createPublicKey(pem).export({ format: 'jwk' });
  return { n: n!, e: e! };
}

export function issuerKeysFrom(text: string): IssuerKeys {
  return JSON.parse(text) as IssuerKeys;
}
