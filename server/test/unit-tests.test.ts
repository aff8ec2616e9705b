import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFileOf, testFiles, unitTestFiles } from '../../scripts/unit-tests.ts';

test('unit tests need no browser, no PostgreSQL and no process of their own', () => {
  const unit = new Set(unitTestFiles());
  for (const heavy of [
    'dashboard/test/story.test.ts',
    'server/test/store/postgres.test.ts',
    'server/test/service/cli.test.ts',
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

test('a test is named from the root of the project, or from where somebody stands', () => {
  const file = 'server/test/architecture.test.ts';
  assert.equal(testFileOf(file), file);
  assert.equal(testFileOf('architecture.test.ts', import.meta.dirname), file);
  assert.equal(testFileOf('server/test/no-such.test.ts'), null);
  assert.equal(testFileOf('package.json'), null);
});
