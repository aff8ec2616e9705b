import { pathOf } from '../root.ts';

/** Rows of a list by keys: the focus goes from row to row, so that screen readers tell each one. */

const ROWS = 'main .rows tbody tr';
/** The first link or button of a row that is neither its pick nor its menu. */
const NAME = 'td:not(.pick, .corner) :is(a[href], button)';

function rows(): HTMLElement[] {
  const all = Array.from(document.querySelectorAll<HTMLElement>(ROWS));
  return all.filter(row => row.querySelector(NAME) !== null && row.checkVisibility());
}

/** The row that has the focus. */
function rowOf(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>(ROWS) ?? null;
}

export function hasRows(): boolean {
  return rows().length > 0;
}

export function moveToRow(step: 1 | -1): void {
  const all = rows();
  const current = rowOf(document.activeElement);
  const at = current === null ? -1 : all.indexOf(current);
  const next = at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step;
  const name = all[next]?.querySelector<HTMLElement>(NAME);
  name?.focus({ preventScroll: true });
  all[next]?.scrollIntoView({ block: 'nearest' });
}

/** @returns a sentence about what was picked, or null where nothing can be */
export function pickRow(): string | null {
  const row = rowOf(document.activeElement);
  const box = row?.querySelector<HTMLInputElement>('.pick input[type=checkbox]:not(:disabled)');
  if (!box) return null;
  box.click();
  const name = row?.querySelector(NAME)?.textContent ?? '';
  return box.checked ? `${name} is picked.` : `${name} is not picked any more.`;
}

export function canPick(): boolean {
  return Boolean(rowOf(document.activeElement)?.querySelector('.pick input'));
}

const SCHEDULE = /^\/schedules\/(?!new$)([^/?#]+)/;

/** The id of the schedule that keys act on: of the row with the focus, or of the page. */
export function scheduleInHand(): string | null {
  const row = rowOf(document.activeElement);
  const links = row?.querySelectorAll('a') ?? [];
  const [link] = [...links].filter(each => pathOf(each).startsWith('/schedules/'));
  const [, id] = SCHEDULE.exec(pathOf(link ?? location)) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}
