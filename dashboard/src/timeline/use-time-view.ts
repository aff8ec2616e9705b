import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import {
  instantFrom,
  moved,
  spanFrom,
  type TimeWindow,
  type View,
  viewAround,
  viewOf,
  windowOf,
  zoomed,
} from '../time/time-window.ts';
import { useNow } from '../time/times.ts';

/** The window of a timeline. It follows the clock until somebody moves it. The address keeps it. */
export interface TimeView {
  window: TimeWindow;
  now: number;
  isFollowing: boolean;
  spanMs: number;
  /** @param at stays where it is; left out, now or the middle does */
  zoom(factor: number, at?: number): void;
  move(ms: number): void;
  show(window: TimeWindow): void;
  setSpan(ms: number): void;
  follow(): void;
  /** While the pointer is over it, the window stands still. */
  hold(isHeld: boolean): void;
}

/** So long after the last change it is written to the address, ms. */
const SETTLED_MS = 400;

/** @param pastShare the part of the window before now while it follows the clock */
export function useTimeView(defaultSpanMs: number, pastShare: number): TimeView {
  const [search, setSearch] = useSearchParams();
  const [view, setView] = useState<View>(() => viewFrom(search, defaultSpanMs));
  const now = useNow(view.spanMs > 3_600_000 ? 5_000 : 1_000);
  const [heldAt, setHeldAt] = useState<number | null>(null);
  const window = windowOf(view, heldAt ?? now, pastShare);
  const isFollowing = view.to === undefined;
  useKept(view, defaultSpanMs, setSearch);
  const change = (to: (before: TimeWindow) => TimeWindow) =>
    setView(before => viewOf(to(windowOf(before, heldAt ?? now, pastShare))));
  return {
    window,
    now,
    isFollowing,
    spanMs: view.spanMs,
    zoom(factor, at) {
      if (at !== undefined) return change(before => zoomed(before, factor, at));
      if (isFollowing) {
        const { from, to } = zoomed(window, factor, now);
        return setView({ spanMs: to - from });
      }
      change(before => zoomed(before, factor, (before.from + before.to) / 2));
    },
    move: ms => change(before => moved(before, ms)),
    show: shown => setView(viewOf(shown)),
    setSpan: ms =>
      setView(before =>
        before.to === undefined ? { spanMs: ms } : viewAround(before.to - before.spanMs / 2, ms),
      ),
    follow: () => {
      setHeldAt(null);
      setView(({ spanMs }) => ({ spanMs }));
    },
    hold: isHeld => setHeldAt(isHeld ? now : null),
  };
}

function viewFrom(search: URLSearchParams, defaultSpanMs: number): View {
  const spanMs = spanFrom(search.get('span')) ?? defaultSpanMs;
  const at = instantFrom(search.get('at'));
  return at === null ? { spanMs } : viewAround(at, spanMs);
}

/** `at` is the middle of the window, `span` its length in seconds. */
function useKept(
  { spanMs, to }: View,
  defaultSpanMs: number,
  setSearch: ReturnType<typeof useSearchParams>[1],
): void {
  const at = to === undefined ? null : new Date(Math.round(to - spanMs / 2)).toISOString();
  const span = to === undefined && spanMs === defaultSpanMs ? null : String(spanMs / 1_000);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the setter is new on each render
  useEffect(() => {
    const page = location.pathname;
    const timer = setTimeout(() => {
      const after = new URLSearchParams(location.search);
      // The time that a link asks about is asked about once.
      after.delete('near');
      put(after, 'at', at);
      put(after, 'span', span);
      // The next page may be on its way, and this one must not come back.
      const isHere = location.pathname === page;
      if (isHere && after.toString() !== new URLSearchParams(location.search).toString()) {
        setSearch(after, { replace: true });
      }
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [at, span]);
}

function put(search: URLSearchParams, name: string, value: string | null): void {
  if (value === null) search.delete(name);
  else search.set(name, value);
}
