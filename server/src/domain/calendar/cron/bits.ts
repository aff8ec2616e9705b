/**
 * Sets of small whole numbers as bits, so that "the next member from here on" costs a few machine
 * instructions: the search for the next time is made of nothing else.
 *
 * A word holds 0 to 31 (hours, months, days of a month); `Bits` is two words and holds 0 to 63
 * (seconds, minutes). No member is -1, which therefore says "none".
 */
export interface Bits {
  readonly low: number;
  readonly high: number;
}

export const NONE = -1;

export function bitsOf(members: Iterable<number>): Bits {
  let low = 0;
  let high = 0;
  for (const member of members) {
    if (member < 32) low |= 1 << member;
    else high |= 1 << (member - 32);
  }
  return { low, high };
}

export function hasBit(bits: Bits, value: number): boolean {
  return value < 32 ? ((bits.low >>> value) & 1) === 1 : ((bits.high >>> (value - 32)) & 1) === 1;
}

/** The least member >= `value` (0 to 64), or NONE. */
export function atOrAfter(bits: Bits, value: number): number {
  const low = inWordAtOrAfter(bits.low, value);
  if (low !== NONE) return low;
  const high = inWordAtOrAfter(bits.high, Math.max(value - 32, 0));
  return high === NONE ? NONE : high + 32;
}

/** The greatest member <= `value` (-1 to 63), or NONE. */
export function atOrBefore(bits: Bits, value: number): number {
  const high = inWordAtOrBefore(bits.high, value - 32);
  return high === NONE ? inWordAtOrBefore(bits.low, Math.min(value, 31)) : high + 32;
}

/** How many members are < `value` (0 to 64). */
export function countBelow(bits: Bits, value: number): number {
  return inWordBelow(bits.low, value) + inWordBelow(bits.high, value - 32);
}

/** The least member of a word >= `value`, or NONE. */
export function inWordAtOrAfter(word: number, value: number): number {
  if (value > 31) return NONE;
  const rest = word & (-1 << value);
  return rest === 0 ? NONE : 31 - Math.clz32(rest & -rest);
}

/** The greatest member of a word <= `value` (at most 31), or NONE. */
export function inWordAtOrBefore(word: number, value: number): number {
  if (value < 0) return NONE;
  const rest = word & ((2 << value) - 1);
  return rest === 0 ? NONE : 31 - Math.clz32(rest);
}

/** How many members of a word are < `value`. */
export function inWordBelow(word: number, value: number): number {
  if (value <= 0) return 0;
  return population(value > 31 ? word : word & ((1 << value) - 1));
}

/** Hacker's Delight (2nd edition), figure 5-2: bits are summed in pairs, nibbles, then bytes. */
function population(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
