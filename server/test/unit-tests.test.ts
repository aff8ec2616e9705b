import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  longTestFiles,
  slowTestFiles,
  testFileOf,
  testFiles,
  unitTestFiles,
} from '../../scripts/unit-tests.ts';

test('unit tests need no browser, no PostgreSQL and no process of their own', () => {
  const unit = new Set(unitTestFiles());
  for (const heavy of [
    'dashboard/test/story.slow.test.ts',
    'server/test/store/postgres.slow.test.ts',
    'server/test/service/cli.slow.test.ts',
    'server/test/crash/crash.slow.test.ts',
    'server/test/store/flat.long.test.ts',
  ]) {
    assert.ok(testFiles().includes(heavy), `${heavy} is no test any more`);
    assert.ok(!unit.has(heavy), heavy);
  }
  for (const light of [
    'server/test/domain/interval.test.ts',
    'server/test/store/sqlite.test.ts',
    'server/test/architecture.test.ts',
  ]) {
    assert.ok(unit.has(light), light);
  }
});

test('a long run takes the long files, and those of which a part or a longer form waits for it', () => {
  const long = new Set(longTestFiles());
  for (const file of [
    'server/test/store/flat.long.test.ts',
    'server/test/crash/crash.slow.test.ts',
    'server/test/store/postgres.slow.test.ts',
  ]) {
    assert.ok(long.has(file), file);
  }
  assert.ok(!long.has('server/test/domain/interval.test.ts'));
});

test('each test file is of `npm test`, of the slow run or of the long one', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [, quickFiles] = /'([^']+)'$/.exec(scripts.test)!;
  const quick = globSync(quickFiles!);
  const [slow, long] = [slowTestFiles(), longTestFiles()];
  assert.ok(slow.includes('server/test/service/serve.slow.test.ts'));
  assert.deepEqual(
    quick.filter(file => slow.includes(file)),
    [],
  );
  assert.deepEqual([...new Set([...quick, ...slow, ...long])].sort(), testFiles());
});

test('only one file reads the setting of a long run, so that no file of such a run is overlooked', () => {
  const readers = globSync('{server,client,dashboard}/test/**/*.ts').filter(file =>
    /env\.PUNCTUAL_TEST_LONG/.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(readers, ['server/test/support/long.ts']);
});

test('a test is named from the root of the project, or from where somebody stands', () => {
  const file = 'server/test/architecture.test.ts';
  assert.equal(testFileOf(file), file);
  assert.equal(testFileOf('architecture.test.ts', import.meta.dirname), file);
  assert.equal(testFileOf('server/test/no-such.test.ts'), null);
  assert.equal(testFileOf('package.json'), null);
});
