import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';
import { newSecretKey, parseSecretKeys } from './domain/access/envelope.ts';
import { PunctualError } from './domain/errors.ts';
import { isPassing } from './store/fault.ts';
import { makeFolder } from './store/folder.ts';

type Settings = Pick<Config, 'secretKeys' | 'database'>;

/**
 * The secret keys of the settings: those of PUNCTUAL_SECRET_KEY, of the file that
 * PUNCTUAL_SECRET_KEY_FILE names, or of `secret.key` beside an embedded database.
 *
 * @returns none where nothing is set and there is no such file
 * @throws PunctualError `setting_invalid` where the file cannot be read or holds something else
 */
export function readSecretKeys({ secretKeys: { keys, file }, database }: Settings): Buffer[] {
  if (keys.length > 0) return keys;
  const named = file !== '';
  const path = named ? file : besideOf(database);
  if (path === null) return [];
  try {
    return parseSecretKeys(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof PunctualError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // A path through a file has nothing beside it either; the store says so.
    if (!named && (code === 'ENOENT' || code === 'ENOTDIR')) return [];
    throw new PunctualError('setting_invalid', `The secret key cannot be read from ${path}.`, {
      cause: error,
    });
  }
}

/**
 * For `punctual dev`: creates a key beside the database at the first start. The caller must hold
 * the engine's lock.
 */
export function ensureSecretKey(settings: Settings): void {
  const { secretKeys, database } = settings;
  const path = besideOf(database);
  const isSet = secretKeys.keys.length > 0 || secretKeys.file !== '';
  if (isSet || path === null) return;
  if (!existsSync(path)) writeSecretFile(path, `${newSecretKey()}\n`);
}

/**
 * Writes a file that nobody else may read: all of it or, where the disk is full, nothing.
 *
 * @throws PunctualError `store_unavailable`, `setting_invalid`
 */
export function writeSecretFile(path: string, text: string): void {
  const part = `${path}.${process.pid}`;
  try {
    makeFolder(dirname(path));
    writeFileSync(part, text, { mode: 0o600, flush: true });
    renameSync(part, path);
  } catch (cause) {
    rmSync(part, { force: true });
    const code = isPassing(cause) ? 'store_unavailable' : 'setting_invalid';
    const why = (cause as Error).message;
    throw new PunctualError(code, `The file ${path} cannot be written: ${why}.`, { cause });
  }
}

function besideOf(database: Config['database']): string | null {
  const isFile = database.kind === 'sqlite' && database.path !== ':memory:';
  return isFile ? join(dirname(database.path), 'secret.key') : null;
}
