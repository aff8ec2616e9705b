import type { Played } from './world.ts';

/** How played worlds are told to people. */

/** One of each rule, so many rules at most. */
const MOST_VIOLATIONS = 10;

/** All of one world: what happened, and what was wrong. */
export function traceOf(played: Played): string {
  return `${worldOf(played)}\n${played.trace.join('\n')}\n${verdictOf(played)}`;
}

/** @returns nothing of its trace: the line that plays it again has it */
export function firstFailureOf(played: Played): string {
  return `${worldOf(played)}\n${verdictOf(played)}  again   npm run sim -- --seed ${played.seed}\n`;
}

export function summaryOf(count: number, failed: number, tookMs: number): string {
  const seconds = Math.max(1, Math.round(tookMs)) / 1_000;
  const rate = (count / seconds).toFixed(1);
  return `${count} seeds, ${failed} failed, in ${seconds.toFixed(1)} s: ${rate} a second\n`;
}

function worldOf({ seed, profile, evidence }: Played): string {
  const { lengthMs, faults, actions } = profile;
  const span = `${(lengthMs / 1_000).toFixed(1)} s`;
  const kinds = faults.length > 0 ? faults.join(', ') : 'no faults';
  const { schedules } = evidence;
  return `seed ${seed}: ${span}, ${schedules.length} schedules, ${actions.length} actions: ${kinds}`;
}

function verdictOf({ violations, hash, figures }: Played): string {
  const { due, requests, duplicates, lost, missed, skipped, callbacks, completed } = figures;
  if (violations.length === 0) {
    return (
      `  ok      ${due} times due: ${requests} requests, ${duplicates} of them sent again, ` +
      `${lost} attempts lost, ${missed} missed, ${skipped} skipped; ${callbacks} callbacks, ` +
      `${completed} completed; hash ${hash}\n`
    );
  }
  const firsts = [...Map.groupBy(violations, ({ rule }) => rule).values()].map(([first]) => first!);
  const some = firsts.slice(0, MOST_VIOLATIONS);
  const more = violations.length - some.length;
  const lines = some.map(({ rule, sentence }) => `  ${rule}: ${sentence}\n`).join('');
  return more > 0 ? `${lines}  … and ${more} more\n` : lines;
}
