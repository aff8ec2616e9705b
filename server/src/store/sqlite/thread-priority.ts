import { getPriority, setPriority } from 'node:os';

/** A third of the time of a thread that does not give way, where both want the same core. */
const A_LITTLE = 5;
/** A tenth of it. */
export const FAR = 10;
/** setpriority(2). */
const NICEST = 19;

/**
 * Lets other threads go first where there are too few cores: what this one does can wait, a firing that is due
 * cannot.
 *
 * Only on Linux does each thread have a niceness of its own (setpriority(2), "C library/kernel
 * differences"); elsewhere it is that of the process, which is left alone.
 */
export function lowerPriority(nicerBy = A_LITTLE): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + nicerBy, NICEST));
  } catch {
    // A sandbox may forbid it: then it goes on as it is.
  }
}
