import type { Evidence, Hold, Life, Stall } from '../evidence.ts';

/** Where nodes share a store: what keeps a schedule waiting, and what cuts its requests off. */

/** From the end of the last that lived to the next start that came to listen; several where starts were cut off. Or a suspension. */
export interface Window {
  from: number;
  to: number;
  /** The machine was suspended in it: what was in flight goes on after it. */
  isSuspension?: boolean;
  /** Nobody had looked before it: what passed in it counts as unseen, however short it was. */
  isFirst?: boolean;
  /** Of a claim whose node was going, or is dead: nobody has to recover after it. */
  isGone?: boolean;
}

/** After a fault the engine has so much time until it is in time again. */
export const RECOVERY_MS = 1_000;

/** A claim, and when its node did nothing with it, or could not write what it did. */
export interface HoldSeen extends Hold {
  idle: Window[];
}

/** By schedule. */
export function holdsOf({ lives, stalls, shared }: Evidence): Map<string, HoldSeen[]> {
  if (shared === undefined) return new Map();
  const livesOf = Map.groupBy(lives, ({ node }) => node);
  const lostAt = new Map<string, number[]>();
  for (const { at, scheduleIds } of shared.lostAnswers)
    for (const id of scheduleIds) lostAt.set(id, [...(lostAt.get(id) ?? []), at]);
  const seen = shared.holds.map(hold => {
    // A claim before this one whose answer was lost says nothing of this one.
    const lost = (lostAt.get(hold.scheduleId) ?? [])
      .filter(from => from >= hold.from - WHOLE_MS)
      .map(from => ({ from, to: Infinity }));
    const away = stalls.filter(({ node }) => node === undefined || node === hold.node);
    const own = livesOf.get(hold.node)!;
    const idle = [...awayOf(own, hold.from), ...away, ...lost];
    return { ...hold, idle: idle.flatMap(window => within(window, hold)) };
  });
  return Map.groupBy(seen, ({ scheduleId }) => scheduleId);
}

/** When a node did nothing with what it held since an instant: it was frozen, or is dead, or was paused. */
function awayOf(lives: Life[], from: number): Window[] {
  // What it had asked for may be done after its death.
  const life = lives.find(({ end }) => (end?.to ?? Infinity) >= from) ?? lives.at(-1)!;
  const { end, frozen = [] } = life;
  return end === null ? frozen : [...frozen, { from: end.from, to: Infinity, isGone: true }];
}

function within({ from, to, ...rest }: Window, hold: Hold): Window[] {
  const window = { ...rest, from: Math.max(from, hold.from), to: Math.min(to, hold.to) };
  return window.from <= window.to ? [window] : [];
}

/** Whether it could fire all the while. */
export function isUpFrom(life: Life, stalls: Stall[], from: number, to: number): boolean {
  const { node, readyAt, end, frozen = [] } = life;
  const own = node === undefined ? [] : stalls.filter(stall => stall.node === node);
  const isThere = readyAt !== null && readyAt <= from && (end?.from ?? Infinity) > to;
  return isThere && ![...frozen, ...own].some(rest => rest.from <= to && rest.to >= from);
}

/** Starts, spans and ends are told in whole ms: what begins by the end of a span is up to this later than they add up to. */
export const WHOLE_MS = 1;

/** The suspensions of the machine in which an answer came: its process reads it when it goes on. */
export function asleepAt(answeredAt: number, suspensions: Window[]): Window[] {
  return suspensions.filter(({ from, to }) => from <= answeredAt + WHOLE_MS && answeredAt <= to);
}

/** So long ahead of its time a row is claimed. */
export const AHEAD_MS = 1_000;

/** Claims ahead of their time count as lost at it, where nobody knows whether they were sent. */
export function killOf({ from, to, isUnknown }: NonNullable<Life['end']>): Window {
  return { from, to: isUnknown ? to + AHEAD_MS : to };
}
