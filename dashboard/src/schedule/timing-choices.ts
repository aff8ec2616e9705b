import type { AfterCompletion, OnExcluded } from '@punctual/client';

/** The fields that say when a schedule fires, besides interval and zone: their names, bounds and choices. */

/** Typed as text, and whole numbers within bounds when they are right. */
export const COUNT_FIELDS = {
  maxRuns: { label: 'Number of runs', subject: 'The number of runs', from: 1, to: 1_000_000 },
  windowSeconds: { label: 'Window', subject: 'The window', from: 1, to: 86_400 },
} as const;

export type CountField = keyof typeof COUNT_FIELDS;
export const COUNT_NAMES = Object.keys(COUNT_FIELDS) as CountField[];

export const ON_EXCLUDED: { value: OnExcluded; label: string }[] = [
  { value: 'skip', label: 'do not fire' },
  { value: 'nextDay', label: 'fire on the next day that is free' },
  { value: 'previousDay', label: 'fire on the last free day before' },
];

export const AFTER_COMPLETION: { value: AfterCompletion; label: string }[] = [
  { value: 'disable', label: 'keep it, as completed' },
  { value: 'delete', label: 'delete it' },
];

/** The most calendars that one schedule may exclude. */
export const MOST_EXCLUDED = 5;

export function labelOf<Value extends string>(
  choices: { value: Value; label: string }[],
  value: Value,
): string {
  return choices.find(each => each.value === value)?.label ?? value;
}
