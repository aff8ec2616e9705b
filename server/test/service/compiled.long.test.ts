import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { emptyFolder } from '../support/service/command.ts';

const NAME = `punctual-${process.getuid?.() ?? 'user'}`;

describe('what was compiled', () => {
  test('is kept for the next start, in a folder of its user alone', async context => {
    const folder = emptyFolder(context);
    assert.equal((await folder.run(['--version'], { TMPDIR: folder.path })).code, 0);
    const kept = join(folder.path, NAME);
    assert.equal(statSync(kept).mode & 0o777, 0o700);
    assert.ok(readdirSync(kept).length > 0);
  });

  test('is kept where the supervisor says', async context => {
    const folder = emptyFolder(context);
    const CACHE_DIRECTORY = join(folder.path, 'cache');
    await folder.run(['--version'], { TMPDIR: folder.path, CACHE_DIRECTORY });
    assert.ok(readdirSync(join(CACHE_DIRECTORY, NAME)).length > 0);
    assert.ok(!existsSync(join(folder.path, NAME)));
  });

  test('is never read from a folder that others can write to', async context => {
    const folder = emptyFolder(context);
    const shared = join(folder.path, NAME);
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    assert.equal((await folder.run(['--version'], { TMPDIR: folder.path })).code, 0);
    assert.deepEqual(readdirSync(shared), []);
  });

  test('is not missed where nothing can be written', async context => {
    const { code, err } = await emptyFolder(context).run(['--version'], { TMPDIR: '/dev/null/x' });
    assert.deepEqual([code, err], [0, '']);
  });
});
