import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { migrateSqlite } from '../../src/store/sqlite/open.ts';

/**
 * A database that prepares a statement at its first use, and once for all processes of a world. A process that starts makes
 * hundreds, and in a short life it uses some of them.
 */
export class LazyDatabase extends DatabaseSync {
  readonly #prepared = new Map<string, StatementSync>();
  readonly #functions = new Set<string>();

  override prepare(sql: string): StatementSync {
    return new LazyStatement(returnsArrays => {
      const key = `${returnsArrays} ${sql}`;
      let statement = this.#prepared.get(key);
      if (statement === undefined) {
        statement = super.prepare(sql);
        statement.setReturnArrays(returnsArrays);
        this.#prepared.set(key, statement);
      }
      return statement;
    }) as unknown as StatementSync;
  }

  /** Those of the store are the same in each process. A new one would have SQLite compile all statements again. */
  override function(name: string, ...rest: unknown[]): void {
    if (this.#functions.has(name)) return;
    this.#functions.add(name);
    super.function(name, ...(rest as [() => null]));
  }
}

let picture: Uint8Array | null = null;

/** In memory. Migrated once a process: a copy takes a fraction of a millisecond. */
export function emptyDatabase(): LazyDatabase {
  const database = new LazyDatabase(':memory:', { enableForeignKeyConstraints: false });
  if (picture === null) {
    migrateSqlite(database);
    picture = database.serialize();
  } else database.deserialize(picture);
  database.exec('PRAGMA temp_store = MEMORY');
  return database;
}

class LazyStatement {
  readonly #prepare: (returnsArrays: boolean) => StatementSync;
  #returnsArrays = false;
  #prepared: StatementSync | null = null;

  constructor(prepare: (returnsArrays: boolean) => StatementSync) {
    this.#prepare = prepare;
  }

  get #statement(): StatementSync {
    this.#prepared ??= this.#prepare(this.#returnsArrays);
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
    this.#returnsArrays = enabled;
  }
}
