import { quoted } from '../../domain/calendar/cron/interval-field.ts';
import { PunctualError } from '../../domain/errors.ts';
import { isTagFilter } from '../../domain/schedule/identity.ts';

/**
 * The tags that a list asks for; undefined where it asks for none.
 *
 * @throws PunctualError `request_invalid` where one can be no schedule's
 */
export function tagsFrom(tags: string[] | undefined): string[] | undefined {
  for (const tag of tags ?? []) checkTagFilter(tag, 'The query parameter tag');
  return tags;
}

/** @throws PunctualError `request_invalid` */
export function checkTagFilter(tag: string, where: string): void {
  if (isTagFilter(tag)) return;
  throw new PunctualError(
    'request_invalid',
    `${where} must be the key of a tag, or a key, a colon and a value; ${quoted(tag)} is neither.`,
    { refused: tag },
  );
}
