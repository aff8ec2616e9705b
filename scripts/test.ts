import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { testFileOf, unitTestFiles } from './unit-tests.ts';

/** `npm run test:unit`, `test:one -- FILE` and `test:watch`: some of the tests, as `npm test` runs them. */

const ROOT = resolve(import.meta.dirname, '..');
const [command, ...typed] = process.argv.slice(2);

if (command === 'unit') run(unitTestFiles());
else if (command === 'one') run(named('npm run test:one -- server/test/domain/interval.test.ts'));
else if (command === 'watch') run(typed.length === 0 ? unitTestFiles() : named(''), '--watch');
else refuse(`There is no ${command}: it is unit, one or watch.`);

function named(example: string): string[] {
  if (typed.length === 0) refuse(`Name a test file: ${example}`);
  return typed.map(
    file =>
      testFileOf(file, process.env.INIT_CWD) ??
      refuse(`There is no test file ${file}: its name ends in .test.ts.`),
  );
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** A long test that is named runs in its long form. */
function run(files: string[], ...flags: string[]): void {
  const isLong = files.some(file => file.endsWith('.long.test.ts'));
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
    ...(isLong && { PUNCTUAL_TEST_LONG: '1' }),
    // A test that runs tests is none of theirs.
    NODE_TEST_CONTEXT: undefined,
  };
  const { status } = spawnSync(
    process.execPath,
    ['--test', '--test-concurrency=3', ...flags, ...files],
    {
      cwd: ROOT,
      env,
      stdio: 'inherit',
    },
  );
  process.exit(status ?? 1);
}
