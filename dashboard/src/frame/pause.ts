import type { Pause } from '@punctual/client';

/**
 * The status of one node is kept this many ms: a load balancer may send each request to another
 * node.
 */
const KEEP_MS = 10_000;

export interface SeenPause extends Pause {
  /** When it was last told, epoch ms. */
  seenAt: number;
}

/** The pause to be shown after an answer that told of `told`, or of none. */
export function pauseAfter(
  before: SeenPause | null,
  told: Pause | undefined,
  now: number,
): SeenPause | null {
  if (told !== undefined) return { ...told, seenAt: now };
  const isKept = before?.by === 'setting' && now - before.seenAt < KEEP_MS;
  return isKept ? before : null;
}
