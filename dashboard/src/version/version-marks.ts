import type { ScheduleVersion, VersionPage } from '@punctual/client';
import type { TimeWindow } from '../time/time-window.ts';
import { isSecretChange, valueText, whoText } from './changes-words.ts';

/** The changes of a schedule as marks on its timeline. */

/** One change, or several that would lie over each other. */
export interface VersionMark {
  /** Of its middle, from the left edge of the window, px. */
  x: number;
  /** Newest first, one at least. */
  versions: ScheduleVersion[];
}

/** Marks this wide can be hit beside each other, px. */
export const MARK_PX = 26;

/**
 * @param versions in any order
 * @param width of the window, px
 * @returns from left to right, each a mark's width or more from the next
 */
export function versionMarksOf(
  versions: readonly ScheduleVersion[],
  { from, to }: TimeWindow,
  width: number,
): VersionMark[] {
  const half = MARK_PX / 2;
  const placed = versions
    .map(version => ({ version, at: Date.parse(version.at) }))
    .filter(({ at }) => at >= from && at < to)
    .sort((a, b) => a.at - b.at)
    .map(({ version, at }) => ({ version, x: ((at - from) / (to - from)) * width }));
  const marks: VersionMark[] = [];
  for (const { version, x } of placed) {
    const inside = Math.max(half, Math.min(width - half, x));
    const last = marks.at(-1);
    if (last !== undefined && inside - last.x < MARK_PX) last.versions.unshift(version);
    else marks.push({ x: inside, versions: [version] });
  }
  return marks;
}

/** Versions that are kept while a page stays open: the service keeps no more of them. */
const MOST_KEPT = 1_000;

/**
 * Pages of versions with the newest ones at their beginning.
 *
 * @param newest first, all of one moment
 * @returns null where some in between may be missing, or there are too many: the pages are to be read anew
 */
export function withNewest(
  pages: readonly VersionPage[],
  newest: readonly ScheduleVersion[],
): VersionPage[] | null {
  const [first, ...rest] = pages;
  const [known, oldest] = [first?.items[0]?.version ?? 0, newest.at(-1)?.version ?? 0];
  // Numbers have gaps, so only a version that both have shows that none is missing.
  if (first === undefined || oldest > known) return null;
  // A known one may have been the present one, and has ended since.
  const kept = first.items.filter(({ version }) => version < oldest);
  if (kept.length + newest.length > MOST_KEPT) return null;
  return [{ ...first, items: [...newest, ...kept] }, ...rest];
}

const MOST_CHANGES = 3;

/**
 * A change in one line: `Version 4, by the key CI: interval from "0 * * * *" to …`. Values of headers are left out, as
 * all that may be secrets.
 */
export function versionText(version: ScheduleVersion): string {
  const { changes } = version;
  const who = whoText(version);
  const head = `Version ${version.version}${who && `, by ${who}`}`;
  if (changes === undefined) return head;
  if (changes.length === 0) return `${head}: ${version.version === 1 ? 'created' : 'stored again'}`;
  const told = changes.slice(0, MOST_CHANGES).map(change => {
    const { path, before, after } = change;
    if (path.startsWith('headers') || isSecretChange(change)) return path;
    return `${path} from ${shortened(before)} to ${shortened(after)}`;
  });
  const rest = changes.length - told.length;
  return `${head}: ${told.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const LONGEST = 60;

function shortened(value: unknown): string {
  const text = valueText(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/**
 * The version before the present one, where these marks are of the present one alone.
 *
 * @param marked newest first
 * @param known all versions that are read, newest first
 * @returns null where it is among the marked ones, or not known
 */
export function beforePresent(
  marked: readonly ScheduleVersion[],
  known: readonly ScheduleVersion[],
): number | null {
  const present = marked.find(({ until }) => until === undefined);
  if (present === undefined) return null;
  // Numbers have gaps.
  const before = known.find(({ version }) => version < present.version)?.version;
  return before === undefined || marked.some(({ version }) => version === before) ? null : before;
}
