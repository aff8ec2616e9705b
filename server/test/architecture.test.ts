import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

/** The import law of docs/architecture.md. */

const SOURCE = join(import.meta.dirname, '../src');

/**
 * What each room may import besides itself: rooms, single files, packages. A room is a folder without the rooms in
 * it; with `/**` it is meant with them.
 */
const LAW: Record<string, string[]> = {
  domain: ['node:crypto'],
  'domain/calendar/zones': ['domain'],
  'domain/calendar/exclusion': ['domain', 'domain/calendar/zones'],
  'domain/calendar/cron': ['domain', 'domain/calendar/zones'],
  'domain/calendar': [
    'domain',
    'domain/calendar/zones',
    'domain/calendar/exclusion',
    'domain/calendar/cron',
    'lru-cache',
    'node:crypto',
  ],
  'domain/destination': ['domain'],
  'domain/destination/draft': ['domain', 'domain/destination', 'domain/schedule', 'node:crypto'],
  'domain/schedule': ['domain', 'domain/calendar/**', 'domain/destination'],
  'domain/run': ['domain', 'domain/calendar/**', 'domain/schedule'],
  'domain/access': ['domain', 'node:crypto'],
  'store/contract': ['domain/**'],
  'store/column-kinds.ts': ['domain/**'],
  'store/columns.ts': ['domain/**', 'store/column-kinds.ts', 'store/contract'],
  'store/rows': ['domain/**', 'store/columns.ts', 'store/contract'],
  'store/transfer': ['domain', 'store/columns.ts', 'node:crypto'],
  store: ['domain/**', 'store/contract', 'store/rows', 'node:fs', 'node:path', 'lru-cache'],
  'store/open.ts': ['domain', 'store/**', 'node:fs', 'node:path'],
  'store/postgres': [
    'domain/**',
    'store',
    'store/columns.ts',
    'store/contract',
    'store/rows',
    'store/transfer',
    'node:path',
    'node:timers/promises',
    'pg',
  ],
  'store/sqlite': [
    'domain/**',
    'clock.ts',
    'store',
    'store/columns.ts',
    'store/contract',
    'store/rows',
    'store/transfer',
    'node:fs',
    'node:fs/promises',
    'node:os',
    'node:path',
    'node:sqlite',
    'lru-cache',
  ],
  'store/sqlite/worker': [
    'domain/**',
    'store',
    'store/contract',
    'store/sqlite',
    'node:path',
    'node:worker_threads',
  ],
  expansion: ['domain/**', 'node:path', 'node:worker_threads'],
  outbound: ['domain/**', 'clock.ts', 'version.ts', 'undici', 'lru-cache', 'node:*'],
  'engine/fairness': ['domain/**', 'clock.ts', 'engine', 'store/contract', 'lru-cache'],
  'engine/services': ['domain/**', 'clock.ts', 'engine', 'store/contract', 'outbound'],
  'engine/identity': ['domain/**', 'clock.ts', 'store/contract', 'outbound', 'lru-cache'],
  'engine/delivery': [
    'domain/**',
    'clock.ts',
    'engine',
    'engine/identity',
    'engine/fairness',
    'engine/services',
    'store/contract',
    'outbound',
  ],
  engine: ['domain/**', 'clock.ts', 'engine/**', 'store/contract', 'outbound'],
  'api/http': ['domain/**', 'api/deps.ts', 'fastify*', 'node:*'],
  'api/access': [
    'node:crypto',
    'domain/**',
    'clock.ts',
    'api/http',
    'store/contract',
    'fastify*',
    'cookie',
    'lru-cache',
  ],
  'api/openapi': [
    'domain/**',
    'api/access',
    'version.ts',
    '@punctual/client',
    '@fastify/*',
    'fastify*',
    'typebox',
  ],
  'api/stats': [
    'node:timers/promises',
    'domain/**',
    'clock.ts',
    'api',
    'api/http',
    'store/contract',
    '@punctual/client',
    'lru-cache',
  ],
  'api/board': [
    'domain/**',
    'clock.ts',
    'api',
    'api/http',
    'api/stats',
    'store/contract',
    '@punctual/client',
    'lru-cache',
  ],
  'api/events': ['domain/**', 'clock.ts', 'api', 'store/contract', '@punctual/client', 'node:http'],
  api: [
    'domain/**',
    'clock.ts',
    'sample-targets.ts',
    'api/**',
    'store/contract',
    '@punctual/client',
    'fastify*',
    '@fastify/*',
    'pino',
    'node:*',
  ],
  cli: [
    'domain/**',
    'clock.ts',
    'config.ts',
    'service.ts',
    'telemetry/telemetry.ts',
    'secret-keys.ts',
    'setting-checks.ts',
    'store/data-keys.ts',
    'store/encrypt-all.ts',
    'store/encrypted.ts',
    'store/issuer.ts',
    'store/open.ts',
    'store/contract',
    'version.ts',
    'doctor.ts',
    'outbound/send.ts',
    'outbound/fault.ts',
    'sample-targets.ts',
    'commander',
    'pino',
    'node:*',
  ],
  'sample-targets.ts': [],
  'clock.ts': ['node:fs', 'node:os', 'node:zlib'],
  'config.ts': ['domain/schedule', 'setting-checks.ts', 'store/open.ts'],
  'setting-checks.ts': ['domain/**', 'store/open.ts'],
  'sending.ts': [
    'clock.ts',
    'config.ts',
    'outbound',
    'store/contract',
    'telemetry/tracing.ts',
    'node:*',
  ],
  'issuing.ts': [
    'domain/access',
    'api/deps.ts',
    'clock.ts',
    'config.ts',
    'engine/identity',
    'outbound/send.ts',
    'secret-keys.ts',
    'store',
    'store/contract',
  ],
  'completing.ts': ['domain/access', 'config.ts', 'engine', 'store', 'store/contract'],
  'pausing.ts': ['domain/run', 'engine', 'api/deps.ts', 'store/contract', 'pino'],
  'dashboard-folder.ts': ['node:fs', 'node:path'],
  'descriptors.ts': ['config.ts', 'node:fs'],
  'findings.ts': [],
  'doctor.ts': [
    'clock.ts',
    'config.ts',
    'dashboard-folder.ts',
    'descriptors.ts',
    'findings.ts',
    'secret-keys.ts',
    'zoneinfo.ts',
    'store/encrypted.ts',
    'store/open.ts',
    'store/contract',
    'node:*',
  ],
  'follow-zone-rules.ts': [
    'domain/calendar/**',
    'domain/schedule',
    'clock.ts',
    'store/contract',
    'pino',
  ],
  'await-store.ts': ['domain', 'pino', 'node:*'],
  'listen.ts': [
    'domain',
    'api',
    'config.ts',
    'clock.ts',
    'store/contract',
    'telemetry/telemetry.ts',
    'fastify',
    'pino',
    'node:*',
  ],
  'secret-keys.ts': ['domain', 'domain/access', 'config.ts', 'store', 'node:*'],
  'ensure-credentials.ts': [
    'domain',
    'domain/access',
    'clock.ts',
    'config.ts',
    'store/contract',
    'pino',
  ],
  telemetry: [
    'domain/**',
    'clock.ts',
    'engine/observer.ts',
    'api/deps.ts',
    'store/contract',
    'version.ts',
    'pino',
    'prom-client',
  ],
  'telemetry/tracing.ts': [
    'domain/run',
    'outbound/send.ts',
    'store/contract',
    '@opentelemetry/*',
    'node:*',
  ],
  'version.ts': ['node:child_process', 'node:fs'],
  'zoneinfo.ts': ['domain/**', 'pino', 'node:fs', 'node:path'],
  'service.ts': ['*'],
};

/** What only types may be imported of, and by whom. */
const TYPES_ONLY = [
  { from: 'engine', to: 'store/contract' },
  { from: 'api', to: 'store/contract' },
  { from: 'api', to: '@punctual/client' },
  { from: 'pausing.ts', to: 'engine' },
  { from: 'pausing.ts', to: 'store/contract' },
  { from: 'pausing.ts', to: 'api' },
  { from: 'telemetry', to: 'engine' },
  { from: 'telemetry', to: 'api' },
  { from: 'telemetry', to: 'store/contract' },
];

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => /\.tsx?$/.test(file));
const FILES = filesIn(SOURCE);
const IMPORTS = FILES.flatMap(file => importsOf(SOURCE, file));
const DASHBOARD = join(SOURCE, '../../dashboard/src');
const SIMULATOR = join(SOURCE, '../sim');
const MOST_IN_FOLDER = 20;

function importsOf(source: string, file: string): Import[] {
  const text = readFileSync(join(source, file), 'utf8');
  const pattern = /^(?:import|export)(\s+type)?\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;
  return [...text.matchAll(pattern)].map(match => {
    const target = (match[2] ?? match[3])!;
    const path = target.startsWith('.')
      ? relative(source, join(source, dirname(file), target))
      : target;
    return { file, target: path, typeOnly: match[1] !== undefined };
  });
}

/** The longest entry of the law that a file stands under. */
function roomOf(file: string): string {
  const rooms = Object.keys(LAW).filter(room => file === room || file.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? 'nowhere';
}

/** Whether a path is the file, the folder or the package, or is in it. */
const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Whether an entry of the law covers what is imported. */
function covers(entry: string, target: string): boolean {
  if (entry === '*' || entry === target || entry === roomOf(target)) return true;
  if (entry.endsWith('/**')) return isIn(target, entry.slice(0, -3));
  return entry.endsWith('*') && target.startsWith(entry.slice(0, -1));
}

const isAllowed = (room: string, target: string) =>
  [...LAW[room]!, room].some(entry => covers(entry, target));

test('every file of the server stands in a room', () => {
  assert.deepEqual(
    FILES.filter(file => roomOf(file) === 'nowhere'),
    [],
  );
});

test('rooms import only what the law allows', () => {
  const breaches = IMPORTS.filter(({ file, target }) => !isAllowed(roomOf(file), target));
  assert.deepEqual(
    breaches.map(({ file, target }) => `${file} imports ${target}`),
    [],
  );
});

test('the law allows nothing that no file of the room imports', () => {
  const idle = Object.entries(LAW).flatMap(([room, entries]) => {
    const targets = IMPORTS.filter(({ file }) => roomOf(file) === room).map(({ target }) => target);
    return entries
      .filter(entry => !targets.some(target => covers(entry, target)))
      .map(entry => `${room}: ${entry}`);
  });
  assert.deepEqual(idle, []);
});

test('the engine, the api and the telemetry know the store and the client by their types only', () => {
  const breaches = IMPORTS.filter(({ file, target, typeOnly }) =>
    TYPES_ONLY.some(({ from, to }) => isIn(file, from) && isIn(target, to) && !typeOnly),
  );
  assert.deepEqual(
    breaches.map(({ file, target }) => `${file} imports values of ${target}`),
    [],
  );
});

test('no file imports itself by way of others', () => {
  assertNoCircle(FILES, IMPORTS);
  const files = filesIn(DASHBOARD);
  assertNoCircle(
    files,
    files.flatMap(file => importsOf(DASHBOARD, file)),
  );
});

function assertNoCircle(files: string[], imports: Import[]): void {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (files.includes(target)) targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
}

test('the simulator knows nothing of the tests, and the package nothing of the simulator', () => {
  const files = filesIn(SIMULATOR);
  const ofTests = files.flatMap(file =>
    importsOf(SIMULATOR, file).filter(({ target }) => isIn(target, '../test')),
  );
  assert.deepEqual(ofTests, []);
  assertNoCircle(
    files,
    files.flatMap(file => importsOf(SIMULATOR, file)),
  );
  assert.deepEqual(
    IMPORTS.filter(({ target }) => target.startsWith('..')),
    [],
  );
  const shipped: string[] = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8')).files;
  assert.deepEqual(
    shipped.filter(path => isIn('sim', path)),
    [],
  );
});

test('only the seams of the simulator know real time and real chance', () => {
  // What replaces both, and the command, which plays nothing by itself.
  const seams = ['globals.ts', 'sim.ts'];
  const real =
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bhrtime\b|\bMath\.random\b|\b(set|clear)(Timeout|Interval|Immediate)\b|'node:timers|\brandom(Bytes|Int|UUID|FillSync)\b|\bgetRandomValues\b/;
  assert.deepEqual(
    filesIn(SIMULATOR).filter(
      file => !seams.includes(file) && real.test(readFileSync(join(SIMULATOR, file), 'utf8')),
    ),
    [],
  );
});

test('no folder of the dashboard is a heap', () => {
  const folders = Object.entries(Object.groupBy(filesIn(DASHBOARD), dirname));
  assert.deepEqual(
    folders.flatMap(([folder, files]) => (files!.length > MOST_IN_FOLDER ? [folder] : [])),
    [],
  );
});

test('there are no drawers', () => {
  const drawer = /(^|[/-])(utils?|helpers?|common|types|misc|shared)([/.-]|$)/;
  assert.deepEqual(
    FILES.filter(file => drawer.test(file)),
    [],
  );
});

test('the helpers of tests stand in test/support', () => {
  const suites = ['crash', 'mutants', 'sim', 'store/contract'].map(
    suite => `server/test/${suite}/**`,
  );
  assert.deepEqual(
    globSync('{server,client,dashboard}/test/**/*.ts', {
      cwd: join(SOURCE, '../..'),
      exclude: ['**/*.test.ts', '*/test/support/**', ...suites],
    }),
    [],
  );
});

/** Names of exported types, with the files that have them. Schemas and examples are called after what they describe. */
function exportedTypes(): Map<string, string[]> {
  const types = new Map<string, string[]>();
  for (const file of FILES) {
    if (/^api\/openapi\/(schemas|examples)\//.test(file)) continue;
    const source = readFileSync(join(SOURCE, file), 'utf8');
    for (const [, name] of source.matchAll(
      /^export (?:abstract )?(?:class|interface|type) (\w+)/gm,
    )) {
      types.set(name!, [...(types.get(name!) ?? []), file]);
    }
  }
  return types;
}

const singular = (word: string) => word.toLowerCase().replace(/(?<![siu])s$/, '');

test('each word of an exported type stands in the glossary', () => {
  const page = readFileSync(join(SOURCE, '../../docs/glossary.md'), 'utf8');
  const terms = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, term]) => term!);
  const plain = page.slice(page.indexOf('## Plain words'));
  const known = new Set([...terms, plain].flatMap(text => text.match(/[A-Za-z]+/g)!).map(singular));
  const unknown = [...exportedTypes().keys()].filter(name =>
    name.match(/[A-Z][a-z]+|[A-Z]+(?![a-z])/g)!.some(word => !known.has(singular(word))),
  );
  assert.deepEqual(unknown, [], 'take a word of docs/glossary.md, or add one there');
});

test('no exported type has the name of another one', () => {
  const isPair = (files: string[]) =>
    files.length === 2 &&
    files.every(file => /^store\/(sqlite|postgres)\//.test(file)) &&
    files[0]!.split('/')[1] !== files[1]!.split('/')[1];
  const shared = [...exportedTypes()].filter(([, files]) => files.length > 1 && !isPair(files));
  assert.deepEqual(shared, []);
});

// A sign, not a rule: who passes it looks whether the file does two things.
test('each prepared statement has a name of its own', () => {
  // A connection that knows the name with another text refuses it from then on.
  const files = globSync('store/postgres/**/*.ts', { cwd: SOURCE });
  const names = files.flatMap(file =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/^ {2}name: '(\w+)',\n {2}text: /gm)].map(
      ([, name]) => name!,
    ),
  );
  assert.ok(names.length > 100, `${names.length} statements`);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('no file has become a hub', () => {
  const long = FILES.filter(
    file => readFileSync(join(SOURCE, file), 'utf8').split('\n').length > 401,
  );
  assert.deepEqual(long, []);
});

test('only the clock knows what time it is, and only ids and credentials are random', () => {
  const allowed = [
    'clock.ts',
    'domain/id.ts',
    'domain/access/credential.ts',
    'domain/access/envelope.ts',
    'service.ts',
  ];
  const source = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\(/;
  const offenders = FILES.filter(
    file => !allowed.includes(file) && source.test(readFileSync(join(SOURCE, file), 'utf8')),
  );
  assert.deepEqual(offenders, []);
});
