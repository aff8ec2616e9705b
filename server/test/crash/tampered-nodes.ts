import type { Evidence, Hold } from '../../sim/model/evidence.ts';
import { at, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

/**
 * Two nodes share a store. One of them dies at 9.5 s with a claim of a schedule that fires every five seconds. The other one takes
 * it back at 20.1 s, when its lease has ended.
 */
export function sharedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('kept', '*/5 * * * * *');
  world.fired('kept', 5, [5, 10, 200]);
  world.passed('kept', 10, 'missed');
  world.passed('kept', 15, 'missed');
  world.fired('kept', 20, [20.12, 10, 200]);
  const { evidence } = world;
  const end = { how: 'killed' as const, from: at(9.5), to: at(9.5) };
  evidence.lives = [
    { node: 'n1', spawnedAt: at(0), readyAt: at(1), end },
    { node: 'n2', spawnedAt: at(0), readyAt: at(1), end: null },
  ];
  Object.assign(evidence.arrivals[0]!, { node: 'n1' });
  Object.assign(evidence.arrivals[1]!, { node: 'n2' });
  const holds = [hold('n1', 4.1, 5.02), hold('n1', 9.1, 20.1, true), hold('n2', 20.11, 20.14)];
  evidence.shared = { leaseMs: 10_000, lostAnswers: [], holds };
  return evidence;
}

/**
 * The node that asked a target at 10 s, and was answered at 10.01 s, is frozen from then on until it goes on. The run is tried again
 * five to six seconds after the node has read the answer.
 *
 * @param retriedAt null: the next time, at 20 s, comes before that
 */
export function frozenWorld(from: number, to: number, retriedAt: number | null): Evidence {
  const world = new Synthetic();
  world.schedule('kept', '*/10 * * * * *');
  if (retriedAt === null) world.fired('kept', 10, [10, 10, 500]);
  else world.fired('kept', 10, [10, 10, 500], [retriedAt, 10, 200]);
  world.fired('kept', 20, [20, 10, 200]);
  const { evidence } = world;
  evidence.schedules[0]!.policy = { retryDelaysSeconds: [5] };
  const life = { spawnedAt: at(0), readyAt: at(1), end: null };
  evidence.lives = [
    { ...life, node: 'n1', frozen: [{ from: at(from), to: at(to) }] },
    { ...life, node: 'n2' },
  ];
  for (const arrival of evidence.arrivals) arrival.node = 'n1';
  const holds = [hold('n1', 9.1, to + 0.01), hold('n1', 19.1, 20.02)];
  evidence.shared = { leaseMs: 10_000, lostAnswers: [], holds };
  return evidence;
}

function hold(node: string, from: number, to: number, isTakenBack = false): Hold {
  return { scheduleId: 'kept', node, from: at(from), renewedAt: at(from), to: at(to), isTakenBack };
}

/** As `TAMPERED`, of `sharedWorld`. */
export const TAMPERED_NODES: TamperedEvidence[] = [
  [
    'a request leaves a node that does not hold the claim',
    ['unheld'],
    w => Object.assign(w.arrivals[0]!, { node: 'n2' }),
  ],
  [
    'a node that is well loses a claim',
    ['notRenewed'],
    w => {
      w.shared!.holds.push(hold('n2', 5.1, 15.2, true));
    },
  ],
  [
    'a claim of a node that is dead is taken back late',
    ['heldOn'],
    w => Object.assign(w.shared!.holds[1]!, { from: at(5.5), renewedAt: at(5.5) }),
  ],
];
