import { invalid } from './content-lines.ts';

/**
 * Bounds the work for one calendar: rules may ask for every second of a century, or for days that never come.
 *
 * A step takes some 100 ns.
 */
export class Effort {
  #left = 1_500_000;

  /** @throws PunctualError `calendar_invalid` where the calendar has cost too much */
  spend(steps: number): void {
    this.#left -= steps;
    if (!(this.#left >= 0)) {
      throw invalid('The calendar has rules that repeat too often, or match too seldom.');
    }
  }
}
