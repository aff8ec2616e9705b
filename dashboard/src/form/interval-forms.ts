/** The forms of an interval as the tabs of the form show them: once, by a cron expression, or every so often. */

export type IntervalForm = 'once' | 'repeats' | 'every';

export function formOf(interval: string): IntervalForm {
  const text = interval.trim();
  if (text.startsWith('at(')) return 'once';
  return text.startsWith('rate(') ? 'every' : 'repeats';
}

/** The contents of a tab in which nothing was typed yet. */
export const FIRST_INTERVAL: Record<IntervalForm, string> = {
  once: 'at()',
  repeats: '*/5 * * * *',
  every: 'rate(90 minutes)',
};

/** Of one of the forms, but without a time or a period yet. */
export function isUnfilled(interval: string): boolean {
  return interval === 'at()' || rateOf(interval)?.count === '';
}

/**
 * The local time of a one-off, as a field for local times has it; '' if none is chosen yet.
 *
 * @returns null if the field cannot express it: an instant, a fraction of a second, or no time
 */
export function localOfOnce(interval: string): string | null {
  if (interval === 'at()') return '';
  return /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)\)$/.exec(interval.trim())?.[1] ?? null;
}

export function onceAt(local: string): string {
  return `at(${local})`;
}

/** The units of a rate, the shortest first. */
export const RATE_UNITS = ['seconds', 'minutes', 'hours', 'days'] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

export interface Rate {
  /** As it was typed. */
  count: string;
  unit: RateUnit;
}

/** @returns null if number and unit cannot express it */
export function rateOf(interval: string): Rate | null {
  const [, count = '', unit] =
    /^rate\((?:(\d*) +)?(second|minute|hour|day)s?\)$/.exec(interval.trim()) ?? [];
  if (unit !== undefined) return { count, unit: `${unit}s` as RateUnit };
  return interval === 'rate()' ? { count: '', unit: 'minutes' } : null;
}

/** A count of one takes the singular, as the service writes it. */
export function everyRate({ count, unit }: Rate): string {
  return `rate(${count.trim()} ${Number(count) === 1 ? unit.slice(0, -1) : unit})`;
}
