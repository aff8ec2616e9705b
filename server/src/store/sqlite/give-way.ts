import { getPriority, setPriority } from 'node:os';

/** A third of the time of a thread that does not give way, where both want the same core. */
const NICER_BY = 5;
/** setpriority(2). */
const NICEST = 19;

/**
 * Lets the other threads of the process go first where there are too few cores: what this one writes can
 * wait for some milliseconds, a firing that is due cannot.
 *
 * Only on Linux does each thread have a niceness of its own (setpriority(2), "C library/kernel
 * differences"); elsewhere it is that of the process, which is left alone.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + NICER_BY, NICEST));
  } catch {
    // A sandbox may forbid it: then it goes on as it is.
  }
}
