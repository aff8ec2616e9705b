import {
  type IssuerKey,
  type IssuerKeys,
  issuerKeysFrom,
  newIssuerKey,
  withNewKey,
} from '../domain/access/issuer-keys.ts';
import type { InstallationStore } from './contract/installation.ts';

/** The keys of the issuer in the store. Nodes that make or replace them at the same time agree on one. */

type Secrets = Pick<InstallationStore, 'findSecret' | 'replaceSecret'>;

/** The keys; made now where there are none. */
export async function issuerKeys(installation: Secrets, now: number): Promise<IssuerKeys> {
  const present = await installation.findSecret('issuer');
  if (present !== null) return issuerKeysFrom(present);
  return replaceBy(installation, await newIssuerKey(now), now, keys => keys === null);
}

/** Makes another key, which signs soon. @returns the keys, that one first */
export async function rotateIssuer(installation: Secrets, now: number): Promise<IssuerKeys> {
  return replaceBy(installation, await newIssuerKey(now), now, () => true);
}

/** @param isWanted whether the key is to replace what is there by now */
async function replaceBy(
  installation: Secrets,
  key: IssuerKey,
  now: number,
  isWanted: (present: IssuerKeys | null) => boolean,
): Promise<IssuerKeys> {
  for (;;) {
    const was = await installation.findSecret('issuer');
    const present = was === null ? null : issuerKeysFrom(was);
    if (!isWanted(present)) return present!;
    const keys = withNewKey(present, key, now);
    if (await installation.replaceSecret('issuer', was, JSON.stringify(keys))) return keys;
  }
}
