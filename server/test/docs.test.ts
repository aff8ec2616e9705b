import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readResult, reportOf, withReport } from '../bench/report.ts';
import { ERROR_STATUS } from '../src/domain/errors.ts';
import { fullMetrics } from './levels.ts';

/** Docs are true or gone: what can be compared with the code is. */

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PAGES = [
  ...readdirSync(ROOT).filter(file => file.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join('docs', file)),
];

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

test('docs/performance.md shows the results that stand beside it, and no other figures', () => {
  const folder = join(ROOT, 'docs/performance');
  const files = readdirSync(folder).filter(file => file.endsWith('.json'));
  const page = read('docs/performance.md');
  const report = reportOf(files.map(file => readResult(join(folder, file))));
  assert.equal(page, withReport(page, report));
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

test('files and npm scripts that pages name exist', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const missing = PAGES.flatMap(page => {
    const text = read(page);
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(match => match[1]!);
    return named.filter(name => !(name in scripts)).map(name => `${page}: npm run ${name}`);
  });
  assert.deepEqual(missing, []);
});
