import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/**
 * A database that prepares a statement at its first use. A process that starts makes hundreds, and in a short life it
 * uses some of them.
 */
export class LazyDatabase extends DatabaseSync {
  override prepare(sql: string): StatementSync {
    return new LazyStatement(() => super.prepare(sql)) as unknown as StatementSync;
  }
}

class LazyStatement {
  readonly #prepare: () => StatementSync;
  #prepared: StatementSync | null = null;

  constructor(prepare: () => StatementSync) {
    this.#prepare = prepare;
  }

  get #statement(): StatementSync {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  run(...parameters: SQLInputValue[]) {
    return this.#statement.run(...parameters);
  }

  get(...parameters: SQLInputValue[]) {
    return this.#statement.get(...parameters);
  }

  all(...parameters: SQLInputValue[]) {
    return this.#statement.all(...parameters);
  }

  iterate(...parameters: SQLInputValue[]) {
    return this.#statement.iterate(...parameters);
  }

  setReturnArrays(enabled: boolean) {
    this.#statement.setReturnArrays(enabled);
  }
}
