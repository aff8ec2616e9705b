import { type RefObject, useEffect, useRef, useState } from 'react';
import { pinched } from '../time/time-window.ts';
import type { TimeView } from './use-time-view.ts';

/**
 * Wheel, drag and pinch on a timeline. The plain wheel belongs to the page: it scrolls. With Ctrl or ⌘ it zooms at the
 * pointer, which is also what two fingers on a touch pad send. Sideways, or with Shift, it moves the window.
 */
export interface Pointed {
  at: number;
  /** The lane under the pointer, by the id of its schedule. */
  lane: string | null;
}

interface Gestures {
  view: TimeView;
  onPoint: (pointed: Pointed | null) => void;
  onPick: (pointed: Pointed) => void;
}

/** A pointer that moves less than this has clicked, px. */
const CLICK_PX = 4;
/** A notch of a wheel is 100: it zooms by two thirds. */
const ZOOM_PER_PX = 0.005;
const LINE_PX = 40;

/**
 * @param outer the element that hears the pointer
 * @param axis the element whose left and right edges are those of the window
 */
export function usePlotGestures(
  outer: RefObject<HTMLDivElement | null>,
  axis: RefObject<HTMLDivElement | null>,
  gestures: Gestures,
) {
  const latest = useRef(gestures);
  latest.current = gestures;
  const pointers = useRef(new Map<number, number>());
  const pressedAt = useRef<number | null>(null);
  const [isDragging, setDragging] = useState(false);

  const place = (clientX: number) => {
    const { left, width } = axis.current!.getBoundingClientRect();
    const { from, to } = latest.current.view.window;
    const msOfPx = (to - from) / Math.max(1, width);
    return { px: clientX - left, width, msOfPx, at: from + (clientX - left) * msOfPx };
  };

  useEffect(() => {
    const element = outer.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const { view } = latest.current;
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
      const { at, msOfPx } = place(event.clientX);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const px = Math.max(-100, Math.min(100, event.deltaY * unit));
        return view.zoom(Math.exp(px * ZOOM_PER_PX), at);
      }
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!isSideways) return;
      event.preventDefault();
      view.move((event.deltaX || event.deltaY) * unit * msOfPx);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  });

  const pointedBy = (event: React.PointerEvent): Pointed => {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const lane = under?.closest<HTMLElement>('[data-lane]')?.dataset.lane ?? null;
    return { at: place(event.clientX).at, lane };
  };
  const isBeside = (event: React.PointerEvent) =>
    place(event.clientX).px < 0 || (event.target as Element).closest('a, button') !== null;
  const end = (event: React.PointerEvent) => {
    pointers.current.delete(event.pointerId);
    if (pointers.current.size === 0) {
      pressedAt.current = null;
      setDragging(false);
    }
  };

  const handlers = {
    onPointerDown: (event: React.PointerEvent) => {
      if (event.button !== 0 || isBeside(event)) return;
      pointers.current.set(event.pointerId, event.clientX);
      pressedAt.current = pointers.current.size === 1 ? event.clientX : null;
    },
    onPointerMove: (event: React.PointerEvent) => {
      const { view, onPoint } = latest.current;
      const before = pointers.current.get(event.pointerId);
      if (before === undefined) {
        if (event.pointerType === 'mouse') onPoint(isBeside(event) ? null : pointedBy(event));
        return;
      }
      if (pointers.current.size === 2) {
        const other = [...pointers.current].find(([id]) => id !== event.pointerId)![1];
        const { px, width } = place(event.clientX);
        const left = event.clientX - px;
        const [a, b] = [before - left, other - left];
        view.show(pinched(view.window, width, [a, b], [px, b]));
      } else {
        const from = pressedAt.current ?? before;
        if (!isDragging && Math.abs(event.clientX - from) < CLICK_PX) return;
        if (!isDragging) {
          outer.current?.setPointerCapture(event.pointerId);
          setDragging(true);
          onPoint(null);
        }
        view.move((before - event.clientX) * place(event.clientX).msOfPx);
      }
      pointers.current.set(event.pointerId, event.clientX);
    },
    onPointerUp: (event: React.PointerEvent) => {
      const isClick =
        pointers.current.has(event.pointerId) && !isDragging && pressedAt.current !== null;
      end(event);
      if (!isClick) return;
      axis.current?.focus({ preventScroll: true });
      latest.current.onPick(pointedBy(event));
    },
    onPointerCancel: end,
    onPointerEnter: (event: React.PointerEvent) => {
      if (event.pointerType === 'mouse') latest.current.view.hold(true);
    },
    onPointerLeave: () => {
      latest.current.view.hold(false);
      latest.current.onPoint(null);
    },
  };
  return { handlers, isDragging };
}
