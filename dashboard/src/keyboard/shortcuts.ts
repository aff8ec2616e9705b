import { useEffect, useRef } from 'react';
import { flagOf } from '../parts/flag.ts';
import { singleKeys } from '../settings.ts';

/** All that keys do, in one table: the keys act by it, `?` shows it, and the palette offers it. */

export interface Shortcut {
  /** `j`, `/`, or `mod+k`: with Ctrl, or Cmd on a Mac. Without one it is in the palette alone. */
  key?: string;
  /** Its name, as a menu would have it. */
  name: string;
  /** The part of the page in which it works: a heading of the list that `?` shows. */
  where: string;
  /** Further words by which the palette finds it. */
  words?: string;
  /** False: it does nothing now, and is not offered. */
  isHere?: () => boolean;
  run: () => void;
}

/** Everything that is registered now, in the order of its pages. */
export const shortcuts = flagOf<readonly Shortcut[]>([]);

/** Registers shortcuts while a part of the page is there. */
export function useShortcuts(own: readonly Shortcut[]): void {
  const latest = useRef(own);
  useEffect(() => {
    latest.current = own;
  });
  const names = own.map(({ key, name }) => `${key} ${name}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same ones are registered once
  useEffect(() => {
    const registered: Shortcut[] = latest.current.map((each, index) => ({
      ...each,
      isHere: () => latest.current[index]?.isHere?.() ?? true,
      run: () => latest.current[index]?.run(),
    }));
    shortcuts.set([...shortcuts.get(), ...registered]);
    return () => shortcuts.set(shortcuts.get().filter(each => !registered.includes(each)));
  }, [names]);
}

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const IS_MAC = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? '');

/** How a key is named in the table; null: it is none of it. */
export function keyOf({ key, ctrlKey, metaKey, altKey }: Pressed, isMac = IS_MAC): string | null {
  if (altKey || key.length !== 1) return null;
  const [isMod, isOther] = isMac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  if (isOther) return null;
  return isMod ? `mod+${key.toLowerCase()}` : key;
}

/** A key as it is written on a keyboard. */
export function keyText(key: string, isMac = IS_MAC): string {
  return key
    .replace('mod+', isMac ? '⌘' : 'Ctrl+')
    .replace(/[a-z]$/, letter => letter.toUpperCase());
}

/** The last one wins: a page may give a key of the frame another meaning. */
function shortcutOf(
  table: readonly Shortcut[],
  key: string | null,
  hasSingleKeys: boolean,
): Shortcut | undefined {
  if (key === null || (!hasSingleKeys && !key.startsWith('mod+'))) return undefined;
  return table.findLast(each => each.key === key && (each.isHere?.() ?? true));
}

const TYPED_INTO =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable], [role=combobox], [role=menu], [role=listbox]';

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const target = event.target instanceof Element ? event.target : null;
  // Ctrl+K may be pressed while typing; Ctrl+Z there takes back what was typed.
  if (key !== 'mod+k' && target?.closest(TYPED_INTO)) return;
  if (document.querySelector('[aria-modal=true]') !== null) return;
  const found = shortcutOf(shortcuts.get(), key, singleKeys.get() === 'on');
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

/** Once, for as long as the page is there. */
export function listenToKeys(): void {
  document.addEventListener('keydown', onKey);
}
