import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Patch } from '../support/crash/mutate.ts';
import type { Mutant } from './list.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** From the place that is named to what stands there, so that it is there once. */
export async function patchOf({ name, file, within, find, replace }: Mutant): Promise<Patch> {
  const text = await readFile(join(SOURCES, file), 'utf8');
  const from = text.indexOf(within);
  const at = text.indexOf(find, from);
  if (from === -1 || at === -1 || text.indexOf(within, from + 1) !== -1) {
    throw new Error(`This mutant no longer fits server/src/${file}: ${name}`);
  }
  const before = text.slice(from, at);
  return { file, find: before + find, replace: before + replace };
}
