import { PunctualError } from '../../domain/errors.ts';
import { instantFrom } from '../../domain/iso.ts';

/**
 * Reads an ISO 8601 date-time with its offset from UTC, as epoch ms.
 *
 * @param where what the sentence calls it
 * @throws PunctualError `request_invalid`
 */
export function readInstant(text: string, where: string): number {
  const instant = instantFrom(text);
  if (instant !== null) return instant;
  throw new PunctualError(
    'request_invalid',
    `${where} must be an ISO 8601 date-time with an offset, such as 2026-03-29T01:00:00Z.`,
    { refused: text },
  );
}
