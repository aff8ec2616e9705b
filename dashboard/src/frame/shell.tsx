import { useLayoutEffect } from 'react';
import { Logo } from '../parts/logo.tsx';

/** The frame of index.html stands until there is something else to see. */
export function useWithoutFirstShell(): void {
  useLayoutEffect(() => document.getElementById('shell')?.remove(), []);
}

/** The frame as index.html draws it: it stays until the page knows who is there. */
export function Shell() {
  return (
    <div className="shell">
      <header className="shell-head">
        <Logo size={24} />
        <span>Punctual</span>
      </header>
      <main className="shell-main" aria-busy="true">
        <Bones />
      </main>
    </div>
  );
}

/** The place of a page that is on its way. */
export function Bones() {
  return (
    <>
      <h1 className="shell-word">Loading</h1>
      <div className="shell-bar" />
      <div className="shell-bar" />
      <div className="shell-bar" />
    </>
  );
}
