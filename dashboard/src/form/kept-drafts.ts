import type { Draft } from './draft.ts';

/**
 * Drafts are kept until they are stored or discarded; they survive a reload and an ended session. A
 * draft may hold tokens, so it belongs to one client and is deleted at sign-out.
 */

export interface KeptDraft {
  draft: Draft;
  /** The schedule when the user began to type; absent for a new one. */
  base?: Draft;
}

/** The part of a browser's storage that is used. */
type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const PREFIX = 'punctual draft ';
const keyOf = (clientId: string, id: string | null) => `${PREFIX}${clientId} ${id ?? 'new'}`;

export function keptDraft(
  clientId: string,
  id: string | null,
  shelf: Shelf = sessionStorage,
): KeptDraft | null {
  try {
    const text = shelf.getItem(keyOf(clientId, id));
    return text === null ? null : (JSON.parse(text) as KeptDraft);
  } catch {
    return null;
  }
}

export function keepDraft(
  clientId: string,
  id: string | null,
  kept: KeptDraft | null,
  shelf: Shelf = sessionStorage,
): void {
  try {
    if (kept === null) shelf.removeItem(keyOf(clientId, id));
    else shelf.setItem(keyOf(clientId, id), JSON.stringify(kept));
  } catch {
    // A browser without storage loses it at a reload only.
  }
}

/** Deletes all drafts, so that the next user of the browser finds none. */
export function forgetDrafts(shelf: Shelf = sessionStorage): void {
  try {
    const keys = Array.from({ length: shelf.length }, (_, index) => shelf.key(index));
    for (const key of keys) {
      if (key?.startsWith(PREFIX)) shelf.removeItem(key);
    }
  } catch {
    // A browser without storage has kept nothing.
  }
}
