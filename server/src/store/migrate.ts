import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PunctualError } from '../domain/errors.ts';

/**
 * Migrations: numbered SQL files, applied in order, each once, in one transaction with the number
 * that says so. A number, once released, never changes its meaning.
 *
 * One that only expands (docs/scaling.md, "Upgrade without down time") says so in its first line,
 * `-- Works with: 3`: a Punctual that knows no later one than the third still works on what it makes.
 */
export interface Migration {
  number: number;
  name: string;
  sql: string;
  /** The oldest version whose Punctual works beside it; its own number where it says nothing. */
  worksWith: number;
}

/** The schema version of a store. */
export interface Version {
  version: number;
  /** The oldest version whose Punctual works on it. */
  worksWith: number;
}

export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map((file, index) => {
      if (Number.parseInt(file, 10) !== index + 1) {
        throw new Error(`migration ${file} does not have the number ${index + 1}`);
      }
      const sql = readFileSync(join(folder, file), 'utf8');
      return { number: index + 1, name: file, sql, worksWith: worksWith(sql) ?? index + 1 };
    });
}

function worksWith(sql: string): number | null {
  const said = /^-- Works with: (\d+)$/m.exec(sql.slice(0, sql.indexOf('\n')))?.[1];
  return said === undefined ? null : Number(said);
}

/**
 * The migrations that a store still lacks; none where a later Punctual has only expanded it.
 *
 * @throws PunctualError `store_newer` where a later Punctual has made it another one: this one cannot
 * know what it would break
 */
export function pendingMigrations(
  migrations: Migration[],
  { version, worksWith }: Version,
): Migration[] {
  if (worksWith > migrations.length) {
    throw new PunctualError(
      'store_newer',
      `The database is at version ${version}, and this Punctual knows versions up to ` +
        `${migrations.length}: start the newer Punctual that wrote it, or restore a backup.`,
    );
  }
  return migrations.slice(version);
}
