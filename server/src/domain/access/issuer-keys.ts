import { createHash, createPublicKey, generateKeyPair } from 'node:crypto';

/** The keys with which an installation signs its tokens (RS256). Instants are epoch ms. */

/** How long the public half of a replaced key is published: tokens live for minutes, but verifiers cache keys for days. */
export const PUBLISHED_FOR_MS = 7 * 86_400_000;

export interface IssuerKey {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string;
  /** PKCS #8, PEM. */
  privateKey: string;
  createdAt: number;
  /** Since when it signs nothing any more. */
  replacedAt?: number;
}

/** The first key signs; the others were replaced by it. */
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

/** `key` signs from now on. Keys that were replaced more than seven days ago are dropped. */
export function withNewKey(present: IssuerKeys | null, key: IssuerKey, now: number): IssuerKeys {
  const [signing, ...older] = present ?? [];
  const replaced = signing === undefined ? [] : [{ ...signing, replacedAt: now }];
  return [key, ...replaced, ...older.filter(each => isPublished(each, now))];
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
