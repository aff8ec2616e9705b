/** The store contract, for calls that may be sent again: what a call with an `Idempotency-Key` has made. */

/** A call, as it is told from others. */
export interface IdempotentCall {
  /** 1 to 255 printable ASCII characters. */
  key: string;
  /** A digest of method, path and body. */
  fingerprint: string;
  /** Epoch ms: it is kept for `IDEMPOTENCY_KEPT_MS` from here. */
  at: number;
}

/** The result of the first call with this key. */
export interface IdempotentRecord {
  fingerprint: string;
  /** Of schedules, or of a run. */
  ids: string[];
}

export interface IdempotencyStore {
  /** The result of a call with this key since `madeSince`, epoch ms; null: none is known. */
  find(clientRowId: number, key: string, madeSince: number): Promise<IdempotentRecord | null>;
  /** Deletes records of calls before this instant. @returns how many, bounded */
  prune(madeBefore: number): Promise<number>;
}
