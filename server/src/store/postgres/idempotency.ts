import { IDEMPOTENCY_KEPT_MS } from '../../domain/idempotency.ts';
import type { IdempotencyStore, IdempotentCall } from '../contract/idempotency.ts';
import { idempotentRecordFrom, PRUNED_AT_ONCE } from '../rows/idempotency.ts';
import type { Query, Statement, Value } from './connection.ts';

const find: Statement = {
  name: 'idempotency_find',
  text: `
    SELECT fingerprint, ids FROM idempotency WHERE client_key = $1 AND key = $2 AND at >= $3`,
};
const prune: Statement = {
  name: 'idempotency_prune',
  text: `
    DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency WHERE at < $1 LIMIT ${PRUNED_AT_ONCE}))
    RETURNING 1`,
};

export function postgresIdempotency(query: Query): IdempotencyStore {
  return {
    async find(clientRowId, key, madeSince) {
      const [row] = await query(find, [clientRowId, key, madeSince]);
      return row === undefined ? null : idempotentRecordFrom(row);
    },
    async prune(madeBefore) {
      return (await query(prune, [madeBefore])).length;
    },
  };
}

/**
 * Keeps a call, in the statement of what it makes. Of callers at the same moment the later ones wait for the first, and
 * get no row.
 *
 * @param first the number of the call's first parameter; `callValues` gives them
 * @param row the row as a query: client, and the parameters of the call
 */
export function keepCallSql(first: number, row: string): string {
  return `INSERT INTO idempotency (client_key, key, fingerprint, ids, at)
      ${row}
      ON CONFLICT (client_key, key) DO UPDATE SET fingerprint = excluded.fingerprint,
        ids = excluded.ids, at = excluded.at
      WHERE idempotency.at < $${first + 3}::bigint - ${IDEMPOTENCY_KEPT_MS}
      RETURNING 1`;
}

export function callParameters(first: number): string {
  const types = ['text', 'text', 'text', 'bigint'];
  return types.map((type, index) => `$${first + index}::${type}`).join(', ');
}

/** @param ids of what it makes */
export function callValues(call: IdempotentCall | undefined, ids: string[]): Value[] {
  if (call === undefined) return [null, null, null, null];
  return [call.key, call.fingerprint, JSON.stringify(ids), call.at];
}
