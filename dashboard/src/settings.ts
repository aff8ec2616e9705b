import { type Flag, flagOf } from './parts/flag.ts';

/** The reader's choices, kept in this browser. */

export type Density = 'comfortable' | 'compact';

export const density = kept<Density>('punctual-density', 'comfortable', ['comfortable', 'compact']);

/** Whether keys without Ctrl or Cmd act (WCAG 2.2, 2.1.4): dictation and shaking hands press them by chance. */
export const singleKeys = kept<'on' | 'off'>('punctual-single-keys', 'on', ['on', 'off']);

/** The wall hangs in a room: it is dark unless somebody wants it light, whatever the other pages are. */
export const wallScheme = kept<'dark' | 'light'>('punctual-wall', 'dark', ['dark', 'light']);

function kept<Value extends string>(
  name: string,
  usual: Value,
  values: readonly Value[],
): Flag<Value> {
  const stored = values.find(value => value === readStored(name));
  const flag = flagOf(stored ?? usual);
  return {
    ...flag,
    set(value) {
      flag.set(value);
      try {
        localStorage.setItem(name, value);
      } catch {
        // A browser that keeps nothing keeps it until the page is left.
      }
    },
  };
}

function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** The style sheet reads it from the document. */
export function applyDensity(): void {
  const apply = () => (document.documentElement.dataset.density = density.get());
  density.subscribe(apply);
  apply();
}
