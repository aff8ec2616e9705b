/**
 * `npm run release -- X.Y.Z`: a release, as far as it can be made on one machine.
 *
 * It checks the version and its section in CHANGELOG.md, updates the version in all files, and
 * packs. Then it installs the packages in an empty folder and fires once. The operator commits,
 * tags and publishes the result by hand. If anything fails, the files are as before.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bumpTo, changesOf, refusedVersion } from './release-rules.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'release');

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: ROOT, stdio: 'inherit' });
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

const [version] = process.argv.slice(2);
const refused = refusedVersion(JSON.parse(read('package.json')).version, version);
if (refused !== null) refuse(refused);
const changes = changesOf(read('CHANGELOG.md'), version!);
if (changes === null) {
  refuse(
    `CHANGELOG.md says nothing under "## ${version}": call what is unreleased by its version.`,
  );
}
const dirty = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
if (dirty !== '') refuse('There are changes that are not committed: commit them first.');

try {
  run('npm', ...bumpTo(version!));
  run('npm', 'run', 'build');
  run('npm', 'run', 'openapi');
  mkdirSync(FOLDER, { recursive: true });
  run('node', 'scripts/try-packages.ts', FOLDER);
} catch (error) {
  run('git', 'checkout', '--quiet', '.');
  refuse(`The release was not made, and the files are as before: ${(error as Error).message}`);
}
process.stdout.write(`
${changes}

The packages of ${version} are in release/. Run these by hand:

  git commit -am 'release: make ${version}' && git tag v${version} && git push --follow-tags
  npm publish release/punctual-client-${version}.tgz --access public
  npm publish release/punctual-${version}.tgz
`);
