import { PunctualError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Sort } from './queries.ts';

/** The place in a ranked list after a page: the ranking, and how many of it were told, or the last of the others. */
export interface Place {
  /** When the ranking was made, epoch ms. */
  madeAt: number;
  told: number;
  /** Schedules that are not ranked follow with lower ids than this. */
  before?: string;
}

export function cursorOf(sort: Sort, { madeAt, told, before = '' }: Place): string {
  return Buffer.from(`${sort} ${madeAt} ${told} ${before}`).toString('base64url');
}

/** @throws PunctualError `cursor_invalid` */
export function placeFrom(sort: Sort, cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, name, madeAt, told, before = ''] = FORM.exec(text) ?? [];
  const isOwn = name === sort && (before === '' || isId(before.replace(/~$/, '')));
  const place = { madeAt: Number(madeAt), told: Number(told), ...(before !== '' && { before }) };
  if (isOwn && cursorOf(sort, place) === cursor) return place;
  throw new PunctualError(
    'cursor_invalid',
    `The query parameter cursor is not from a list that is sorted by ${sort}.`,
    { refused: cursor },
  );
}

const FORM = /^(\w+) (0|[1-9]\d{0,14}) (0|[1-9]\d{0,5}) ([0-9a-f~-]*)$/;
