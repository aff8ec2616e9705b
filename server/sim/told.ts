import { iso } from './model/rules/view.ts';
import type { Action } from './profile.ts';
import type { Cut } from './shrink.ts';
import { lineOf, storyOf, withNames } from './story.ts';
import type { Played } from './world.ts';

/** How played worlds are told to people. */

/** One of each rule, so many rules at most. */
const MOST_VIOLATIONS = 10;

/** All of one world: what happened, and what was wrong. */
export function traceOf(played: Played): string {
  return `${worldOf(played)}\n${played.trace.join('\n')}\n${verdictOf(played)}`;
}

/** @param cut the smallest world that fails alike: its actions are told, and the line that plays it */
export function failureOf(played: Played, cut: Cut): string {
  const faults = cut.faults?.length ? ` --with ${cut.faults}` : '';
  const line = `npm run sim -- --seed ${played.seed}${faults}`;
  const told = `${worldOf(played)}\n${verdictOf(played)}`;
  if (cut.only === undefined) return `${told}  again   ${line}\n  smaller ${line} --shrink\n`;
  const { only, mixed, planned, unhealthy, awaiting } = cut;
  const { actions } = played.profile;
  const lines = only.map(
    number => `${String(number).padStart(5)}  ${actionOf(actions[number - 1]!)}\n`,
  );
  const size = `  shrunk  from ${actions.length} actions to ${only.length}, with ${mixed} intervals, ${planned} plans ${unhealthy} unwell, and ${awaiting} that answer 202\n`;
  return `${told}${size}${lines.join('')}  again   ${line} --only ${only.join(',') || 0} --schedules ${mixed},${planned},${unhealthy},${awaiting}\n`;
}

/** Of a world that did not come to its end. */
export function breakOf(seed: number, error: Error): string {
  return `seed ${seed}\n  broke: ${error.message}\n  again   npm run sim -- --seed ${seed}\n`;
}

interface Progress {
  played: number;
  failed: number;
  tookMs: number;
}

export function progressOf(progress: Progress, all: number): string {
  const { played, failed } = progress;
  return `${played} of ${all} seeds, ${rateOf(progress)} a second, ${failed} failed`;
}

export function summaryOf(progress: Progress): string {
  const { played, failed, tookMs } = progress;
  const took = (tookMs / 1_000).toFixed(1);
  return `${played} seeds, ${failed} failed, in ${took} s: ${rateOf(progress)} a second\n`;
}

function rateOf({ played, tookMs }: Progress): string {
  return (played / (Math.max(1, tookMs) / 1_000)).toFixed(1);
}

function actionOf({ at, kind, ...rest }: Action): string {
  const said = Object.entries(rest).map(([name, value]) => {
    return `${name} ${typeof value === 'number' ? Number(value.toFixed(3)) : value}`;
  });
  return lineOf(at, `${kind} ${said.join(', ')}`);
}

function worldOf({ seed, profile, startedAt, evidence }: Played): string {
  const { lengthMs, faults, actions } = profile;
  const span = `${(lengthMs / 1_000).toFixed(1)} s from ${iso(startedAt)}`;
  const kinds = faults.length > 0 ? faults.join(', ') : 'no faults';
  const { schedules } = evidence;
  return `seed ${seed}: ${span}, ${schedules.length} schedules, ${actions.length} actions: ${kinds}`;
}

function verdictOf(played: Played): string {
  const { violations, hash, figures, names } = played;
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
  const lines = some.map(({ rule, sentence }) => `  ${rule}: ${withNames(sentence, names)}\n`);
  if (more > 0) lines.push(`  … and ${more} more\n`);
  const story = storyOf(played, firsts[0]!.sentence);
  if (story.length > 0) lines.push('  what led to the first of them\n');
  return [...lines, ...story.map(line => `${line}\n`)].join('');
}
