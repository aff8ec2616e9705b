import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../../sim/model/steps/rules.ts';

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];

/** @returns why the clock of a process cannot be stepped here, or null where it can */
export function whyNoFakedClock(): string | null {
  if (LIBRARIES.some(existsSync)) return null;
  return 'CLOCK STEPS NOT TESTED: they need libfaketime (Debian: apt-get install libfaketime)';
}

/**
 * The wall clock of a process, stepped from outside by libfaketime. Its monotonic clock and the times of its
 * files stay true, as they do where somebody sets the clock of a machine.
 */
export class FakedClock {
  readonly steps: Step[] = [];
  readonly #file: string;

  /** @param folder for the file that says what time it is */
  constructor(folder: string) {
    this.#file = join(folder, 'clock');
    this.set(0);
  }

  set(offsetMs: number): void {
    // A reader never sees half of it.
    writeFileSync(
      `${this.#file}.new`,
      `${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs) / 1_000}\n`,
    );
    renameSync(`${this.#file}.new`, this.#file);
    this.steps.push({ at: Date.now(), offsetMs });
  }

  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: LIBRARIES.find(existsSync)!,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }
}
