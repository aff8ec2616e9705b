/** Filters and sorts of the list of schedules, kept in this browser under a name; each client has its own. */

export interface KeptView {
  name: string;
  /** As the address has it, without the page. */
  search: string;
}

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

/** More of them would be no menu any more. */
const MOST_VIEWS = 50;
const PREFIX = 'punctual views ';

export function keptViews(clientId: string, shelf: Shelf = localStorage): KeptView[] {
  try {
    const kept: unknown = JSON.parse(shelf.getItem(PREFIX + clientId) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(view: unknown): view is KeptView {
  const { name, search } = (view ?? {}) as Partial<KeptView>;
  return typeof name === 'string' && typeof search === 'string';
}

/** One of the same name is replaced. @returns all of them, by their names */
export function keepView(
  clientId: string,
  view: KeptView,
  shelf: Shelf = localStorage,
): KeptView[] {
  const others = keptViews(clientId, shelf).filter(({ name }) => name !== view.name);
  return store(clientId, [view, ...others].slice(0, MOST_VIEWS), shelf);
}

export function forgetView(
  clientId: string,
  name: string,
  shelf: Shelf = localStorage,
): KeptView[] {
  const left = keptViews(clientId, shelf).filter(view => view.name !== name);
  return store(clientId, left, shelf);
}

function store(clientId: string, views: KeptView[], shelf: Shelf): KeptView[] {
  const sorted = views.toSorted((a, b) => a.name.localeCompare(b.name));
  try {
    shelf.setItem(PREFIX + clientId, JSON.stringify(sorted));
  } catch {
    // A browser that keeps nothing has them until the page is left.
  }
  return sorted;
}
