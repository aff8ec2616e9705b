import type { Pause } from '@punctual/client';

/** What one node says of itself stays as long: a balancer may lead each question to another one. */
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
