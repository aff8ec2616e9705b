import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

/** The import law of docs/architecture.md. */

const SOURCE = join(import.meta.dirname, '../src');

/** What each room may import besides itself: rooms, single files, packages. */
const LAW: Record<string, string[]> = {
  domain: ['node:crypto', 'node:net', 'lru-cache'],
  store: ['domain', 'node:crypto', 'node:fs', 'node:path', 'lru-cache'],
  'store/open.ts': ['domain', 'store', 'store/sqlite', 'store/postgres', 'node:fs', 'node:path'],
  'store/postgres': ['domain', 'store', 'node:fs', 'node:path', 'node:timers/promises', 'pg'],
  'store/sqlite': [
    'domain',
    'store',
    'node:fs',
    'node:fs/promises',
    'node:os',
    'node:path',
    'node:sqlite',
    'node:worker_threads',
    'lru-cache',
  ],
  outbound: ['domain', 'clock.ts', 'version.ts', 'undici', 'lru-cache', 'node:*'],
  engine: [
    'domain',
    'clock.ts',
    'store/store.ts',
    'store/queue.ts',
    'store/breakers.ts',
    'store/suspensions.ts',
    'outbound',
    'lru-cache',
  ],
  api: [
    'domain',
    'clock.ts',
    'store/store.ts',
    'store/stats.ts',
    'version.ts',
    '@punctual/client',
    'fastify*',
    '@fastify/*',
    'typebox',
    'ajv',
    'lru-cache',
    'cookie',
    'pino',
    'node:*',
  ],
  cli: [
    'domain',
    'clock.ts',
    'config.ts',
    'service.ts',
    'telemetry.ts',
    'secret-keys.ts',
    'setting-checks.ts',
    'store/encrypted.ts',
    'store/open.ts',
    'store/store.ts',
    'version.ts',
    'doctor.ts',
    'outbound/send.ts',
    'commander',
    'pino',
    'node:*',
  ],
  'clock.ts': ['node:fs', 'node:os', 'node:zlib'],
  'config.ts': ['domain', 'setting-checks.ts', 'store/open.ts'],
  'setting-checks.ts': ['domain', 'store/open.ts'],
  'sending.ts': [
    'domain',
    'clock.ts',
    'config.ts',
    'outbound',
    'store/store.ts',
    'tracing.ts',
    'node:*',
  ],
  'pausing.ts': ['domain', 'engine', 'api/deps.ts', 'store/store.ts', 'pino'],
  'dashboard-folder.ts': ['node:fs', 'node:path'],
  'findings.ts': [],
  'doctor.ts': [
    'clock.ts',
    'config.ts',
    'dashboard-folder.ts',
    'findings.ts',
    'secret-keys.ts',
    'zoneinfo.ts',
    'store/encrypted.ts',
    'store/open.ts',
    'store/store.ts',
    'node:*',
  ],
  'await-store.ts': ['domain', 'pino', 'node:*'],
  'listen.ts': [
    'domain',
    'api',
    'config.ts',
    'clock.ts',
    'store/store.ts',
    'telemetry.ts',
    'fastify',
    'pino',
    'node:*',
  ],
  'secret-keys.ts': ['domain', 'config.ts', 'store/fault.ts', 'store/folder.ts', 'node:*'],
  'ensure-credentials.ts': ['domain', 'clock.ts', 'config.ts', 'store/store.ts', 'pino'],
  'telemetry.ts': [
    'engine',
    'api',
    'clock.ts',
    'engine-metrics.ts',
    'level-gauges.ts',
    'node-gauges.ts',
    'request-metrics.ts',
    'run-log.ts',
    'version.ts',
    'pino',
    'prom-client',
  ],
  'engine-metrics.ts': ['engine', 'host-labels.ts', 'run-log.ts', 'pino', 'prom-client'],
  'level-gauges.ts': ['clock.ts', 'store/store.ts', 'store/stats.ts', 'prom-client'],
  'node-gauges.ts': ['pino', 'prom-client'],
  'request-metrics.ts': ['api', 'prom-client'],
  'run-log.ts': ['domain', 'bounded-log.ts', 'clock.ts', 'pino'],
  'bounded-log.ts': ['clock.ts', 'pino'],
  'host-labels.ts': [],
  'version.ts': ['node:child_process', 'node:fs'],
  'zoneinfo.ts': ['domain', 'pino', 'node:fs', 'node:path'],
  'tracing.ts': ['domain', 'outbound/send.ts', 'store/store.ts', '@opentelemetry/*', 'node:*'],
  'service.ts': ['*'],
};

/** Files whose import of another room may be of types only. */
const TYPES_ONLY = [
  { from: 'engine', to: 'store/store.ts' },
  { from: 'engine', to: 'store/queue.ts' },
  { from: 'engine', to: 'store/breakers.ts' },
  { from: 'engine', to: 'store/suspensions.ts' },
  { from: 'api', to: 'store/store.ts' },
  { from: 'api', to: 'store/stats.ts' },
  { from: 'api', to: '@punctual/client' },
  { from: 'pausing.ts', to: 'engine' },
  { from: 'pausing.ts', to: 'store/store.ts' },
  { from: 'pausing.ts', to: 'api/deps.ts' },
  { from: 'telemetry.ts', to: 'engine' },
  { from: 'telemetry.ts', to: 'api' },
  { from: 'engine-metrics.ts', to: 'engine' },
  { from: 'request-metrics.ts', to: 'api' },
  { from: 'level-gauges.ts', to: 'store/store.ts' },
  { from: 'level-gauges.ts', to: 'store/stats.ts' },
];

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(file =>
  file.endsWith('.ts'),
);
const IMPORTS = FILES.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  const pattern = /^(?:import|export)(\s+type)?\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;
  return [...text.matchAll(pattern)].map(match => {
    const target = (match[2] ?? match[3])!;
    const path = target.startsWith('.')
      ? relative(SOURCE, join(SOURCE, dirname(file), target))
      : target;
    return { file, target: path, typeOnly: match[1] !== undefined };
  });
}

/** The longest entry of the law that a file stands under. */
function roomOf(file: string): string {
  const rooms = Object.keys(LAW).filter(room => file === room || file.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? 'nowhere';
}

function isAllowed(room: string, target: string): boolean {
  const targetRoom = roomOf(target);
  return [...LAW[room]!, room].some(
    allowed =>
      allowed === '*' ||
      allowed === target ||
      allowed === targetRoom ||
      (allowed.endsWith('*') && target.startsWith(allowed.slice(0, -1))),
  );
}

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

test('the engine, the api and the telemetry know the store and the client by their types only', () => {
  const breaches = IMPORTS.filter(({ file, target, typeOnly }) =>
    TYPES_ONLY.some(
      ({ from, to }) =>
        roomOf(file) === from && (target === to || roomOf(target) === to) && !typeOnly,
    ),
  );
  assert.deepEqual(
    breaches.map(({ file, target }) => `${file} imports values of ${target}`),
    [],
  );
});

test('no file imports itself by way of others', () => {
  const targets = new Map<string, string[]>();
  for (const { file, target } of IMPORTS) {
    if (FILES.includes(target)) targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of FILES) visit(file, []);
});

test('there are no drawers', () => {
  const drawer = /(^|[/-])(utils?|helpers?|common|types|misc|shared)([/.-]|$)/;
  assert.deepEqual(
    FILES.filter(file => drawer.test(file)),
    [],
  );
});

/** Names of exported types, with the files that have them. Schemas and examples are called after what they describe. */
function exportedTypes(): Map<string, string[]> {
  const types = new Map<string, string[]>();
  for (const file of FILES) {
    if (/^api\/(schemas|examples)\//.test(file)) continue;
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
    'domain/credential.ts',
    'domain/envelope.ts',
    'service.ts',
  ];
  const source = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\(/;
  const offenders = FILES.filter(
    file => !allowed.includes(file) && source.test(readFileSync(join(SOURCE, file), 'utf8')),
  );
  assert.deepEqual(offenders, []);
});
