import type { Row } from '../columns.ts';
import type { IdempotentRecord } from '../contract/idempotency.ts';

/** Records of calls that may be sent again, as both backends read them. */

/** Records that one call of `prune` deletes: other writers wait for some 10 ms. */
export const PRUNED_AT_ONCE = 1_000;

export function idempotentRecordFrom({ fingerprint, ids }: Row): IdempotentRecord {
  return { fingerprint: fingerprint as string, ids: JSON.parse(ids as string) as string[] };
}
