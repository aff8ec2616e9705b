/**
 * Texts of schedules, by which a search finds a few among a million.
 *
 * A row of `schedule_texts` holds the folded labels and urls of up to some hundred schedules in one
 * text each. A search through it costs a tenth of a search through the schedules themselves, which
 * are wide and far apart. Guarantee: some row holds a schedule's present label and url, written in
 * the transaction that set them. Former values may be there as well, so each hit is compared with
 * the schedule itself.
 *
 * - A create writes one row for all schedules that it makes. Rows of few are put together as soon
 *   as there are enough, by the creates themselves.
 * - A change of label or url writes a row for this schedule alone, at most one for each
 *   (`changed_key`).
 *
 * Not a trigram index: it costs each create as much as all its other writes, and one of
 * PostgreSQL's (pg_trgm) is not there everywhere.
 */
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { ScheduleFilter } from './contract/schedules.ts';
import { fold } from './rows/row.ts';

/** Schedules of one row that is made at once. */
export const ENTRIES = 500;
/** Rows of fewer are put together; the index `schedule_texts_small` says the same. */
export const SMALL = 128;
/** Schedules that were made in rows of few: then it is time. */
const ENOUGH = 512;
/** Schedules that are put together at once: what has gathered beyond is left to the next time. */
export const MOST_TOGETHER = 2 * ENOUGH;
/**
 * Schedules that a search reads one by one, newest first, before it reads texts. They suffice for a
 * client with fewer schedules, or for a common text.
 */
export const LOOKED_AT = 5_000;

/**
 * The most matching rows, of up to some hundred schedules each, that a search splits before it
 * stops and returns its position. Only a search with a common part and few whole hits reaches it,
 * such as a common label and a url.
 */
export const ROWS_APART = 64;

/** Between two texts of one row; in a text itself it becomes another one. */
export const SEPARATOR = '\u0001';

/** A schedule by what a search looks at. */
export type SearchedTexts = Pick<Schedule, 'id' | 'label' | 'url'>;

/** As a text stands in a row, and as it is looked for there. */
export function sealTexts(text: string): string {
  return fold(text).replaceAll(SEPARATOR, '\u0002');
}

/** The folded search terms: null for any text. */
export interface SearchTerms {
  label: string | null;
  url: string | null;
}

/** The empty text is in every other. */
export function isSearch({ label, url }: ScheduleFilter): boolean {
  return Boolean(label) || Boolean(url);
}

/** @param form `fold`, or `sealed` */
export function searchTermsFrom(
  { label, url }: ScheduleFilter,
  form: (text: string) => string,
): SearchTerms {
  return {
    label: label ? form(label) : null,
    url: url ? form(url) : null,
  };
}

/** Rows of texts, each for up to `ENTRIES` of these in their order: first and last id, labels, urls. */
export function textsOf(schedules: SearchedTexts[]): [string, string, string, string][] {
  const rows: [string, string, string, string][] = [];
  for (let at = 0; at < schedules.length; at += ENTRIES) {
    const part = schedules.slice(at, at + ENTRIES);
    const ids = part.map(({ id }) => id).sort();
    const labels = part.map(({ label }) => sealTexts(label)).join(SEPARATOR);
    const urls = part.map(({ url }) => sealTexts(url)).join(SEPARATOR);
    rows.push([ids[0]!, ids.at(-1)!, labels, urls]);
  }
  return rows;
}

/** Counts what is made in rows of few, by client, and says when it is to be put together. */
export class SmallInserts {
  readonly #made = new Map<number, number>();

  /** @returns whether it is time */
  add(clientRowId: number, schedules: number): boolean {
    const few = schedules % ENTRIES;
    if (few === 0 || few >= SMALL) return false;
    const count = (this.#made.get(clientRowId) ?? 0) + few;
    const isTime = count >= ENOUGH;
    if (isTime) this.#made.delete(clientRowId);
    else this.#made.set(clientRowId, count);
    return isTime;
  }
}
