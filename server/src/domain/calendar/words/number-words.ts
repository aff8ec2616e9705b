/** Lists of whole numbers in words that can be read in one way only. */

/** A progression is cut short after its first three members when it has more than this many. */
const MOST_LISTED = 5;
const LEAST_RANGE = 3;

/**
 * `0, 7, 14 and so on to 56` for a progression, else `0 to 10, 12 and 20 to 30`.
 *
 * @param values ascending, at least one
 * @param named the text of one value
 */
export function numberWords(
  values: readonly number[],
  named: (value: number) => string,
  conjunction: 'and' | 'or' = 'and',
): string {
  const step = stepBetween(values);
  if (step !== null && step > 1 && values.length > MOST_LISTED) {
    const [first, second, third] = values.map(named);
    return `${first}, ${second}, ${third} and so on to ${named(values.at(-1)!)}`;
  }
  return joined(
    rangesOf(values).flatMap(range => rangeWords(range, named)),
    conjunction,
  );
}

/** `a, b and c`. */
export function joined(texts: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} ${conjunction} ${texts.at(-1)}`;
}

/** The difference that all neighbours have, or null. */
function stepBetween(values: readonly number[]): number | null {
  const [first, second] = values;
  if (first === undefined || second === undefined) return null;
  const step = second - first;
  return values.every((value, index) => value === first + index * step) ? step : null;
}

interface Range {
  from: number;
  to: number;
}

function rangesOf(values: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const value of values) {
    const last = ranges.at(-1);
    if (last !== undefined && value === last.to + 1) last.to = value;
    else ranges.push({ from: value, to: value });
  }
  return ranges;
}

function rangeWords({ from, to }: Range, named: (value: number) => string): string[] {
  if (to - from + 1 >= LEAST_RANGE) return [`${named(from)} to ${named(to)}`];
  return from === to ? [named(from)] : [named(from), named(to)];
}
