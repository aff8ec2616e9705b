import moment from 'moment-timezone';

/** The second source on time zones: the lists of changes of moment-timezone, searched by its own code. */

export function offsetAt(timezone: string, at: number): number {
  return Math.round(moment.tz.zone(timezone)!.utcOffset(at) * 60) * -1_000 + 0;
}

/** An instant's local time as if it were one of UTC: epoch ms. */
export function wallTime(timezone: string, at: number): number {
  return at + offsetAt(timezone, at);
}

/** When the offset changes, before 2499: epoch ms. */
export function changesOf(timezone: string): number[] {
  const { untils, offsets } = moment.tz.zone(timezone)!;
  return untils
    .filter((_, index) => index < offsets.length - 1 && offsets[index] !== offsets[index + 1])
    .map(at => Math.round(at / 1_000) * 1_000)
    .filter(at => at < Date.UTC(2499, 0));
}
