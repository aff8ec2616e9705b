import { newSecretKey } from '../domain/access/envelope.ts';
import type { InstallationStore } from './contract/installation.ts';

/** The key of completion urls in the store. Nodes that make it at the same time agree on one. */

type Secrets = Pick<InstallationStore, 'findSecret' | 'replaceSecret'>;

/** The key; made now where there is none. */
export async function completionKey(installation: Secrets): Promise<Buffer> {
  for (;;) {
    const present = await findCompletionKey(installation);
    if (present !== null) return present;
    await installation.replaceSecret('completion', null, newSecretKey());
  }
}

export async function findCompletionKey(
  installation: Pick<Secrets, 'findSecret'>,
): Promise<Buffer | null> {
  const present = await installation.findSecret('completion');
  return present === null ? null : Buffer.from(present, 'base64');
}
