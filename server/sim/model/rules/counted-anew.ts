import type { CalendarVersionSeen, Evidence, Life } from '../evidence.ts';
import type { Window } from './cuts.ts';
import { downOf } from './windows.ts';

/** By when schedules count with a change of a calendar. Instants are epoch ms. */

/** How long it takes to count a schedule anew, and after a fault until that is tried again. */
const COUNTED_MS = 50;
const COUNTED_AGAIN_MS = 350;
/** A node looks so often whether another one was told of a change. */
const LOOKS_MS = 2_000;

/** The clocks of nodes are so far apart. */
const APART_MS = 1;

/** How far behind the clock may be by which schedules count with a change. */
export function behindMs(change: CalendarVersionSeen, evidence: Evidence): number {
  const { lives, shared } = evidence;
  if (shared === undefined) return 0;
  const by = countedAnewBy(change, evidence);
  const lags = lives.flatMap(life => life.lags ?? []);
  const inReach = lags.filter(({ from, to }) => from <= by && to >= change.askedAt);
  return APART_MS + Math.max(0, ...inReach.map(lag => lag.behindMs));
}

/** By when schedules count with a change that was answered. */
export function countedAnewBy(change: CalendarVersionSeen, evidence: Evidence): number {
  const { lives, stalls, shared } = evidence;
  const { answeredAt } = change;
  if (shared === undefined)
    return after(answeredAt, answeredAt + COUNTED_MS, [...downOf(evidence), ...stalls]);
  return Math.min(...lives.map(life => countedIn(life, change, evidence)));
}

/** The same where this node alone counts; Infinity where it does not do so in this life. */
function countedIn(
  life: Life,
  { answeredAt, node }: CalendarVersionSeen,
  { stalls }: Evidence,
): number {
  const { readyAt, end, frozen = [] } = life;
  if (readyAt === null) return Number.POSITIVE_INFINITY;
  const looksMs = life.node === node ? 0 : LOOKS_MS;
  const counts =
    readyAt > answeredAt ? readyAt + COUNTED_AGAIN_MS : answeredAt + looksMs + COUNTED_MS;
  const own = stalls.filter(stall => stall.node === undefined || stall.node === life.node);
  const by = after(answeredAt, counts, [...frozen, ...own]);
  return end !== null && end.from <= by ? Number.POSITIVE_INFINITY : by;
}

/** @param away when nobody could count */
function after(answeredAt: number, counts: number, away: Window[]): number {
  let by = counts;
  for (const { from, to } of away.toSorted((a, b) => a.from - b.from))
    if (from <= by && to >= answeredAt) by = Math.max(by, to + COUNTED_AGAIN_MS);
  return by;
}
