import { PunctualError } from '../errors.ts';

/**
 * The period of `rate(90 minutes)` in ms: 1 s to 366 days of elapsed time. No change of a clock touches it, so a day has
 * 24 hours. The form is the one of EventBridge Scheduler, which has no seconds.
 *
 * @throws PunctualError `interval_invalid`
 */
export function parseRate(interval: string): number {
  const [, count = '', unit = ''] = RATE.exec(interval) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms >= SHORTEST_MS && ms <= LONGEST_MS) return ms;
  throw new PunctualError(
    'interval_invalid',
    'The interval rate(…) must hold a whole number and seconds, minutes, hours or days, from 1 second to 366 days, such as rate(90 minutes).',
    { refused: interval },
  );
}

/** `rate(90 minutes)` for `@every 90m`, `@every 1h30m` or `@every 1.5h`, or null where it means no such period. */
export function rateOfEvery(text: string): string | null {
  const parts = /^@every\s+((?:\d+(?:\.\d+)?[hms])+)$/i.exec(text.trim())?.[1];
  if (parts === undefined) return null;
  let ms = 0;
  for (const [, count, unit] of parts.toLowerCase().matchAll(/([\d.]+)([hms])/g)) {
    ms += Math.round(Number(count) * EVERY_MS[unit!]!);
  }
  if (ms % 1_000 !== 0 || ms < SHORTEST_MS || ms > LONGEST_MS) return null;
  const seconds = ms / 1_000;
  const unit = seconds % 3_600 === 0 ? 'hours' : seconds % 60 === 0 ? 'minutes' : 'seconds';
  return `rate(${seconds / RATE_SECONDS[unit]} ${unit})`;
}

const RATE = /^rate\((\d{1,8}) +(second|minute|hour|day)s?\)$/;
const UNIT_MS: Record<string, number> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};
const SHORTEST_MS = 1_000;
const LONGEST_MS = 366 * 86_400_000;
const EVERY_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000 };
const RATE_SECONDS = { hours: 3_600, minutes: 60, seconds: 1 };
