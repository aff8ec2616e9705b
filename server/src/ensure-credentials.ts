import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { hashApiKey, newSigningSecret } from './domain/access/credential.ts';
import { PunctualError } from './domain/errors.ts';
import { newId } from './domain/id.ts';
import type { Store } from './store/contract/store.ts';

interface Hands {
  store: Store;
  clock: Clock;
  log: Logger;
}

const ANOTHER_SECRET =
  'PUNCTUAL_SIGNING_SECRET is not what signs: this client has another secret; "punctual secret rotate" makes a new one';

/** The name of a key made from a setting. It identifies the key when the setting changes. */
const NAME = 'PUNCTUAL_API_KEY';

/**
 * Makes sure that the client and the key of the settings exist. Logs keys from earlier values of
 * the setting that still work: an operator who changes the setting may expect the old key to be
 * gone.
 *
 * @throws PunctualError `setting_invalid` where the key cannot be this client's
 */
export async function ensureCredentials(
  hands: Hands,
  credentials: Config['credentials'],
): Promise<void> {
  if (credentials === null) return;
  const { clientId, apiKey, signingSecret } = credentials;
  const hash = hashApiKey(apiKey);
  await ensureClient(hands, clientId, signingSecret);
  await ensureKey(hands, clientId, hash);
  const keys = await hands.store.keys.listKeys(clientId);
  const earlier = keys.filter(
    key => key.name === NAME && key.hash !== hash && key.revokedAt === undefined,
  );
  for (const { id: keyId } of earlier) {
    const sentence = `the key of an earlier value of ${NAME} still works: revoke it with "punctual key revoke"`;
    hands.log.warn({ keyId }, sentence);
  }
}

/** A secret is not replaced by its setting: it may have been rotated since. */
async function ensureClient(
  { store, clock, log }: Hands,
  clientId: string,
  given: string | undefined,
): Promise<void> {
  const found = await store.clients.findClient(clientId);
  if (found?.deletedAt !== undefined) {
    throw new PunctualError(
      'setting_invalid',
      'The client in PUNCTUAL_CLIENT_ID was deleted: choose another one.',
    );
  }
  if (found !== null) {
    const isAnother = given !== undefined && found.signingSecret !== given;
    if (isAnother && found.oldSecret?.secret !== given) log.warn({ clientId }, ANOTHER_SECRET);
    return;
  }
  const signingSecret = given ?? newSigningSecret();
  const client = { id: clientId, name: clientId, signingSecret, createdAt: clock.now() };
  await atOnce(
    () => store.clients.insertClient(client),
    async () => (await store.clients.findClient(clientId)) !== null,
  );
}

async function ensureKey({ store, clock }: Hands, clientId: string, hash: string): Promise<void> {
  const caller = await store.keys.findCaller(hash);
  if (caller?.clientId === clientId) return;
  const keys = await store.keys.listKeys(clientId);
  const isRevoked = keys.some(key => key.hash === hash && key.revokedAt !== undefined);
  if (caller !== null || isRevoked) {
    throw new PunctualError(
      'setting_invalid',
      `The key in ${NAME} was revoked or belongs to another client: choose another one.`,
    );
  }
  const createdAt = clock.now();
  const key = { id: newId(createdAt), clientId, hash, name: NAME, createdAt };
  await atOnce(
    () => store.keys.insertKey(key),
    async () => (await store.keys.findCaller(hash)) !== null,
  );
}

/** Nodes that start at the same moment insert the same: what is there then is what was wanted. */
async function atOnce(insert: () => Promise<unknown>, isThere: () => Promise<boolean>) {
  try {
    await insert();
  } catch (error) {
    if (!(await isThere())) throw error;
  }
}
