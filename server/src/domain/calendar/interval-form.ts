/** The forms of an interval: a cron expression, `at(…)` or `rate(…)`. */

export function isCron(interval: string): boolean {
  return !isOneOff(interval) && !isRate(interval);
}

export function isOneOff(interval: string): boolean {
  return interval.startsWith('at(');
}

export function isRate(interval: string): boolean {
  return interval.startsWith('rate(');
}
