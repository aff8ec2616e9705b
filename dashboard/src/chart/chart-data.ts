/** The numbers behind a chart over minutes: pure functions. */

export interface Values {
  kind: 'bars' | 'line';
  values: (number | null)[];
}

/**
 * The heights that are drawn: bars stand on each other.
 *
 * @param isLog a scale on which less than 1 has no place
 */
export function barsOf(series: readonly Values[], isLog: boolean): (number | null)[][] {
  const below: number[] = [];
  return series.map(({ kind, values }) =>
    kind === 'line'
      ? values.map(value => (isLog && value !== null ? Math.max(1, value) : value))
      : values.map((value, index) => {
          below[index] = (below[index] ?? 0) + (value ?? 0);
          return below[index]!;
        }),
  );
}

const HALF_MINUTE = 30;

/** Half a minute more at both ends, in s: a bar stands around the start of its minute. */
export function paddedRange(low: number, high: number): [number, number] {
  return [low - HALF_MINUTE, high + HALF_MINUTE];
}

/** The powers of ten around values, a decade apart at least. */
export function powersOfTen(low: number, high: number): [number, number] {
  const from = 10 ** Math.floor(Math.log10(Math.max(1, low)));
  const to = 10 ** Math.ceil(Math.log10(Math.max(1, high)));
  return [from, Math.max(to, from * 10)];
}

/** @param low a power of ten */
export function decadesIn(low: number, high: number): number[] {
  return low > high ? [] : [low, ...decadesIn(low * 10, high)];
}
