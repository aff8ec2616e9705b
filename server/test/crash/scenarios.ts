import { every, onceAfter } from '../../sim/workload.ts';
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
  /** Killed while every target holds a request. */
  held: {
    options: {
      ...SHORT,
      kills: 1,
      workload: url => Array.from({ length: 20 }, () => every('* * * * * *', `${url}/slow/700`)),
      killWhen: target => target.open >= 15,
    },
  },
  /** Killed while four requests are out and all others wait for their connection. */
  queued: {
    options: {
      ...SHORT,
      kills: 1,
      workload: url => Array.from({ length: 40 }, () => every('*/2 * * * * *', `${url}/slow/150`)),
      killWhen: target => target.open >= 4 && target.openForMs > 50,
      environment: { PUNCTUAL_CONNECTIONS_PER_ORIGIN: '4' },
    },
  },
  /** Killed just after many runs have failed, while their callbacks are under way. */
  callingBack: {
    options: {
      ...SHORT,
      kills: 2,
      workload: url =>
        Array.from({ length: 30 }, () => {
          const callback = { type: 'WEBHOOK' as const, url: `${url}/callback/slow/500` };
          return every('* * * * * *', `${url}/fail`, 'UTC', [callback]);
        }),
      killWhen: target => target.openCallbacks >= 10,
    },
  },
  /** Killed soon after many runs have failed. */
  failed: {
    options: {
      ...SHORT,
      kills: 2,
      workload: url =>
        Array.from({ length: 30 }, () => {
          const callback = { type: 'WEBHOOK' as const, url: `${url}/callback/ok` };
          return every('* * * * * *', `${url}/fail`, 'UTC', [callback]);
        }),
      killWhen: target => target.msSinceAnswer(500) > 50 && target.msSinceAnswer(500) < 200,
    },
  },
  /** Killed for a while in which times of schedules pass that do not fire often. */
  away: {
    options: {
      kills: 2,
      upMs: [300, 1_200],
      downMs: [1_500, 2_500],
      lastMs: 1_500,
      workload: url =>
        [0, 1, 2, 3, 4].map(second => every(`${second}-59/5 * * * * *`, `${url}/ok`)),
    },
  },
  /** Killed soon after one-offs were answered, some of which come while the service is down. */
  completing: {
    options: {
      kills: 2,
      upMs: [4_000, 6_000],
      downMs: [1_500, 2_500],
      lastMs: 6_000,
      workload: url =>
        Array.from({ length: 84 }, (_, index) =>
          every(onceAfter(5 + (index % 14), Date.now()), `${url}/slow/${(index % 7) * 100}`),
        ),
      killWhen: target => target.msSinceAnswer(200) > 20 && target.msSinceAnswer(200) < 200,
    },
  },
  /** Killed while schedules are created. */
  creating: {
    options: {
      ...SHORT,
      kills: 4,
      workload: url => [every('* * * * * *', `${url}/ok`)],
      disturbed: true,
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
