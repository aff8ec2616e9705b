import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One change of one file of server/src. */
export interface Patch {
  file: string;
  /** Must stand there, once. */
  find: string;
  replace: string;
}

export interface Copy {
  folder: string;
  /** Its `bin/punctual.js`. */
  bin: string;
  /**
   * Puts a bug into it.
   *
   * @returns takes it out again
   * @throws where a patch no longer fits: then the code has moved on, and the bug must be seeded anew
   */
  seed(patches: Patch[]): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../../../..');

/**
 * A copy of the sources with a bug in it: production code has no switches for tests.
 *
 * @param more folders to be copied besides, such as the tests
 * @throws where a patch no longer fits
 */
export async function copyWithBug(patches: Patch[], more: string[] = []): Promise<Copy> {
  const copy = await copyOfSources(more);
  try {
    await copy.seed(patches);
    return copy;
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

/** A copy of the sources as they are, for one bug after the other. @param more folders to be copied besides */
export async function copyOfSources(more: string[] = []): Promise<Copy> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'punctual-bug-')));
  for (const part of ['server/src', 'server/bin', 'client/src', ...more]) {
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  }
  for (const file of ['package.json', 'server/package.json', 'client/package.json']) {
    await cp(join(ROOT, file), join(folder, file));
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return {
    folder,
    bin: join(folder, 'server/bin/punctual.js'),
    seed: patches => seed(join(folder, 'server/src'), patches),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 30 }),
  };
}

async function seed(sources: string, patches: Patch[]): Promise<() => Promise<void>> {
  const files = [...new Set(patches.map(({ file }) => join(sources, file)))];
  const before = await Promise.all(files.map(path => readFile(path, 'utf8')));
  const takeOut = async () => {
    for (const [index, path] of files.entries()) await writeFile(path, before[index]!);
  };
  for (const patch of patches) await apply(sources, patch);
  return takeOut;
}

async function apply(sources: string, { file, find, replace }: Patch): Promise<void> {
  const path = join(sources, file);
  const text = await readFile(path, 'utf8');
  const count = text.split(find).length - 1;
  if (count !== 1) {
    throw new Error(
      `The bug cannot be seeded: this stands ${count} times in server/src/${file}, not once:\n${find}`,
    );
  }
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
}
