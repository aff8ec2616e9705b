import { every } from '../../sim/workload.ts';
import type { WorldOptions } from './world.ts';

/** Where the service is killed so that a certain kind of bug has to show. */
export interface Scenario {
  options: Omit<WorldOptions, 'seed' | 'bin' | 'shim' | 'patienceMs'>;
  powerCut?: boolean;
}

const SHORT = {
  upMs: [700, 1_500],
  downMs: [0, 500],
  lastMs: 1_500,
} satisfies Partial<WorldOptions>;

export const SCENARIOS = {
  /** Killed while every target holds its first request: nothing has been written since they were claimed. */
  held: {
    options: {
      ...SHORT,
      upMs: [0, 0],
      kills: 1,
      workload: url => Array.from({ length: 20 }, () => every('* * * * * *', `${url}/slow/700`)),
      killWhen: target => target.open >= 15,
    },
  },
  /** The power fails while schedules are created, triggered and fired. */
  powerCut: {
    powerCut: true,
    options: {
      ...SHORT,
      kills: 1,
      workload: url => [
        ...Array.from({ length: 20 }, () => every('* * * * * *', `${url}/ok`)),
        ...Array.from({ length: 10 }, () => every('* * * * * *', `${url}/slow/500`)),
      ],
      disturbed: true,
      killWhen: target => target.open >= 5,
    },
  },
} as const satisfies Record<string, Scenario>;
