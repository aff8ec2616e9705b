import { createHash } from 'node:crypto';

/** The first 48 bits of a digest, as a fraction of all that they can be. */
const STEPS = 2 ** 48;

/**
 * How much later than its interval says a schedule fires: whole seconds, in ms, from 0 to below the window.
 *
 * Many schedules of one interval spread evenly, and each keeps its place on every node and after every edit.
 *
 * @param hashed the schedule's external id, else its id
 * @param windowSeconds 1 to 86,400
 */
export function offsetMsOf(hashed: string, windowSeconds: number): number {
  const place = createHash('sha256').update(hashed).digest().readUIntBE(0, 6);
  return Math.floor((place / STEPS) * windowSeconds) * 1_000;
}
