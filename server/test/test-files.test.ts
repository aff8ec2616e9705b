import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import {
  batchesOf,
  longTestFiles,
  quickTestFiles,
  testFileOf,
  testFiles,
  unitTestFiles,
} from '../../scripts/test-files.ts';

test('unit tests need no browser, no PostgreSQL and no process of their own', () => {
  const unit = new Set(unitTestFiles());
  for (const heavy of [
    'dashboard/test/story.test.ts',
    'server/test/store/postgres.test.ts',
    'server/test/service/serve.test.ts',
    'server/test/crash/crash.test.ts',
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
    'server/test/store/postgres-oldest.long.test.ts',
    'server/test/sim/seeds.test.ts',
    'server/test/store/sqlite.test.ts',
  ]) {
    assert.ok(long.has(file), file);
  }
  assert.ok(!long.has('server/test/domain/interval.test.ts'));
});

test('each test file is of `npm test` or of the long run, and none is twice in one of them', () => {
  const [quick, long] = [quickTestFiles(), longTestFiles()];
  for (const files of [quick, long]) assert.equal(new Set(files).size, files.length);
  assert.deepEqual([...new Set([...quick, ...long])].sort(), testFiles());
  assert.deepEqual(
    quick.filter(file => file.endsWith('.long.test.ts')),
    [],
  );
});

test('files share a process with some of their folder, and those of a service do not', () => {
  const quick = quickTestFiles();
  const batches = batchesOf(quick);
  assert.deepEqual(batches.flat().toSorted(), quick.toSorted());
  for (const batch of batches) {
    assert.ok(batch.length <= 12);
    assert.equal(new Set(batch.map(file => dirname(file))).size, 1);
  }
  assert.ok(batches.length < quick.length / 2);
  const alone = batches.filter(({ length }) => length === 1).flat();
  for (const file of ['server/test/service/serve.test.ts', 'server/test/store/postgres.test.ts'])
    assert.ok(alone.includes(file), file);
});

test('those that start processes begin before all others', () => {
  const quick = quickTestFiles().filter(file => !file.startsWith('server/test/sim/'));
  const unit = new Set(unitTestFiles());
  const first = quick.findIndex(file => unit.has(file));
  assert.ok(first > 0);
  assert.deepEqual(
    quick.slice(first).filter(file => !unit.has(file)),
    [],
  );
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
