import { useEffect } from 'react';
import troubleIcon from '../icon-trouble.svg';
import { flagOf } from '../parts/flag.ts';
import { useIncidents } from './incident-queries.ts';

/** How many incidents are open: the menu, and the title and the icon of the tab, tell of them. */
export const openIncidents = flagOf(0);

/** Keeps the icon of the tab, and the count that titles have, while it is mounted. */
export function useTrouble(): void {
  const open = useIncidents().data?.items.filter(({ isOpen }) => isOpen).length ?? 0;
  useEffect(() => {
    openIncidents.set(open);
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon === null) return;
    icon.dataset.well ??= icon.href;
    icon.href = open > 0 ? troubleIcon : icon.dataset.well;
  }, [open]);
}

/** @param name of the page */
export function titleOf(name: string, open: number): string {
  return open > 0 ? `(${open}) ${name} · Punctual` : `${name} · Punctual`;
}
