import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bumpTo, changesOf, refusedVersion } from '../../scripts/release-rules.ts';
import { commit, VERSION } from '../src/version.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['', 'client', 'server', 'dashboard'];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('the version', () => {
  test('is one: of all packages, of the lock, and of the document of the API', () => {
    for (const file of ['package.json', 'client/package.json', 'dashboard/package.json']) {
      assert.equal(JSON.parse(read(file)).version, VERSION, file);
    }
    const { packages } = JSON.parse(read('package-lock.json'));
    for (const folder of FOLDERS) {
      assert.equal(packages[folder].version, VERSION, `package-lock.json, ${folder}`);
    }
    assert.equal(JSON.parse(read('server/openapi.json')).info.version, VERSION);
  });

  test('is written everywhere by a release, without a look at the registry', context => {
    const copy = mkdtempSync(join(tmpdir(), 'punctual-release-'));
    context.after(() => rmSync(copy, { recursive: true, force: true }));
    const manifests = FOLDERS.map(folder => join(folder, 'package.json'));
    for (const file of [...manifests, 'package-lock.json'])
      cpSync(join(ROOT, file), join(copy, file));
    // Its cache is empty too.
    const env = { ...process.env, npm_config_cache: join(copy, 'cache') };
    execFileSync('npm', bumpTo('99.0.0'), { cwd: copy, env, stdio: 'pipe' });
    const written = (file: string) => JSON.parse(readFileSync(join(copy, file), 'utf8'));
    for (const file of manifests) assert.equal(written(file).version, '99.0.0', file);
    const { packages } = written('package-lock.json');
    for (const folder of FOLDERS)
      assert.equal(packages[folder].version, '99.0.0', `lock, ${folder}`);
  });

  test('of a checkout comes with its commit', () => {
    assert.match(commit() ?? '0000000', /^[0-9a-f]{7,}$/);
  });

  test('of an archive in the repository of something else names no commit', async context => {
    const other = mkdtempSync(join(tmpdir(), 'punctual-release-'));
    context.after(() => rmSync(other, { recursive: true, force: true }));
    const git = (...args: string[]) => execFileSync('git', args, { cwd: other, stdio: 'pipe' });
    git('init');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--allow-empty', '-m', 'other');
    const archive = join(other, 'punctual');
    for (const file of ['server/package.json', 'server/src/version.ts']) {
      cpSync(join(ROOT, file), join(archive, file));
    }
    const { commit } = await import(pathToFileURL(join(archive, 'server/src/version.ts')).href);
    assert.equal(commit(), null);
  });
});

describe('a release', () => {
  for (const next of ['0.1.1', '0.2.0', '1.0.0', '0.10.0']) {
    test(`${next} follows 0.1.0`, () => assert.equal(refusedVersion('0.1.0', next), null));
  }

  for (const [next, sentence] of [
    ['0.1.0', '0.1.0 does not come after 0.1.0.'],
    ['0.0.9', '0.0.9 does not come after 0.1.0.'],
    ['v1.0.0', /is not a version/],
    ['1.0', /is not a version/],
    ['1.0.0-rc.1', /is not a version/],
    ['01.0.0', /is not a version/],
    [undefined, /npm run release -- 1\.2\.3/],
  ] as const) {
    test(`${next} does not, and the sentence says why`, () => {
      assert.match(refusedVersion('0.1.0', next)!, new RegExp(sentence));
    });
  }

  test('is described in the changelog under its own heading', () => {
    const changelog =
      '# Changelog\n\n## 1.2.0 (2026-11-23)\n\n- This.\n\n## 1.1.0\n\n## 1.0.0\n\n- That.\n';
    assert.equal(changesOf(changelog, '1.2.0'), '- This.');
    assert.equal(changesOf(changelog, '1.0.0'), '- That.');
    assert.equal(changesOf(changelog, '1.1.0'), null, 'an empty section says nothing');
    assert.equal(changesOf(changelog, '1.2'), null);
    assert.equal(changesOf(changelog, '2.0.0'), null);
  });
});
