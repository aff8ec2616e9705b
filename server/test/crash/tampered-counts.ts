import type { Evidence } from '../../sim/model/evidence.ts';
import { at, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

/** Two days, of which the first is taken away. Somebody asks for figures at the end. */
const DAY = 86_400;
const MINUTE_MS = 60_000;
const NONE = { succeeded: 0, failed: 0, skipped: 0, missed: 0 };

export function countedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('daily', '0 13 * * *');
  const first = world.fired('daily', 3_600, [3_600, 10, 200]);
  world.fired('daily', DAY + 3_600, [DAY + 3_600, 10, 200]);
  world.fired('daily', 2 * DAY + 3_600, [2 * DAY + 3_600, 10, 500]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.schedules[0]!.policy = { maxRetries: 0 };
  evidence.until = at(2.5 * DAY);
  evidence.kept = { runsDays: 1, failedRunsDays: 1 };
  evidence.pruned = [
    { at: at(1.51 * DAY), trueAt: at(1.51 * DAY), run: first, decidedAt: undefined },
  ];
  const back = { at: at(DAY + 7_200), decidedAt: at(DAY + 7_201), takenAt: at(2 * DAY + 3_700) };
  evidence.takenBack = [{ scheduleId: 'daily', ...back }];
  const asked = { askedAt: at(2 * DAY + 3_700), answeredAt: at(2 * DAY + 3_700) };
  const minute = at(2 * DAY + 3_600);
  const id = evidence.runs[1]!.id;
  const row = { scheduleId: 'daily', id, claimedAt: at(DAY + 3_599), dueAt: at(DAY + 3_600) };
  evidence.inFlight = [{ ...row, at: at(DAY + 3_600.005) }];
  evidence.counted = [
    {
      ...asked,
      figures: {
        kind: 'stats',
        from: minute - 3_600_000,
        to: asked.askedAt,
        total: { ...NONE, failed: 1 },
        minutes: [{ ...NONE, at: minute, failed: 1 }],
      },
    },
    {
      ...asked,
      figures: {
        kind: 'history',
        scheduleId: 'daily',
        from: at(DAY),
        to: minute + 3_600_000,
        stepMs: 3_600_000,
        steps: [
          { ...NONE, at: at(DAY + 3_600), succeeded: 1 },
          { ...NONE, at: back.at, skipped: 1 },
          { ...NONE, at: minute, failed: 1 },
        ],
      },
    },
    {
      ...asked,
      figures: {
        kind: 'forecast',
        from: minute + MINUTE_MS,
        stepMs: MINUTE_MS,
        // The last minute is that of the next day.
        counts: [...new Array<number>(DAY / 60 - 1).fill(0), 1],
        firings: 1,
        countedAt: asked.askedAt,
      },
    },
  ];
  return evidence;
}

/** As `TAMPERED`, of `countedWorld`. */
export const TAMPERED_COUNTS: TamperedEvidence[] = [
  [
    'a run is counted twice',
    ['countDiffers'],
    w => {
      const { figures } = w.counted![0]!;
      if (figures.kind === 'stats') figures.minutes[0]!.failed = 2;
    },
  ],
  [
    'a step of a history lacks its run',
    ['countDiffers'],
    w => {
      const { figures } = w.counted![1]!;
      if (figures.kind === 'history') figures.steps.shift();
    },
  ],
  [
    'a history counts a record that was taken back before',
    ['countDiffers'],
    w => Object.assign(w.takenBack![0]!, { takenAt: at(2 * DAY) }),
  ],
  [
    'a forecast lacks a firing',
    ['forecastDiffers'],
    w => {
      const { figures } = w.counted![2]!;
      if (figures.kind === 'forecast')
        Object.assign(figures, { counts: figures.counts.fill(0), firings: 0 });
    },
  ],
  [
    'a row stays in flight that nobody sends',
    ['ownerless'],
    w => Object.assign(w.inFlight![0]!, { at: at(DAY + 3_700) }),
  ],
  [
    'a run goes an hour before its day is over',
    ['prunedYoung'],
    w => Object.assign(w.pruned![0]!, { at: at(1.5 * DAY - 3_600) }),
  ],
  [
    'a run stays that is older than history is kept',
    ['keptOld'],
    w => {
      w.pruned = [];
    },
  ],
];
