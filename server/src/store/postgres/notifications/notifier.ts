import type { Query } from '../connection.ts';
import { CHANNEL, type Notification, notificationText } from './notification.ts';

/** Writes within this time share one notification. */
const GATHER_MS = 10;
/** Entries of one message, of each of its lists: NOTIFY takes 8,000 bytes at most. */
const MOST_ENTRIES = 70;

/** A notification need not be flushed to disk: https://www.postgresql.org/docs/current/sql-notify.html */
const NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

/**
 * Notifier: tells the other nodes about committed writes of this one.
 *
 * It does not notify in the transaction of the write. Such a transaction locks out all others that notify until
 * its commit is flushed, so creates would be written one by one (docs/decisions/0012-listen.md has the
 * figures). If a crash loses a notification, the other nodes find the rows by looking, as they do where nobody
 * can listen.
 */
export class Notifier {
  readonly #query: Query;
  readonly #node: string;
  #dueAt = Number.POSITIVE_INFINITY;
  #changed = new Map<string, number>();
  readonly #manual = new Set<string>();
  readonly #rotated = new Set<number>();
  #telling: Promise<void> | null = null;

  /** @param node who tells: it need not hear itself */
  constructor(query: Query, node: string) {
    this.#query = query;
    this.#node = node;
  }

  /** Rows of the queue were written; the first of them is due at `dueAt`. */
  due(dueAt: number): void {
    this.#dueAt = Math.min(this.#dueAt, dueAt);
    this.#tellSoon();
  }

  /** A schedule was changed at `changedAt`. */
  changed(id: string, changedAt: number): void {
    this.#changed.set(id, changedAt);
    this.#tellSoon();
  }

  /** A manual run of the schedule waits. */
  manual(id: string): void {
    this.#manual.add(id);
    this.#tellSoon();
  }

  /** A client signs with other secrets. */
  rotated(clientRowId: number): void {
    this.#rotated.add(clientRowId);
    this.#tellSoon();
  }

  /** Resolves when all is told. */
  async close(): Promise<void> {
    while (this.#telling) await this.#telling;
  }

  #tellSoon(): void {
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = null;
      if (!this.#isEmpty) this.#tellSoon();
    });
  }

  async #tell(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, GATHER_MS));
    const message = notificationText(this.#node, this.#take());
    // Nobody waits for it, and the others look by themselves.
    await this.#query(NOTIFY, [CHANNEL, message]).catch(() => {});
  }

  get #isEmpty(): boolean {
    return (
      this.#dueAt === Number.POSITIVE_INFINITY &&
      this.#changed.size === 0 &&
      this.#manual.size === 0 &&
      this.#rotated.size === 0
    );
  }

  #take(): Notification {
    const changed = [...this.#changed].slice(0, MOST_ENTRIES);
    for (const [id] of changed) this.#changed.delete(id);
    const manual = [...this.#manual].slice(0, MOST_ENTRIES);
    for (const id of manual) this.#manual.delete(id);
    const rotated = [...this.#rotated].slice(0, MOST_ENTRIES);
    for (const key of rotated) this.#rotated.delete(key);
    const notification: Notification = { changed, manual, rotated };
    if (this.#dueAt !== Number.POSITIVE_INFINITY) notification.dueAt = this.#dueAt;
    this.#dueAt = Number.POSITIVE_INFINITY;
    return notification;
  }
}
