import type { Clock } from '../../clock.ts';
import type { EngineObserver } from '../observer.ts';
import { ClockSteps } from './clock-steps.ts';
import type { DowntimeDetector } from './downtime.ts';

export interface ClockWatchOptions {
  clock: Clock;
  observer: Pick<EngineObserver, 'clockStepped'>;
  downtime: DowntimeDetector;
  /** Told when the clock was set back. @param since what it showed after that, at the least */
  setBack: (now: number, since: number) => void;
}

/** Clock watch: sees whether the clock was set, and how long nobody looked at it. */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #steps: ClockSteps;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    const { clock } = options;
    this.#steps = new ClockSteps(clock.now(), clock.monotonicMs());
  }

  /** The loops of the engine call it at least once a second. */
  look(now: number): void {
    const { clock, observer, downtime, setBack } = this.#options;
    const step = this.#steps.look(now, clock.monotonicMs());
    downtime.look(now);
    if (step === null) return;
    observer.clockStepped(step.byMs);
    if (step.byMs < 0) setBack(now, step.since);
  }
}
