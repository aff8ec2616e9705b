import type { Issuer } from './api/deps.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type IssuerKeys, publicKeysOf } from './domain/access/issuer-keys.ts';
import { Identities } from './engine/identity/identities.ts';
import { tokenSigner } from './engine/identity/issuer.ts';
import type { Send } from './outbound/send.ts';
import { readSecretKeys } from './secret-keys.ts';
import type { Store } from './store/contract/store.ts';
import { issuerKeys } from './store/issuer.ts';

/** Builds who the service is to others: the identities of destinations, and the issuer of its tokens. */

/** @param send for tokens; what it sends is shown to nobody */
export function identitiesOf(config: Config, store: Store, clock: Clock, send: Send): Identities {
  const { publicUrl } = config;
  const keys = hasSecretKey(config) ? keysOf(store) : null;
  const signToken = tokenSigner({ publicUrl, keys });
  return new Identities({ destinations: store.destinations, send, clock, signToken });
}

/** Null where PUNCTUAL_URL is unset. */
export function issuerOf(config: Config, store: Store, clock: Clock): Issuer | null {
  const { publicUrl } = config;
  if (publicUrl === null) return null;
  // Without a secret key nothing is signed, and no key is kept.
  if (!hasSecretKey(config)) return { url: publicUrl, publicKeys: async () => [] };
  const keys = keysOf(store);
  return {
    url: publicUrl,
    // Never remembered: a verifier that meets a new key asks at once.
    async publicKeys() {
      const now = clock.now();
      return publicKeysOf(await keys(now), now);
    },
  };
}

function hasSecretKey(config: Config): boolean {
  return readSecretKeys(config).length > 0;
}

/** Reads the keys, once at a time: to make one takes a while, and many may ask for the first. */
function keysOf({ installation }: Store): (now: number) => Promise<IssuerKeys> {
  let coming: Promise<IssuerKeys> | null = null;
  return now => {
    coming ??= issuerKeys(installation, now).finally(() => {
      coming = null;
    });
    return coming;
  };
}
