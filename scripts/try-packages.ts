/**
 * Packs both packages, installs them in an empty folder as somebody outside would, and fires once.
 *
 * Three ways of installing, and npx without any; the machine's own Node (20 or newer), not the one of this checkout. Run as root,
 * it becomes a user without rights for all of it. It ends with 1 at the first thing that is not as promised.
 * `--smoke` tries the first way alone. The packages are left in the folder that it is given, if any.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const NOBODY = 65_534;
const MOST_MB = 250;
const FIRST_FIRING_MS = 60_000;

const OTHER_WAYS: Record<string, Record<string, string>> = {
  'scripts off': { npm_config_ignore_scripts: 'true' },
  production: { NODE_ENV: 'production' },
};

/** A program as a user of the client writes it; it runs on the Node of the machine. */
const FIRE = `
import { PunctualClient } from '@punctual/client';
const { url, clientId, apiKey } = JSON.parse(process.argv[2]);
const client = new PunctualClient({ baseUrl: url, clientId, apiKey });
const { id } = await client.createSchedule({
  url: url + '/echo', verb: 'POST', interval: '* * * * * *', timezone: 'UTC', data: { hello: 'world' },
});
for (const page of ['/', '/docs', '/openapi.json']) {
  const { status } = await fetch(url + page);
  if (status !== 200) throw new Error(page + ' answers ' + status);
}
for (let look = 0; look < 100; look++) {
  const { items } = await client.listRuns({ scheduleId: id, status: 'succeeded' });
  if (items.length > 0) {
    console.log('node ' + process.versions.node + ': ' + items[0].scheduledFor + ' fired');
    process.exit(0);
  }
  await new Promise(resolve => setTimeout(resolve, 100));
}
throw new Error('Nothing fired within 10 s.');
`;

const {
  values: { smoke: isSmoke },
  positionals: [kept],
} = parseArgs({
  options: { smoke: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folder = await mkdtemp(join(tmpdir(), 'punctual-packages-'));
await chmod(folder, 0o755);
try {
  await run('npm', ['pack', '-w', 'server', '-w', 'client', '--pack-destination', folder], {
    cwd: ROOT,
    env: process.env,
  });
  await tryWay('plain', {});
  if (!isSmoke) {
    for (const [name, environment] of Object.entries(OTHER_WAYS)) await tryWay(name, environment);
    await tryNpx();
  }
  if (kept !== undefined) {
    for (const file of await tarballs()) await cp(join(folder, file), join(kept, file));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tryWay(name: string, more: Record<string, string>): Promise<void> {
  const startedAt = Date.now();
  const place = join(folder, name.replace(' ', '-'));
  await mkdir(join(place, 'home'), { recursive: true });
  const packed = await tarballs();
  for (const file of packed) await cp(join(folder, file), join(place, file));
  await writeFile(join(place, 'package.json'), '{ "type": "module", "private": true }\n');
  await writeFile(join(place, 'fire.js'), FIRE);
  for (const file of ['', 'home', 'package.json', 'fire.js', ...packed])
    await own(join(place, file));

  const options = { cwd: place, env: { ...outside(join(place, 'home')), ...more } };
  await run(
    'npm',
    ['install', '--no-audit', '--no-fund', ...packed.map(file => `./${file}`)],
    options,
  );
  await run('npm', ['ls', '--all'], options);
  const kilobytes = Number.parseInt(await run('du', ['-sk', 'node_modules'], options), 10);
  assert.ok(kilobytes < MOST_MB * 1_024, `${name}: ${kilobytes} KB are installed`);
  const told = await run('node_modules/.bin/punctual', ['--version'], options);
  const version = /^punctual-(.*)\.tgz$/.exec(packed[0]!)![1]!;
  assert.match(told, /^\S+ \([0-9a-f]{7}\)\n$/);
  assert.equal(told.split(' ')[0], version);
  await fireOnce(['node_modules/.bin/punctual'], options);
  const seconds = (Date.now() - startedAt) / 1_000;
  assert.ok(seconds * 1_000 < FIRST_FIRING_MS, `${name}: the first firing came after ${seconds} s`);
  const megabytes = Math.round(kilobytes / 1_024);
  process.stdout.write(
    `${name}: installed and fired in ${seconds.toFixed(1)} s, ${megabytes} MB\n`,
  );
}

/** As README starts it, in a folder that has nothing but the package; the client stands elsewhere. */
async function tryNpx(): Promise<void> {
  const startedAt = Date.now();
  const place = join(folder, 'npx');
  const [packed] = await tarballs();
  await mkdir(join(place, 'home'), { recursive: true });
  await cp(join(folder, packed!), join(place, packed!));
  for (const file of ['', 'home', packed!]) await own(join(place, file));
  // npx hands no signal on, so it is stopped as a terminal does it: the whole group is.
  const options = { cwd: place, env: outside(join(place, 'home')), detached: true };
  await fireOnce(['npx', '--yes', `./${packed}`], options, join(folder, 'plain'));
  process.stdout.write(`npx: fired after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}

async function tarballs(): Promise<string[]> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'server/package.json'), 'utf8'));
  return [`punctual-${version}.tgz`, `punctual-client-${version}.tgz`];
}

/** Starts `punctual dev`, lets the client of a folder make a schedule, and stops it by SIGTERM. */
async function fireOnce(
  [command, ...before]: string[],
  options: SpawnOptions,
  ofClient = options.cwd,
): Promise<void> {
  const service = spawn(command!, [...before, 'dev', '--json'], {
    ...options,
    ...identity(),
    env: { ...options.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const credentials = await firstLine(service);
    process.stdout.write(
      await run('node', ['fire.js', credentials], { ...options, cwd: ofClient }),
    );
    const ended = new Promise<unknown[]>(resolve =>
      service.once('exit', (code, signal) => resolve([code, signal])),
    );
    if (options.detached) process.kill(-service.pid!, 'SIGTERM');
    else service.kill('SIGTERM');
    const [code] = await Promise.race([ended, sleep(20_000, ['it did not stop'])]);
    assert.equal(code, options.detached ? null : 0);
  } finally {
    service.kill('SIGKILL');
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let read = '';
  for await (const chunk of stdout!) {
    read += chunk;
    if (read.includes('\n')) return read.slice(0, read.indexOf('\n'));
  }
  throw new Error(`The service ended before it said anything: ${read}`);
}

async function run(command: string, args: string[], options: SpawnOptions): Promise<string> {
  const child = spawn(command, args, {
    ...options,
    ...(options.cwd === ROOT ? {} : identity()),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error, code] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    new Promise<number | null>(resolve => child.once('close', resolve)),
  ]);
  assert.equal(code, 0, `${[command, ...args].join(' ')} ended with ${code}:\n${out}\n${error}`);
  return out;
}

function identity(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}

async function own(path: string): Promise<void> {
  const { uid, gid } = identity();
  if (uid !== undefined) await chown(path, uid, gid!);
}

/** Nothing of this checkout: neither its Node nor what npm tells its scripts. */
function outside(home: string): Record<string, string> {
  const path = process.env
    .PATH!.split(delimiter)
    .filter(folder => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))
    .join(delimiter);
  return { PATH: path, HOME: home };
}
