import type { DatabaseSync } from 'node:sqlite';
import { asStoreFault } from './fault.ts';

/**
 * Readers of one turn of the event loop share one look at the database, and are answered together.
 *
 * Guarantee: the look begins after the last of them asked, so each sees every write that was
 * acknowledged before it did. A reader that throws fails alone.
 *
 * Measured: a read of one row by itself takes and gives back SQLite's locks, four system calls of its 4.5 µs;
 * shared it is 2.4 µs. Besides, answers leave together. An answer that finds its reader asleep costs 10 µs for
 * waking it.
 */
export class GroupRead {
  readonly #begin: () => unknown;
  readonly #end: () => unknown;
  #waiting: Read[] = [];

  constructor(database: DatabaseSync) {
    const begin = database.prepare('BEGIN');
    const end = database.prepare('COMMIT');
    this.#begin = () => begin.run();
    this.#end = () => end.run();
  }

  /** @param look one statement: a lonely one needs no transaction */
  read<T>(look: () => T): Promise<T> {
    return this.#ask(look, false);
  }

  /** @param look several statements, which all see the same state */
  readWhole<T>(look: () => T): Promise<T> {
    return this.#ask(look, true);
  }

  #ask<T>(look: () => T, isWhole: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.flush());
      this.#waiting.push({ look, isWhole, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** Answers who waits, at once. */
  flush(): void {
    const reads = this.#waiting;
    if (reads.length === 0) return;
    this.#waiting = [];
    try {
      if (reads.length > 1 || reads[0]!.isWhole) this.#together(reads);
      else for (const read of reads) answer(read);
    } catch (error) {
      // The database is closed, or cannot be read: who was answered before stays answered.
      for (const { reject } of reads) reject(asStoreFault(error));
    }
  }

  #together(reads: Read[]): void {
    this.#begin();
    try {
      for (const read of reads) answer(read);
    } finally {
      this.#end();
    }
  }
}

function answer({ look, resolve, reject }: Read): void {
  try {
    resolve(look());
  } catch (error) {
    reject(asStoreFault(error));
  }
}

interface Read {
  look: () => unknown;
  isWhole: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
