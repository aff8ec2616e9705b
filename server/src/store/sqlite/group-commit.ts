import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../clock.ts';
import { asStoreFault, storeFault } from './fault.ts';

/**
 * Group commit: writers of one turn of the event loop share one transaction and its one fsync.
 *
 * Guarantee: a resolved write is on disk (synchronous=FULL). A writer that throws takes back its own
 * changes and nobody else's; a commit that fails rejects all who were in it.
 *
 * Measured: one insert per transaction costs about 160 µs, mostly for the fsync. Shared by 100 writers, it is 8
 * µs each.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #path: string | null;
  readonly #last: (() => void)[] = [];
  readonly #after: (() => void)[] = [];
  #waiting: Write[] = [];
  /** Set while the last commit failed, until one succeeds. */
  failure: unknown = null;

  /** The instant of a write, epoch ms: writers read the clock some time before it. */
  readonly now: () => number;

  constructor(database: DatabaseSync, now = systemClock.now) {
    this.#database = database;
    this.now = now;
    this.#path = database.location();
  }

  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.flush());
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** Has `work` write once for all writes of a transaction, as its last part. */
  beforeCommit(work: () => void): void {
    this.#last.push(work);
  }

  /** Has `work` run once after each commit, before its writers are answered. */
  afterCommit(work: () => void): void {
    this.#after.push(work);
  }

  /** Commits what waits, at once. */
  flush(): void {
    const writes = this.#waiting;
    if (writes.length === 0) return;
    this.#waiting = [];
    let settle: (() => void)[];
    try {
      settle = this.#commit(writes);
      this.failure = null;
      for (const work of this.#after) work();
    } catch (cause) {
      this.failure = cause;
      this.#rollBack();
      const error = storeFault(cause, this.#path);
      settle = writes.map(write => () => write.reject(error));
    }
    for (const answer of settle) answer();
  }

  #commit(writes: Write[]): (() => void)[] {
    this.#database.exec('BEGIN IMMEDIATE');
    const settle = writes.map(write => this.#apply(write));
    for (const work of this.#last) work();
    this.#database.exec('COMMIT');
    return settle;
  }

  #apply({ work, resolve, reject }: Write): () => void {
    this.#database.exec('SAVEPOINT one');
    try {
      const value = work();
      this.#database.exec('RELEASE one');
      return () => resolve(value);
    } catch (error) {
      // A full disk may have ended the whole transaction: then all are rejected.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO one; RELEASE one');
      return () => reject(asStoreFault(error, this.#path));
    }
  }

  #rollBack(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}

interface Write {
  work: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
