import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { longTestFiles, slowTestFiles, testFileOf, unitTestFiles } from './unit-tests.ts';

/** `npm run test:unit`, `test:slow`, `test:long`, `test:one -- FILE` and `test:watch`: some of the tests. */

const ROOT = resolve(import.meta.dirname, '..');
const [command, ...typed] = process.argv.slice(2);
/** As `npm test` does. */
const SIDE_BY_SIDE = '--test-concurrency=3';
/** The long ones load the machine by themselves, and some of them judge times. */
const IN_TURN = '--test-concurrency=1';
const REPORTERS = [
  ['spec', 'stdout'],
  ['./scripts/slowest-files.ts', 'stdout'],
].flatMap(([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`]);

if (command === 'unit') run(unitTestFiles(), SIDE_BY_SIDE);
else if (command === 'slow') run(slowTestFiles(), SIDE_BY_SIDE, ...REPORTERS);
else if (command === 'long') run(longTestFiles(), IN_TURN, ...REPORTERS);
else if (command === 'one')
  run(named('npm run test:one -- server/test/domain/interval.test.ts'), SIDE_BY_SIDE);
else if (command === 'watch')
  run(typed.length === 0 ? unitTestFiles() : named(''), SIDE_BY_SIDE, '--watch');
else refuse(`There is no ${command}: it is unit, slow, long, one or watch.`);

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
  const { status } = spawnSync(process.execPath, ['--test', ...flags, ...files], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
