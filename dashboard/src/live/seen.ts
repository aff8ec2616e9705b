/** Whether somebody sees the tab. */

/**
 * A tab that nobody sees for so long gives its connection back, and goes on from the last event later: browsers
 * have six connections to a host for all tabs together.
 */
const UNSEEN_MS = 30_000;

/** Aborts when nobody has seen the tab for a while. */
export function whenUnseen(outer: AbortSignal): { signal: AbortSignal; end: () => void } {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => abort.abort(), UNSEEN_MS);
  };
  look();
  document.addEventListener('visibilitychange', look);
  return {
    signal: AbortSignal.any([outer, abort.signal]),
    end() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/** Resolves as soon as somebody sees the tab, or the signal is aborted. No listener outlives it. */
export function untilSeen(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (!document.hidden || signal.aborted) resolve();
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', look);
  return promise.finally(() => {
    document.removeEventListener('visibilitychange', look);
    signal.removeEventListener('abort', look);
  });
}
