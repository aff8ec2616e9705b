import { nothingHere } from '../http/failure.ts';
import { page } from '../route.ts';

/** The pages for verifiers of the service's tokens (OpenID Connect Discovery 1.0, RFC 7517). Not under `/v1`: without a key. */

export const openidConfiguration = page('/.well-known/openid-configuration', ({ issuer }) => {
  return async () => {
    if (issuer == null) throw nothingHere();
    return {
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/.well-known/jwks.json`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp'],
    };
  };
});

export const jwks = page('/.well-known/jwks.json', ({ issuer }) => {
  return async () => {
    if (issuer == null) throw nothingHere();
    return { keys: await issuer.publicKeys() };
  };
});
