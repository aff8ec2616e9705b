import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { migrateAt } from '../src/store/postgres/open.ts';
import { migrateSqlite, openDatabase } from '../src/store/sqlite/open.ts';
import { fullMetrics } from './support/gauge-sources.ts';
import { runOn, startPostgres } from './support/store/postgres-server.ts';

/** docs/debugging.md names what is there: metrics, log lines and statements. */

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/debugging.md'), 'utf8');
const STATEMENTS = [...PAGE.matchAll(/^```sql\n(.+?)^```$/gms)].map(([, sql]) => sql!);

test('each metric that it names is one', async () => {
  const metrics = await fullMetrics();
  const named = [...PAGE.matchAll(/`(punctual_\w+)/g)].map(([, name]) => name!);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter(name => !metrics.includes(`# TYPE ${name} `)),
    [],
  );
});

test('each log line that it names is written somewhere', () => {
  const sources = globSync('server/src/**/*.ts', { cwd: ROOT })
    .map(file => readFileSync(join(ROOT, file), 'utf8'))
    .join();
  const [rows] = /^## By question$.+?^## /ms.exec(PAGE)!;
  const named = [...rows.matchAll(/log lines? (.+?)(?:, table|\(| \|)/g)].flatMap(([, lines]) =>
    [...lines!.matchAll(/`([^`]+)`/g)].map(([, line]) => line!),
  );
  assert.ok(named.length > 8);
  assert.deepEqual(
    named.filter(line => !sources.includes(line)),
    [],
  );
});

test('its statements run on the embedded store', () => {
  const database = openDatabase(':memory:');
  migrateSqlite(database);
  assert.ok(STATEMENTS.length > 4);
  for (const sql of STATEMENTS) assert.deepEqual(database.prepare(sql).all(), [], sql);
  database.close();
});

test('its statements run on PostgreSQL', async () => {
  const server = await startPostgres();
  after(() => server.stop());
  const url = await server.createDatabase();
  await migrateAt(url);
  for (const sql of STATEMENTS) assert.deepEqual(await runOn(url, sql), [], sql);
});
