import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, where they are not there.
 *
 * `recursive` of `mkdirSync` tries for ever where a folder says of what it refuses that it is missing, as those in
 * `/proc` do.
 *
 * @throws the system's error of the first folder that cannot be made
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else has made it in this moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
