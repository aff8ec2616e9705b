import { quoted } from '../../domain/calendar/cron/interval-field.ts';

/**
 * The path of a wrong value in a body, as a sentence names it: `integrations[0].url`, `data["a
 * b"]`. It repeats at most 40 characters of the caller's own keys, and none that garbles a log.
 */
export function jsonPathOf(way: readonly string[]): string {
  if (way.length === 0) return 'The body';
  if (way.length > MOST_STEPS) return `${jsonPathOf(way.slice(0, MOST_STEPS))}…`;
  return way.map(step).join('');
}

/** No body that means anything is deeper. */
const MOST_STEPS = 5;

function step(key: string, index: number): string {
  if (/^\d{1,9}$/.test(key)) return `[${key}]`;
  if (!/^[A-Za-z_][\w-]{0,39}$/.test(key)) return `[${quoted(key)}]`;
  return index === 0 ? key : `.${key}`;
}
