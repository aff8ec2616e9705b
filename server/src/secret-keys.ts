import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from './config.ts';
import { newSecretKey, parseSecretKeys } from './domain/envelope.ts';
import { PunctualError } from './domain/errors.ts';

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
    if (!named && code === 'ENOENT') return [];
    throw new PunctualError('setting_invalid', `The secret key cannot be read from ${path}.`, {
      cause: error,
    });
  }
}

/** For `punctual dev`: a key of its own beside the database, made at the first start. */
export function ensureSecretKey(settings: Settings): void {
  const { secretKeys, database } = settings;
  const path = besideOf(database);
  const isSet = secretKeys.keys.length > 0 || secretKeys.file !== '';
  if (isSet || path === null) return;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, `${newSecretKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function besideOf(database: Config['database']): string | null {
  const isFile = database.kind === 'sqlite' && database.path !== ':memory:';
  return isFile ? join(dirname(database.path), 'secret.key') : null;
}
