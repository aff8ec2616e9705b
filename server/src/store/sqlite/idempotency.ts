import type { DatabaseSync } from 'node:sqlite';
import { IDEMPOTENCY_KEPT_MS } from '../../domain/idempotency.ts';
import type { Row } from '../columns.ts';
import type { IdempotencyStore, IdempotentCall } from '../contract/idempotency.ts';
import { idempotentRecordFrom, PRUNED_AT_ONCE } from '../rows/idempotency.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteIdempotency(database: DatabaseSync, commits: GroupCommit): IdempotencyStore {
  const find = database.prepare(FIND);
  const prune = database.prepare(`
    DELETE FROM idempotency WHERE (client_key, key) IN (
      SELECT client_key, key FROM idempotency WHERE at < ? LIMIT ${PRUNED_AT_ONCE})`);
  return {
    async find(clientRowId, key, madeSince) {
      const row = find.get(clientRowId, key, madeSince) as Row | undefined;
      return row === undefined ? null : idempotentRecordFrom(row);
    },
    prune(madeBefore) {
      return commits.write(() => Number(prune.run(madeBefore).changes));
    },
  };
}

const FIND =
  'SELECT fingerprint, ids FROM idempotency WHERE client_key = ? AND key = ? AND at >= ?';

/** Calls, within the transaction of what they make: one thread writes, so nobody comes in between. */
export interface IdempotentCalls {
  isKept(clientRowId: number, call: IdempotentCall): boolean;
  /** @param ids of what it made */
  keep(clientRowId: number, call: IdempotentCall, ids: string[]): void;
}

export function idempotentCalls(database: DatabaseSync): IdempotentCalls {
  const find = database.prepare(FIND);
  const keep = database.prepare(`
    INSERT OR REPLACE INTO idempotency (client_key, key, fingerprint, ids, at)
    VALUES (?, ?, ?, ?, ?)`);
  return {
    isKept: (clientRowId, { key, at }) =>
      find.get(clientRowId, key, at - IDEMPOTENCY_KEPT_MS) !== undefined,
    keep(clientRowId, { key, fingerprint, at }, ids) {
      keep.run(clientRowId, key, fingerprint, JSON.stringify(ids), at);
    },
  };
}
