// The engine loads it with the first header. Here it is there already, so that no event waits for a file.
import 'structured-headers';
import type { ControlAsked } from '../model/evidence.ts';
import type { Random } from '../random.ts';

/** Answers with `Punctual-Control`: what targets say of their schedules, and what of that counts. */

export interface SteeringAnswer {
  status: number;
  /** The text of the header. */
  control?: string;
  asked?: ControlAsked;
}

type Said = [text: string, asked: ControlAsked];

/** @param kind how the target steers, by its path */
export function steeringAnswer(kind: string, random: Random): SteeringAnswer {
  const isSaid = random.chance(kind === 'poll' ? 0.6 : 0.35);
  const status = random.pick(STATUSES[kind] ?? [200, 503]);
  if (!isSaid) return { status };
  const [control, asked] = saidOf(kind, random);
  return { status, control, asked };
}

const STATUSES: Record<string, number[]> = {
  again: [200, 200, 503],
  poll: [200, 200, 503],
  pause: [200, 503],
  final: [500],
};

function saidOf(kind: string, random: Random): Said {
  const seconds = random.whole(1, 4);
  if (kind === 'again' || kind === 'poll') return [`again=${seconds}`, { againSeconds: seconds }];
  if (kind === 'pause') return [`pause=${seconds}`, { pauseSeconds: seconds }];
  if (kind === 'final') return ['no-retry', { noRetry: true }];
  if (random.chance(0.05)) return ['disable, again=1', { disable: true }];
  return random.pick(WHIMS);
}

/** A pause beats a further run. What is out of bounds, or cannot be read, counts as nothing and is noted. */
const WHIMS: Said[] = [
  ['no-retry, again=2', { noRetry: true, againSeconds: 2 }],
  ['pause=3, again=1', { pauseSeconds: 3 }],
  ['again=2;why=busy', { againSeconds: 2 }],
  ['again=1, later=5', { againSeconds: 1 }],
  // It waits for so long that a pause comes and goes.
  ['again=9', { againSeconds: 9 }],
  ['again=9', { againSeconds: 9 }],
  ['pause=1', { pauseSeconds: 1 }],
  ['pause=1', { pauseSeconds: 1 }],
  ['later=5', {}],
  ['no-retry=?0', {}],
  ['again=0', { isFaulty: true }],
  ['again=1.5, no-retry', { noRetry: true, isFaulty: true }],
  ['pause=31536001, again=3', { againSeconds: 3, isFaulty: true }],
  ['no-retry=1', { isFaulty: true }],
  ['AGAIN=2', { isFaulty: true }],
  ['((', { isFaulty: true }],
];
