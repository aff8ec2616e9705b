/** The release of the time zone rules whose report somebody has read and closed, for all windows of the browser. */

const KEY = 'punctual zone rules seen';

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

export function isRulesSeen(version: string, shelf: Shelf = localStorage): boolean {
  try {
    return shelf.getItem(KEY) === version;
  } catch {
    return false;
  }
}

export function markRulesSeen(version: string, shelf: Shelf = localStorage): void {
  try {
    shelf.setItem(KEY, version);
  } catch {
    // A browser without storage shows the report again.
  }
}
