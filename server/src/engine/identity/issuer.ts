import { type IssuerKeys, signingKeyOf } from '../../domain/access/issuer-keys.ts';
import { TokenFault } from './token.ts';

/** The claims of a token that differ. */
export interface TokenClaims {
  audience: string;
  clientId: string;
}

/** Signs a token. @throws TokenFault */
export type SignToken = (
  claims: TokenClaims,
  now: number,
) => Promise<{ text: string; usableUntil: number }>;

export interface SigningOptions {
  /** The issuer; null where PUNCTUAL_URL is unset. */
  publicUrl: string | null;
  /** The keys; null where there is no secret key to keep them with. */
  keys: ((now: number) => Promise<IssuerKeys>) | null;
}

const LIFETIME_SECONDS = 600;
/** A token is used for half of its life. */
const USED_FOR_MS = 300_000;

/** Signs tokens of OpenID Connect, as JWT with RS256, which every verifier takes. */
export function tokenSigner({ publicUrl, keys }: SigningOptions): SignToken {
  return async ({ audience, clientId }, now) => {
    if (publicUrl === null)
      throw new TokenFault('Tokens cannot be signed: PUNCTUAL_URL is not set.');
    if (keys === null) {
      throw new TokenFault('Tokens cannot be signed: PUNCTUAL_SECRET_KEY is not set.');
    }
    const { kid, privateKey } = signingKeyOf(await keys(now), now);
    // Loaded where tokens are signed, which few installations do.
    const { importPKCS8, SignJWT } = await import('jose');
    const issuedAt = Math.floor(now / 1_000);
    const text = await new SignJWT()
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
      .setIssuer(publicUrl)
      .setSubject(`client:${clientId}`)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .sign(await importPKCS8(privateKey, 'RS256'));
    return { text, usableUntil: now + USED_FOR_MS };
  };
}
