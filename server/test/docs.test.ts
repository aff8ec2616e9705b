import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readResult, reportOf, summaryOf, withReport } from '../bench/report.ts';
import { ERROR_STATUS } from '../src/domain/errors.ts';
import { fullMetrics } from './support/gauge-sources.ts';

/** Docs are true or gone: what can be compared with the code is. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PAGES = [
  ...readdirSync(ROOT).filter(file => file.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join('docs', file)),
];

const WELL_KNOWN = ['/.well-known/openid-configuration', '/.well-known/jwks.json'];

test('docs/errors.md has each code of the table of errors with its status, and no other', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \|/gm)];
  const documented = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]));
  assert.deepEqual(documented, { ...ERROR_STATUS });
});

async function exportedMetrics(): Promise<string[]> {
  return [...(await fullMetrics()).matchAll(/^# TYPE (punctual_\w+)/gm)].map(match => match[1]!);
}

test('the Grafana dashboard and the alert rules know each metric by its name, and no other', async () => {
  const exported = new Set(await exportedMetrics());
  for (const file of ['docs/monitoring/grafana.json', 'docs/monitoring/alerts.yml']) {
    const names = [...read(file).matchAll(/punctual_[a-z_]+/g)].map(([name]) => name);
    const known = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');
    assert.deepEqual(
      names.filter(name => !exported.has(known(name)) && !exported.has(name)),
      [],
      file,
    );
    assert.ok(names.length > 5);
  }
  const shown = read('docs/monitoring/grafana.json');
  assert.deepEqual(
    [...exported].filter(name => !shown.includes(name)),
    [],
  );
});

test('docs/operations.md names each metric, and no other', async () => {
  const exported = await exportedMetrics();
  const named = [...read('docs/operations.md').matchAll(/^\| `(punctual_\w+)/gm)].map(m => m[1]);
  assert.deepEqual(named.sort(), exported.sort());
});

test('the index of decisions has each record with its title, a date and its status', () => {
  const folder = join(ROOT, 'docs/decisions');
  const records = readdirSync(folder).filter(file => file !== 'README.md');
  const rows = [
    ...read('docs/decisions/README.md').matchAll(
      /^\| \[(\d+)\]\((.+?)\) \| (.+) \| \d{4}-\d\d-\d\d \| (accepted|superseded by \[\d+\]\((.+)\)) \|$/gm,
    ),
  ];
  assert.deepEqual(
    rows.map(([, , file]) => file),
    records.sort(),
  );
  for (const [, number, file, title, status, successor] of rows) {
    assert.equal(Number(file!.slice(0, 4)), Number(number), file!);
    const text = read(`docs/decisions/${file}`);
    assert.equal(/^# (?:\d+[.:] )?(.*)/.exec(text)?.[1], title, file!);
    assert.equal(status !== 'accepted', /^\*\*Superseded\*\*/m.test(text), `${file}: its status`);
    if (successor !== undefined) assert.ok(records.includes(successor), successor);
  }
});

test('each source file that a page names is there', () => {
  for (const page of PAGES.filter(page => page !== 'CHANGELOG.md')) {
    const named = [
      ...read(page).matchAll(/`((?:[a-z-]+\/)+[a-z0-9-]+(?:\.[a-z]+)*\.(?:ts|sql))`/g),
    ];
    const gone = named
      .map(([, file]) => file!)
      .filter(file => !['', 'server', 'server/src'].some(at => existsSync(join(ROOT, at, file))));
    assert.deepEqual(gone, [], page);
  }
});

test('the pages of figures show the results that stand beside them, and no other figures', () => {
  const folder = join(ROOT, 'docs/performance');
  const files = readdirSync(folder).filter(file => file.endsWith('.json'));
  const results = files.map(file => readResult(join(folder, file)));
  for (const [file, report] of [
    ['docs/performance/figures.md', reportOf(results)],
    ['docs/performance.md', summaryOf(results)],
  ] as const) {
    const page = read(file);
    assert.equal(page, withReport(page, report));
  }
});

interface Described {
  parameters?: { name: string; in: string }[];
}

test('docs/api.md has each operation of the interface with its query parameters, and no other', () => {
  const { paths } = JSON.parse(read('server/openapi.json')) as {
    paths: Record<string, Record<string, Described>>;
  };
  const queryOf = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]): [string, string[]] => [
        `${method.toUpperCase()} ${path.replace(/\{\w+\}/, '{id}')}`,
        parameters.filter(each => each.in === 'query').map(({ name }) => name),
      ]),
    ),
  );
  // No part of the document: these are for people, and for the machines around the service.
  for (const page of ['/openapi.json', '/docs', '/llms.txt', '/metrics', ...WELL_KNOWN]) {
    queryOf.set(`GET ${page}`, []);
  }
  const shown: string[] = [];
  for (const [row, cell] of read('docs/api.md').matchAll(/^\| (`.+?) \|.*$/gm)) {
    let methods: string[] = [];
    const calls = cell!.replaceAll('`', '').replaceAll(/\?[^,]*/g, '');
    for (const [, own, path] of calls.matchAll(/((?:[A-Z]+, )*[A-Z]+ )?(\/[^,]+)/g)) {
      if (own) methods = own.trim().split(', ');
      for (const operation of methods.map(method => `${method} ${path}`)) {
        shown.push(operation);
        const untold = (queryOf.get(operation) ?? []).filter(name => !row.includes(name));
        assert.deepEqual(untold, [], operation);
      }
    }
  }
  assert.deepEqual(shown.sort(), [...queryOf.keys()].sort());
});

test('the command that takes the pictures of the docs names each test that takes one', () => {
  const [, command] = /^PUNCTUAL_SCREENSHOTS=1 (.*)$/m.exec(read('CONTRIBUTING.md'))!;
  const pages = PAGES.map(read).join('');
  const takers = readdirSync(join(ROOT, 'dashboard/test'))
    .filter(file => file.endsWith('.test.ts'))
    .filter(file => {
      const names = read(`dashboard/test/${file}`).matchAll(/screenshot\(\s*[\w.]+,\s*'([\w-]+)'/g);
      return [...names].some(([, name]) => pages.includes(`screenshots/${name}.png)`));
    });
  assert.ok(takers.length > 5);
  assert.deepEqual(
    takers.filter(file => !command!.includes(`dashboard/test/${file}`)),
    [],
  );
});

test('each picture in docs/ stands on a page', () => {
  const named = PAGES.flatMap(page =>
    [...read(page).matchAll(/\]\(([^)#\s]+\.(?:png|gif|svg|jpe?g|webp))\)/g)].map(([, file]) =>
      join(dirname(page), file!),
    ),
  );
  const pictures = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(?:png|gif|svg|jpe?g|webp)$/.test(file))
    .map(file => join('docs', file));
  assert.ok(pictures.length > 10);
  assert.deepEqual(
    pictures.filter(picture => !named.includes(picture)),
    [],
  );
});

test('links between pages lead somewhere', () => {
  const broken = PAGES.flatMap(page =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
      .map(match => match[1]!)
      .filter(target => !existsSync(join(ROOT, dirname(page), target)))
      .map(target => `${page} → ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('.node-version and the image name the Node that the package brings', () => {
  const { optionalDependencies } = JSON.parse(read('server/package.json'));
  const brought = [...new Set(Object.values(optionalDependencies))];
  assert.deepEqual(brought, [read('.node-version').trim()]);
  assert.match(read('deploy/Dockerfile'), new RegExp(`^FROM node:${brought[0]}-`, 'm'));
});

test('files and npm scripts that pages name exist', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const missing = PAGES.flatMap(page => {
    const text = read(page);
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(match => match[1]!);
    return named.filter(name => !(name in scripts)).map(name => `${page}: npm run ${name}`);
  });
  assert.deepEqual(missing, []);
});
