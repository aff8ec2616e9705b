import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { endChildren } from './child.ts';

/**
 * Gives each test of a file a folder, which goes with it. The processes that the test has started end before.
 *
 * @param begin gets the folder, and the path of a database in it that is not there yet
 */
export function inOwnFolder(begin: (folder: string, path: string) => void): void {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'punctual-'));
    begin(folder, join(folder, 'punctual.db'));
  });
  afterEach(() => {
    endChildren();
    rmSync(folder, { recursive: true });
  });
}
