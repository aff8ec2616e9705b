import { useLayoutEffect, useState } from 'react';

/**
 * The wall fills the window, and the screen if the browser allows it. Escape brings the page back. Meanwhile the
 * page itself is inert, since it is covered.
 */
export function useFullScreen(): [boolean, (isFull: boolean) => void] {
  const [isFull, setFull] = useState(false);
  // Before the way back takes the focus.
  useLayoutEffect(() => {
    if (!isFull) return;
    // Of the whole document: a dialog over the wall is seen, too.
    const root = document.documentElement;
    root.dataset.wall = 'full';
    const leave = cover();
    const giveBack = fillScreen(root);
    let wasFilled = false;
    const left = () => {
      const isFilled = document.fullscreenElement !== null;
      // The end of an earlier full screen may be told only now.
      if (wasFilled && !isFilled) setFull(false);
      wasFilled = isFilled;
    };
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      const isOver = document.querySelector('[aria-modal=true]') !== null;
      if (key === 'Escape' && !defaultPrevented && !isOver) setFull(false);
    };
    document.addEventListener('fullscreenchange', left);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('fullscreenchange', left);
      document.removeEventListener('keydown', onKey);
      delete root.dataset.wall;
      leave();
      giveBack();
    };
  }, [isFull]);
  return [isFull, setFull];
}

/** Makes the page inert, without the dialogs over it. @returns what gives it back, with its focus */
function cover(): () => void {
  const page = document.getElementById('root')!;
  const focused = document.activeElement;
  page.inert = true;
  return () => {
    page.inert = false;
    if (focused instanceof HTMLElement && page.contains(focused)) focused.focus();
  };
}

/** @returns what gives the screen back, even if the browser fills it only later */
function fillScreen(root: HTMLElement): () => void {
  const leave = () => {
    // It may be wanted again by then.
    if (root.dataset.wall === 'full' || document.fullscreenElement === null) return;
    document.exitFullscreen().catch(() => {});
  };
  root.requestFullscreen?.().then(leave, () => {});
  return leave;
}
