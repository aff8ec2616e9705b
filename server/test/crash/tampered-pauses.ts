import type { Evidence } from '../../sim/model/evidence.ts';
import { at, iso, runByHand, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

/** It is paused from 6 s to 14 s, and the process hears of each within a second: the times from 8 s to 12 s pass. */
export function pausedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('mine', '*/2 * * * * *');
  for (const second of [2, 4, 6]) world.fired('mine', second, [second, 10, 200]);
  for (const second of [8, 10, 12]) world.passed('mine', second, 'missed').reason = PASSED;
  world.fired('mine', 14, [14.8, 10, 200]);
  for (const second of [16, 18, 20]) world.fired('mine', second, [second, 10, 200]);
  const { evidence } = world;
  evidence.pauses = [{ from: at(6), by: at(6.1), until: at(14), backBy: at(14.1) }];
  evidence.lives = [
    { spawnedAt: at(0), readyAt: at(1), end: { how: 'stopped', from: at(7), to: at(7.1) } },
    { spawnedAt: at(14.7), readyAt: at(14.8), end: null },
  ];
  return evidence;
}

/** Its first node starts in a pause, which ends at 2.1 s: nobody has looked when 2 s passes, and it is not caught up with. */
export function startedInPause(): Evidence {
  const world = new Synthetic();
  world.schedule('mine', '*/2 * * * * *');
  world.passed('mine', 2, 'missed').reason =
    `It passed while Punctual was paused, from ${iso(0)} to ${iso(2.1)}, and catching up is turned off.`;
  for (const second of [4, 6, 8, 10, 12, 14, 16, 18, 20])
    world.fired('mine', second, [second, 10, 200]);
  const { evidence } = world;
  evidence.schedules[0]!.policy = { catchUpSeconds: 0 };
  evidence.pauses = [{ from: at(0), by: at(0), until: at(2.1), backBy: at(2.2) }];
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(2.3), end: null }];
  return evidence;
}

const PASSED = `It passed while Punctual was paused, from ${iso(6)} to ${iso(14)}.`;

/** As `TAMPERED`, of `pausedWorld`. */
export const TAMPERED_PAUSES: TamperedEvidence[] = [
  ['a request starts in a pause', ['firedPaused'], runByHand],
  [
    'what is in flight is cut off in a pause',
    ['cutInPause'],
    w => (w.lives[0]!.end = { how: 'killed', isAbandoned: true, from: at(7), to: at(8) }),
  ],
  [
    'a time that passes in a pause says something else',
    ['causeWrong'],
    w => (w.runs[5]!.reason = 'It passed while Punctual was not running.'),
  ],
  [
    'a time says that it passed in a pause, long before there was one',
    ['causeWrong'],
    w => {
      w.pauses![0]!.from = at(11);
      w.pauses![0]!.by = at(11);
    },
  ],
];
