import type {
  Explanation,
  HistoryStep,
  Timeline,
  TimelineLane,
  ZoneOffsets,
} from '@punctual/client';
import type { TimeWindow } from '../time/time-window.ts';

/** The contents of a timeline, and the time that a click in it means. */

/** The times of a schedule in one step: what became of them, and how many are to come. */
export interface Step extends Outcomes {
  /** Epoch ms. */
  at: number;
  /** Exclusive. */
  to: number;
  due: number;
}

type Outcomes = Pick<HistoryStep, 'succeeded' | 'failed' | 'skipped' | 'missed'>;

/** How a step is drawn: its parts from top to bottom, as shares of its height. */
export interface Part {
  status: 'failed' | 'missed' | 'skipped' | 'succeeded';
  count: number;
  share: number;
}

const ORDER = ['failed', 'missed', 'skipped', 'succeeded'] as const;
/** One failure among thousands is seen, too. */
const LEAST_SHARE = 0.2;

export function partsOf(step: Outcomes): Part[] {
  const there = ORDER.filter(status => step[status] > 0);
  const total = there.reduce((sum, status) => sum + step[status], 0);
  const shares = there.map(status => Math.max(LEAST_SHARE, step[status] / total));
  const sum = shares.reduce((all, share) => all + share, 0);
  return there.map((status, index) => ({
    status,
    count: step[status],
    share: shares[index]! / sum,
  }));
}

/** `1,795 succeeded, 5 failed, 12 to come`; '' if nothing is there */
export function countsText(step: Outcomes & { due?: number }): string {
  const outcomes = ORDER.toReversed()
    .filter(status => step[status] > 0)
    .map(status => `${step[status].toLocaleString('en-GB')} ${status}`);
  const due = step.due ?? 0;
  return [...outcomes, ...(due > 0 ? [`${due.toLocaleString('en-GB')} to come`] : [])].join(', ');
}

/**
 * The words for a window that shows no times: one that is not counted yet may have some.
 *
 * @param counted null before the first answer
 */
export function emptyText(
  window: TimeWindow,
  counted: TimeWindow | null,
  hasFailed: boolean,
): string {
  const isCounted = counted !== null && counted.from <= window.from && window.to <= counted.to;
  if (isCounted) return 'nothing';
  return hasFailed ? 'not known' : 'being counted';
}

/** The steps of a lane, oldest first. */
export function stepsOf({ from, stepSeconds }: Timeline, lane: TimelineLane): Step[] {
  const stepMs = stepSeconds * 1_000;
  const start = Date.parse(from);
  return lane.steps.map((number, index) => ({
    at: start + number * stepMs,
    to: start + (number + 1) * stepMs,
    succeeded: lane.succeeded[index]!,
    failed: lane.failed[index]!,
    skipped: lane.skipped[index]!,
    missed: lane.missed[index]!,
    due: lane.due[index]!,
  }));
}

/** Those that reach into the window. */
export function stepsIn(steps: Step[], { from, to }: TimeWindow): Step[] {
  return steps.filter(step => step.to > from && step.at < to);
}

export function totalOf(steps: Step[]): Outcomes & { due: number } {
  const sum = { succeeded: 0, failed: 0, skipped: 0, missed: 0, due: 0 };
  for (const step of steps) {
    sum.succeeded += step.succeeded;
    sum.failed += step.failed;
    sum.skipped += step.skipped;
    sum.missed += step.missed;
    sum.due += step.due;
  }
  return sum;
}

/**
 * The step at an instant, or the nearest one within `nearMs`.
 */
export function stepAt(steps: Step[], at: number, nearMs: number): Step | undefined {
  let nearest: Step | undefined;
  let least = nearMs;
  for (const step of steps) {
    const distance = Math.max(0, step.at - at, at - step.to + 1);
    if (distance === 0) return step;
    if (distance <= least) [nearest, least] = [step, distance];
  }
  return nearest;
}

/**
 * The middle of the next step in a direction: where the keys go.
 */
export function nextStep(steps: Step[], at: number, isLater: boolean): number | undefined {
  const found = isLater ? steps.find(step => step.at > at) : steps.findLast(step => step.to <= at);
  return found && (found.at + found.to) / 2;
}

/** A click in a timeline: a pixel is a span of time, so it means whatever is due near it. */
export interface Click {
  /** Epoch ms. */
  at: number;
  /** How far off a nominal time may be and is still meant. */
  nearMs: number;
}

/** Nominal times are whole seconds: the one in which the click is. */
export function secondOf({ at }: Click): string {
  return new Date(Math.floor(at / 1_000) * 1_000).toISOString();
}

/**
 * The nominal time that a click means, where its own second has none.
 *
 * @returns null where none is near: then nothing was due there
 */
export function nearestTime(
  { at, nearMs }: Click,
  { verdict, previous, next }: Pick<Explanation, 'verdict' | 'previous' | 'next'>,
): string | null {
  if (verdict !== 'neverDue') return null;
  const distance = (time: string) => Math.abs(Date.parse(time) - at);
  const [nearest] = [previous, next]
    .filter(time => time !== undefined)
    .sort((a, b) => distance(a) - distance(b));
  return nearest !== undefined && distance(nearest) <= nearMs ? nearest : null;
}

/** A change of the clock of a zone. */
export interface ClockMark {
  at: number;
  /** By how much the clock was set forward; below 0: back. */
  shiftSeconds: number;
}

/** The changes of the clock within a window, by the service's rules. */
export function clockMarksOf({ offsets }: ZoneOffsets, { from, to }: TimeWindow): ClockMark[] {
  return offsets.slice(1).flatMap((offset, index) => {
    const at = Date.parse(offset.from);
    const shiftSeconds = offset.offsetSeconds - offsets[index]!.offsetSeconds;
    return at >= from && at < to && shiftSeconds !== 0 ? [{ at, shiftSeconds }] : [];
  });
}

/** `The clock is set forward by 1 h.` */
export function clockText({ shiftSeconds }: ClockMark): string {
  const minutes = Math.abs(shiftSeconds) / 60;
  const text = minutes % 60 === 0 ? `${minutes / 60} h` : `${Number(minutes.toFixed(1))} min`;
  return `The clock is set ${shiftSeconds > 0 ? 'forward' : 'back'} by ${text}.`;
}
