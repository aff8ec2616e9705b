import type { Evidence, Life, Stall } from '../evidence.ts';
import type { Window } from './cuts.ts';

/** A node tells the others once a second that it looks. */
export const LOOK_MS = 1_000;

/** When nobody was up that could fire. What starts in a pause answers its callers. */
export function downOf({ lives, pauses }: Pick<Evidence, 'lives' | 'pauses'>): Window[] {
  const begunAt = Math.min(...lives.map(({ spawnedAt }) => spawnedAt));
  return windowsOf(lives, pauses === undefined ? null : begunAt);
}

/**
 * When nobody was up that could fire, from the end of a life on.
 *
 * @param begunAt when nobody was, who answered callers nevertheless; null: there was no such instant
 */
export function windowsOf(lives: Life[], begunAt: number | null = null): Window[] {
  const changes = lives.flatMap(lifeChanges).toSorted((a, b) => a.at - b.at);
  const windows: Window[] = [];
  let from = begunAt;
  let up = 0;
  for (const { at, by } of changes) {
    up += by;
    if (by <= 0 && up === 0) from ??= at;
    if (by > 0 && from !== null) {
      windows.push({ from, to: at, ...(from === begunAt && { isFirst: true }) });
      from = null;
    }
  }
  return windows;
}

/** When for so long no node that could have noted in the store that it was awake was. */
export function unnotedOf(lives: Life[], stalls: Stall[], leastMs: number): Window[] {
  const isOf = (life: Life, { node }: Stall) => node === undefined || node === life.node;
  const noting = lives.map(life => {
    const own = stalls.filter(stall => isOf(life, stall));
    return { ...life, frozen: merged([...(life.frozen ?? []), ...own]) };
  });
  // One that wakes to stop at once notes nothing in between.
  return merged(windowsOf(noting)).filter(({ from, to }) => to - from >= leastMs);
}

/** When it could fire, and when it could no longer. */
function lifeChanges({ readyAt, end, frozen = [] }: Life): { at: number; by: number }[] {
  if (readyAt === null || (end !== null && end.from < readyAt))
    return end === null ? [] : [{ at: end.from, by: 0 }];
  const until = end?.from ?? Infinity;
  const isWhileUp = ({ from }: Window) => from >= readyAt && from < until;
  const rests = frozen.filter(isWhileUp);
  // One that dies while it is frozen does not wake up for that. One that is killed as it wakes has looked.
  // One that is asked to stop meanwhile looks as it wakes, and stops.
  const goneAt = end?.to ?? Infinity;
  const wakes = rests.filter(({ to }) => to <= goneAt).map(({ to }) => ({ at: to, by: 1 }));
  const isAwake = wakes.length === rests.length;
  const endsAt = Math.max(until, ...wakes.map(({ at }) => at));
  return [
    { at: readyAt, by: 1 },
    ...rests.map(({ from }) => ({ at: from, by: -1 })),
    ...wakes,
    ...(end !== null && isAwake ? [{ at: endsAt, by: -1 }] : []),
  ];
}

/** Timers rest while the machine is suspended: an engine looks again when its wait of up to a second is over. */
export const AWAKE_MS = 1_100;

export function unseenOf({ from, to }: Window): Window {
  return { from, to: to + AWAKE_MS, isSuspension: true };
}

/**
 * @param behindMs by how much the clock of a node was behind
 * @returns the last instant that counts as unseen by the start that was ready then, or by the node that woke: it goes by its own clock
 */
export function unseenBefore(
  readyAt: number,
  { lives, shared }: Pick<Evidence, 'lives' | 'shared'>,
  behindMs: (from: number, to: number) => number,
): number {
  const lookedAt = lives.find(life => life.readyAt === readyAt)?.lookedAt;
  if (lookedAt === undefined && !shared) return readyAt;
  const at = lookedAt ?? readyAt;
  return at - behindMs(at, at) - 1;
}

/** Those that overlap as one, in their order. */
export function merged(windows: Window[]): Window[] {
  const apart: Window[] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || window.from > last.to) apart.push({ ...window });
    else Object.assign(last, { ...window, from: last.from, to: Math.max(last.to, window.to) });
  }
  return apart;
}
