/** The span of time that a timeline shows: how it is zoomed and moved, and what is asked for to fill it. */

/** Epoch ms; `to` is exclusive. */
export interface TimeWindow {
  from: number;
  to: number;
}

/**
 * The view of a timeline. Without `to` it follows the clock, and now stands at the same place of it.
 */
export interface View {
  /** The length of the window, ms. */
  spanMs: number;
  /** The end of the window, epoch ms. */
  to?: number;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
export const SHORTEST_MS = 4 * SECOND_MS;
export const LONGEST_MS = 40 * DAY_MS;
/** From 1970 to 2099, which is as far as the service tells the offsets of zones. */
const LATEST = Date.UTC(2100, 0);

/**
 * @param pastShare the part of the window before now while it follows the clock, 0 to 1
 */
export function windowOf({ spanMs, to }: View, now: number, pastShare: number): TimeWindow {
  const end = to ?? now + spanMs * (1 - pastShare);
  return { from: end - spanMs, to: end };
}

export function viewOf({ from, to }: TimeWindow): View {
  return { spanMs: to - from, to };
}

/** The same, with `at` in its middle. */
export function viewAround(at: number, spanMs: number): View {
  const span = clamp(spanMs, SHORTEST_MS, LONGEST_MS);
  return { spanMs: span, to: clamp(at + span / 2, span, LATEST) };
}

/**
 * Zooms by a factor; below 1 it shows less. The instant `at` stays where it is.
 */
export function zoomed({ from, to }: TimeWindow, factor: number, at: number): TimeWindow {
  const span = clamp((to - from) * factor, SHORTEST_MS, LONGEST_MS);
  const share = (at - from) / (to - from);
  return within({ from: at - share * span, to: at + (1 - share) * span });
}

export function moved({ from, to }: TimeWindow, ms: number): TimeWindow {
  return within({ from: from + ms, to: to + ms });
}

function within({ from, to }: TimeWindow): TimeWindow {
  const ms = from < 0 ? -from : Math.min(0, LATEST - to);
  return { from: from + ms, to: to + ms };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Two fingers: both instants stay under them as well as they can. */
export function pinched(
  { from, to }: TimeWindow,
  width: number,
  before: [number, number],
  after: [number, number],
): TimeWindow {
  const [a, b] = [Math.abs(before[1] - before[0]), Math.abs(after[1] - after[0])];
  const at = (px: number) => from + (px / width) * (to - from);
  const middle = (before[0] + before[1]) / 2;
  const scaled = zoomed({ from, to }, Math.max(1, a) / Math.max(1, b), at(middle));
  const shift = (after[0] + after[1]) / 2 - middle;
  return moved(scaled, (-shift / width) * (scaled.to - scaled.from));
}

/** Each divides an hour or is whole hours, and divides the next but few: so a zoom moves few edges. */
const STEPS_SECONDS = [
  1, 2, 3, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
  86_400,
];

/**
 * The shortest step that is drawn at least `leastPx` wide. The span has at most `most` of them.
 *
 * @param width of the timeline, px
 */
export function stepSecondsFor(
  spanMs: number,
  width: number,
  { leastPx = 4, most = 400 }: { leastPx?: number; most?: number } = {},
): number {
  const byWidth = (spanMs / Math.max(1, width)) * leastPx;
  const leastSeconds = Math.max(byWidth, spanMs / most) / SECOND_MS;
  return STEPS_SECONDS.find(seconds => seconds >= leastSeconds) ?? 86_400;
}

/**
 * The range to ask for: the window with a margin on both sides, so that a small move needs no question. Nearby windows
 * have the same one. It is 1.75 times the window and two steps at most.
 */
export function askedRange({ from, to }: TimeWindow, stepMs: number): TimeWindow {
  const quarter = Math.max(stepMs, Math.ceil((to - from) / 4 / stepMs) * stepMs);
  const first = Math.floor(from / quarter) * quarter;
  const last = Math.ceil(to / quarter) * quarter;
  const margin = Math.floor(quarter / 4 / stepMs) * stepMs;
  return { from: Math.max(0, first - margin), to: last + margin };
}

/** `2 h`: the length of a window, in the address. */
export function spanFrom(text: string | null): number | null {
  const seconds = Number(text);
  if (text === null || !Number.isFinite(seconds) || seconds <= 0) return null;
  return clamp(seconds * SECOND_MS, SHORTEST_MS, LONGEST_MS);
}

/** The instant in the address. */
export function instantFrom(text: string | null): number | null {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) || at < 0 || at > LATEST ? null : at;
}
