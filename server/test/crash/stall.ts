/** When something stood still, epoch ms. */
export interface Stall {
  from: number;
  to: number;
}

/** A machine that stands still for about this long may have a service miss a time of every second. */
const STALL_MS = 800;

/**
 * Notes when this process stands still, and with it probably all others of its machine.
 *
 * @returns how to end that
 */
export function watchStalls(stalls: Stall[]): () => void {
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > STALL_MS) stalls.push({ from: last, to: now });
    last = now;
  }, 50);
  return () => clearInterval(timer);
}
