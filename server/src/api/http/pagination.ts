import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';

/**
 * Pages of a list, newest first. A cursor is the last id of the previous page, or `~` and the id
 * from which a search continues. Its form is opaque, because its contents may change.
 */
export const DEFAULT_LIMIT = 20;

/** @param next where a search that found no more than these goes on; null: nowhere */
export function pageOf<Item extends { id: string }, Shown>(
  found: Item[],
  limit: number,
  show: (item: Item) => Shown,
  next: string | null = null,
): { items: Shown[]; nextCursor?: string } {
  const items = found.slice(0, limit);
  const after = found.length > limit ? items.at(-1)!.id : next;
  return { items: items.map(show), ...(after !== null && { nextCursor: cursorAfter(after) }) };
}

/** @param id or, with `~` behind it, the place above it */
export function cursorAfter(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/**
 * Of a list by name: the last name of the previous page.
 *
 * @throws PunctualError `cursor_invalid`
 */
export function nameAfter(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const name = Buffer.from(cursor, 'base64url').toString('latin1');
  if (/^[a-z0-9-]{1,63}$/.test(name) && cursorAfter(name) === cursor) return name;
  throw notFromList(cursor);
}

/** @throws PunctualError `cursor_invalid` */
export function idBefore(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (isId(id.replace(/~$/, '')) && cursorAfter(id) === cursor) return id;
  throw notFromList(cursor);
}

/**
 * Of a list of versions: the last one of the previous page.
 *
 * @throws PunctualError `cursor_invalid`
 */
export function versionBefore(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, version] = /^v([1-9]\d{0,8})$/.exec(textOf(cursor)) ?? [];
  if (version !== undefined && cursorAfter(`v${version}`) === cursor) return Number(version);
  throw notFromList(cursor);
}

function textOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('latin1');
}

function notFromList(cursor: string): PunctualError {
  const sentence = 'The query parameter cursor is not from a list.';
  return new PunctualError('cursor_invalid', sentence, { refused: cursor });
}
