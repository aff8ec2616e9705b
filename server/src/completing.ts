import type { Config } from './config.ts';
import { completionUrl } from './domain/access/completion-ticket.ts';
import type { EngineOptions } from './engine/engine.ts';
import { completionKey, findCompletionKey } from './store/completion-key.ts';
import type { Store } from './store/contract/store.ts';

/** Builds the urls of completions, and reads the key that proves them. */

/** @returns undefined where PUNCTUAL_URL is unset: no target could call */
export async function completionUrlOf(
  { publicUrl }: Config,
  { installation }: Store,
): Promise<EngineOptions['completionUrl']> {
  if (publicUrl === null) return undefined;
  const key = await completionKey(installation);
  return ticket => completionUrl(publicUrl, ticket, key);
}

/** The key, once there is one: the node that makes it may be another. */
export function completionKeyOf({ installation }: Store): () => Promise<Buffer | null> {
  let known: Buffer | null = null;
  return async () => {
    known ??= await findCompletionKey(installation);
    return known;
  };
}
