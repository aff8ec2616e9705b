import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  batchesOf,
  longTestFiles,
  quickTestFiles,
  testFileOf,
  unitTestFiles,
} from './test-files.ts';
import { runTests } from './test-runner.ts';

/** `npm test`, `npm run test:unit`, `test:long`, `test:one -- FILE` and `test:watch`: all or some of the tests. */

const ROOT = resolve(import.meta.dirname, '..');
const [command, ...typed] = process.argv.slice(2);
/** Many tests wait for a process or a database: one file more than there are cores. */
const SIDE_BY_SIDE = availableParallelism() + 1;
const QUICK = { concurrency: SIDE_BY_SIDE, testTimeoutMs: 240_000, processTimeoutMs: 480_000 };
/** The long ones load the machine by themselves. */
const LONG = { concurrency: 2, testTimeoutMs: 300_000, processTimeoutMs: 600_000 };

if (command === 'quick') await run(batchesOf(quickTestFiles()), QUICK);
else if (command === 'unit') await run(batchesOf(unitTestFiles()), QUICK);
else if (command === 'long') await run(alone(longTestFiles()), LONG);
else if (command === 'one') await run(alone(named()), LONG);
else if (command === 'watch') watch(typed.length === 0 ? unitTestFiles() : named());
else refuse(`There is no ${command}: it is quick, unit, long, one or watch.`);

function named(): string[] {
  if (typed.length === 0)
    refuse('Name a test file: npm run test:one -- server/test/domain/interval.test.ts');
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

function alone(files: string[]): string[][] {
  return files.map(file => [file]);
}

/** A long test that is named runs in its long form. */
function environmentOf(files: string[]): NodeJS.ProcessEnv {
  const isLong = files.some(file => file.endsWith('.long.test.ts'));
  return {
    ...process.env,
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
    ...(isLong && { PUNCTUAL_TEST_LONG: '1' }),
    // A test that runs tests is none of theirs.
    NODE_TEST_CONTEXT: undefined,
  };
}

async function run(batches: string[][], how: typeof QUICK): Promise<never> {
  const passed = await runTests({
    batches,
    cwd: ROOT,
    env: environmentOf(batches.flat()),
    write: text => process.stdout.write(text),
    ...how,
  });
  process.exit(passed ? 0 : 1);
}

function watch(files: string[]): never {
  const { status } = spawnSync(process.execPath, ['--test', '--watch', ...files], {
    cwd: ROOT,
    env: environmentOf(files),
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
