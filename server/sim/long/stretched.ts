import { Random } from '../random.ts';
import type { Long } from './long.ts';

/**
 * The actions of a profile in a long world: as many, over the whole of it, with its measures. Each is drawn from its own numbers
 * alone. So a world without one of them is the same world otherwise.
 */

/** What of an action is measured in time. */
interface Stretched {
  kind: string;
  at: number;
  downMs?: number;
  forMs?: number;
  offsetMs?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of a kill. A night is longer. */
const LONGEST_DOWN_MS = HOUR_MS;
/** Kills and stops come twice: a long world has room for them. */
const TWICE = ['kill', 'stop', 'powerCut'];

/** @param shortMs the length of the short world that they were drawn for */
export function stretched<Each extends Stretched>(
  actions: Each[],
  shortMs: number,
  long: Long,
): Each[] {
  return actions.flatMap(action => copiesOf(action, shortMs, long)).toSorted((a, b) => a.at - b.at);
}

/** The ends of its days: a process is killed, and follows when the next one begins. */
export function nightsOf({ days }: Long) {
  return days.slice(1).map(({ from }, index) => {
    const { to } = days[index]!;
    const downMs = from - to;
    return { kind: 'kill' as const, at: to, downMs, againMs: null, isAmidCall: false };
  });
}

/** It lies where it is. */
export function isNight({ kind, downMs = 0 }: Stretched): boolean {
  return kind === 'kill' && downMs > LONGEST_DOWN_MS;
}

function copiesOf<Each extends Stretched>(action: Each, shortMs: number, long: Long): Each[] {
  if (isNight(action)) return [action];
  const random = new Random(Math.floor(action.at * 1_000), `long ${action.kind}`);
  const places = [action.at / shortMs];
  if (TWICE.includes(action.kind)) places.push(random.next());
  return places.map(place => ({
    ...withMeasures(action, random),
    at: aimedAt(placeIn(long, place), action.kind, random, long),
  }));
}

/** @param share 0 to 1: of the time in which somebody is there */
function placeIn({ days }: Long, share: number): number {
  const livedMs = days.reduce((sum, { from, to }) => sum + to - from, 0);
  let leftMs = share * livedMs;
  for (const { from, to } of days) {
    if (leftMs < to - from) return from + leftMs;
    leftMs -= to - from;
  }
  return days.at(-1)!.to - 1;
}

/** Mostly at a nominal time or beside it, or where the clock of a zone changes. */
function aimedAt(at: number, kind: string, random: Random, long: Long): number {
  const { startedAt, paceMinutes, change } = long;
  const drawn = random.next();
  const isAsked = kind === 'explain' || (drawn > 0.4 && drawn < 0.8);
  const besideMs = besideOf(kind, random);
  if (change !== null && drawn > 0.8) {
    const minutes = random.pick([0, 0, -30, 30, 60]);
    return Math.max(0, change.at - startedAt + minutes * MINUTE_MS + besideMs);
  }
  if (!isAsked) return at;
  const markMs = (random.chance(0.5) ? paceMinutes : 1) * MINUTE_MS;
  return Math.max(0, Math.round((startedAt + at) / markMs) * markMs - startedAt + besideMs);
}

function besideOf(kind: string, random: Random): number {
  switch (kind) {
    case 'refuse':
    case 'slow':
      return -random.between(0, 4_000);
    case 'kill':
    case 'powerCut':
    case 'stop':
    case 'suspend':
      return random.chance(0.5) ? random.between(-1_500, 1_500) : random.between(-20, 200);
    default:
      return random.whole(-2, 2);
  }
}

function withMeasures<Each extends Stretched>(action: Each, random: Random): Each {
  const { kind, downMs = 0, offsetMs = 0 } = action;
  switch (kind) {
    case 'kill':
    case 'powerCut':
    case 'stop':
      return { ...action, downMs: downMsOf(downMs, random) };
    case 'refuse':
    case 'slow':
      return random.chance(0.2) ? { ...action, forMs: random.between(10_000, 600_000) } : action;
    case 'suspend':
      return { ...action, forMs: Math.round(6_000 * 1_800 ** random.next()) };
    case 'pause':
      return { ...action, forMs: Math.round(6_000 * 600 ** random.next()) };
    case 'explain':
      return { ...action, offsetMs: minutesBeside(offsetMs, random) * MINUTE_MS };
    default:
      return action;
  }
}

/** An absence is left as long as it is. */
function downMsOf(downMs: number, random: Random): number {
  if (downMs > 60_000 || random.chance(0.4)) return downMs;
  return random.next() ** 3 * LONGEST_DOWN_MS;
}

/** Of a time that has come or is to come, as in a short world. */
function minutesBeside(offsetMs: number, random: Random): number {
  return Math.round(offsetMs / 1_000) * random.pick([1, 5, 15, 60]);
}
