/**
 * Makes of a workspace what its package consists of, before npm packs it (`npm pack -w server -w client`).
 *
 * The client is compiled. The service is compiled too, and brings what it depends on: exactly the versions that
 * the tests ran with, only the modules that are used, and their licences (decision 0021).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { commit } from '../server/src/version.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVER = join(ROOT, 'server');
const SOURCES = join(SERVER, 'src');
const BUILT = join(SERVER, 'dist');

/** Installed as they are: files of the one are served, and the other looks for what may not be there. */
const INSTALLED = ['@fastify/swagger-ui', 'pg'];
/** Read at run time, beside the module that reads them. */
const READ = ['store/postgres/migrations', 'store/sqlite/migrations'];

function run(command: string, ...args: string[]): void {
  // npm counts what its scripts print as the answer of `npm pack`.
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', process.stderr, process.stderr] });
}

function compile(workspace: string): void {
  rmSync(join(ROOT, workspace, 'dist'), { recursive: true, force: true });
  run('tsc', '-p', `${workspace}/tsconfig.package.json`);
  cpSync(join(ROOT, 'LICENSE'), join(ROOT, workspace, 'LICENSE'));
}

async function packageServer(): Promise<void> {
  // The declarations name the client's.
  compile('client');
  compile('server');
  await bundle();
  for (const folder of READ) {
    cpSync(join(SOURCES, folder), join(BUILT, folder), { recursive: true });
  }
  if (!existsSync(join(ROOT, 'dashboard/dist/index.html'))) run('npm', 'run', 'build');
  cpSync(join(ROOT, 'dashboard/dist'), join(BUILT, 'dashboard'), { recursive: true });
  writeFileSync(
    join(BUILT, 'built-from.json'),
    `${JSON.stringify({ commit: process.env.COMMIT || commit() })}\n`,
  );
}

/** A module of ours stays a file of its own, with its map; what we depend on goes to `vendor.js`. */
async function bundle(): Promise<void> {
  const modules = globSync('**/*.ts', { cwd: SOURCES });
  const bundled = await rolldown({
    input: Object.fromEntries(
      modules.map(module => [module.replace(/\.ts$/, ''), join(SOURCES, module)]),
    ),
    platform: 'node',
    external: [/^node:/, ...INSTALLED],
    logLevel: 'warn',
  });
  const { output } = await bundled.write({
    dir: BUILT,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [
        // Loaded only where traces are asked for.
        { name: 'vendor-opentelemetry', test: /node_modules\/@opentelemetry/, priority: 2 },
        // Loaded only where tokens are signed.
        { name: 'vendor-jose', test: /node_modules\/jose\//, priority: 2 },
        // All that the threads need which send.
        { name: 'vendor-sending', test: /node_modules\/(undici|lru-cache)\//, priority: 2 },
        { name: 'vendor', test: /node_modules/, priority: 1 },
      ],
    },
  });
  const used = output.flatMap(chunk => ('modules' in chunk ? Object.keys(chunk.modules) : []));
  writeLicences(new Set(used.flatMap(packageOf)));
  // A map of what is not ours would be three times as large as the code.
  for (const map of globSync('vendor*.map', { cwd: BUILT })) rmSync(join(BUILT, map));
}

/** @returns the folder of the package that a module is of; none where the module is ours */
function packageOf(module: string): string[] {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module) ?? [];
  return folder === undefined ? [] : [folder];
}

function writeLicences(folders: Set<string>): void {
  const texts = [...folders].sort().map(folder => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const [file] = globSync('{LICENSE,LICENCE,license,licence}*', { cwd: folder }).sort();
    const text =
      file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8');
    return `## ${name} ${version}\n\n${text.trim()}\n`;
  });
  const head = '# What this package contains of others, and their licences\n';
  writeFileSync(join(SERVER, 'THIRD-PARTY.md'), [head, ...texts].join('\n'));
}

if (process.argv[2] === 'server') await packageServer();
else compile('client');
