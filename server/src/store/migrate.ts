import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PunctualError } from '../domain/errors.ts';

/**
 * Migrations: numbered SQL files, applied in order, each once, in one transaction with the number
 * that says so. A number, once released, never changes its meaning.
 */
export interface Migration {
  number: number;
  name: string;
  sql: string;
}

export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map((file, index) => {
      if (Number.parseInt(file, 10) !== index + 1) {
        throw new Error(`migration ${file} does not have the number ${index + 1}`);
      }
      return { number: index + 1, name: file, sql: readFileSync(join(folder, file), 'utf8') };
    });
}

/**
 * The migrations that a store at `version` still lacks.
 *
 * @throws PunctualError `store_newer` where a later Punctual has been at work: this one cannot know
 * what it would break
 */
export function pendingMigrations(migrations: Migration[], version: number): Migration[] {
  if (version > migrations.length) {
    throw new PunctualError(
      'store_newer',
      `The database is at version ${version}, and this Punctual knows versions up to ` +
        `${migrations.length}: start the newer Punctual that wrote it, or restore a backup.`,
    );
  }
  return migrations.slice(version);
}
