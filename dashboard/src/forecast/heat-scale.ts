import { whole } from '../parts/numbers.ts';

/** How strongly the forecast shades a count: by the difference from the base load. */

export interface HeatScale {
  /** The load of the usual step: half of all steps have as many firings at most. */
  base: number;
  most: number;
  /** The difference from the base that has the strongest shade. */
  top: number;
}

export const SHADES = 6;
const EVEN = 1;
/** A load this near above its base is even, as a share of it. */
const EVEN_SHARE = 0.02;
/** The strongest shade is this far above the base at least, as a share of it. */
const LEAST_TOP_SHARE = 0.1;
/** The same in firings: a few are no herd. */
const LEAST_TOP = 20;

export function heatScaleOf(counts: readonly number[]): HeatScale {
  const sorted = counts.toSorted((a, b) => a - b);
  const base = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const most = sorted.at(-1) ?? 0;
  return { base, most, top: Math.max(most - base, base * LEAST_TOP_SHARE, LEAST_TOP) };
}

/**
 * By the square root of the difference, so that a herd stands out and a small bump is still seen.
 *
 * @returns 0 for nothing, 1 for the base load and below, up to `SHADES` - 1
 */
export function shadeOf(count: number, { base, top }: HeatScale): number {
  if (count === 0) return 0;
  const above = count - base;
  if (above <= base * EVEN_SHARE) return EVEN;
  const strongest = SHADES - 1 - EVEN;
  return EVEN + Math.min(strongest, Math.ceil(Math.sqrt(above / top) * strongest));
}

/** `231, 171 above the base`; without a base, the count alone */
export function heatText(count: number, { base }: HeatScale): string {
  const text = whole(count);
  if (base === 0 || count === base) return text;
  const apart = whole(Math.abs(count - base));
  return `${text}, ${apart} ${count > base ? 'above' : 'below'} the base`;
}
