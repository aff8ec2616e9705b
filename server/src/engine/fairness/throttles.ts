import type { DestinationLimits } from '../../domain/destination/destination.ts';
import { Throttle } from './throttle.ts';

/** With this many it first looks for those that may be forgotten. */
const MANY = 1_000;
/** The looks at the other engines that are remembered: those of one lease. */
const LOOKS = 5;

/**
 * Throttles: those of all destinations that have work here, with limits or without.
 *
 * They last as long as the process. An engine that stops may abandon requests, and these go on, and count for the engine after it.
 */
export class Throttles {
  /** Called when requests have ended, also those of an engine before. The executor that started last sets it. */
  onEnded = () => {};
  readonly #kept = new Map<string, Throttle>();
  #forgetFrom = MANY;
  /** How many engines fired from the store at the last looks. */
  #engines: number[] = [1];

  /**
   * An engine that is gone leaves its share to the others after some looks: after an outage of the store the first look
   * sees nobody else.
   *
   * @param count how many engines fire from the store, this one among them
   */
  noteEngines(count: number): void {
    this.#engines = [...this.#engines, count].slice(-LOOKS);
  }

  get size(): number {
    return this.#kept.size;
  }

  /** @param limits as they are now */
  of(clientRowId: number, name: string, limits: DestinationLimits, now: number): Throttle {
    const key = keyOf(clientRowId, name);
    let throttle = this.#kept.get(key);
    if (throttle === undefined) {
      if (this.#kept.size >= this.#forgetFrom) this.#forgetFresh(now);
      throttle = new Throttle(() => Math.max(...this.#engines));
      this.#kept.set(key, throttle);
    }
    throttle.setLimits(limits, now);
    return throttle;
  }

  /** Why a time did not begin by now, if a limit has held back requests to its destination; goes on with "It passed while". */
  whyHeldBack(clientRowId: number, name: string, scheduledFor: number): string | null {
    const hasHeldBack = this.#kept.get(keyOf(clientRowId, name))?.hasHeldBack(scheduledFor);
    return hasHeldBack ? `it waited for the limits of the destination "${name}"` : null;
  }

  beginSecond(now: number, isFirst: boolean): void {
    for (const throttle of this.#kept.values()) throttle.beginSecond(now, isFirst);
  }

  /** How many jobs were postponed and are not due again. */
  postponedCount(now: number): number {
    return this.#kept.values().reduce((sum, each) => sum + each.postponedCount(now), 0);
  }

  #forgetFresh(now: number): void {
    for (const [key, throttle] of this.#kept) if (throttle.isFresh(now)) this.#kept.delete(key);
    this.#forgetFrom = Math.max(MANY, 2 * this.#kept.size);
  }
}

function keyOf(clientRowId: number, name: string): string {
  return `${clientRowId} ${name}`;
}
