import type { Draft } from './draft.ts';

/**
 * What was typed, kept until it is stored or given up, over a reload and an ended session. It may hold
 * tokens: it is a client's own, and gone when that signs out.
 */

export interface KeptDraft {
  draft: Draft;
  /** What the schedule said when the typing began; of a new one nothing. */
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

/** Whoever uses the browser next finds nothing of it. */
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
