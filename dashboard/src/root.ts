const { url } = import.meta;

/**
 * The path of the page's root, with a slash at its end: `/`, or a path such as `/punctual/`, below which a proxy serves
 * Punctual. The files of the page know it: each stands in a folder of the root.
 */
export const ROOT = new URL('..', url).pathname;

/** The same without the slash: a path of the page, such as `/schedules`, follows. */
export const BASE = ROOT.slice(0, -1);

/** The path of an address below the root, such as `/schedules`; of another place the whole path. */
export function pathOf({ pathname }: { pathname: string }): string {
  return pathname.startsWith(ROOT) ? pathname.slice(BASE.length) : pathname;
}
