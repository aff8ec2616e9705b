import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { lowestIdAt } from '../src/domain/id.ts';
import { Connections } from '../src/store/postgres/connection.ts';
import { migrateAt as migratePostgres } from '../src/store/postgres/open.ts';
import { ensureDaysOf } from '../src/store/postgres/partitions.ts';
import { fold } from '../src/store/rows/row.ts';
import { migrateAt as migrateSqlite } from '../src/store/sqlite/open.ts';
import {
  type Dialect,
  filling,
  HISTORY_DAYS,
  POSTGRES,
  type Sizes,
  SQLITE,
} from './filling-sql.ts';
import { CREDENTIALS, type Database } from './punctual.ts';

/**
 * Makes within minutes a store like that of some days with many schedules. Statements of the
 * database itself fill it; the indexes of history are dropped first and built again at the end.
 */

const DAY_MS = 86_400_000;
/** Rows that one statement makes. */
const BITE = 250_000;

/** @param database that nobody has opened yet */
export async function fillStore(
  { url }: Database,
  sizes: Sizes,
  said: (line: string) => void,
): Promise<void> {
  const now = Date.now();
  if (url.startsWith('sqlite:')) fillSqlite(url.slice('sqlite:'.length), sizes, now, said);
  else await fillPostgres(url, sizes, now, said);
}

/** The id of a schedule that was filled in, by its number, counted from 0. */
export function idOf(index: number): string {
  const head = lowestIdAt(FIRST_MADE_AT + index).slice(0, -12);
  return head + index.toString(16).padStart(12, '0');
}

/** When the first was made, epoch ms: 1 January 2026. */
export const FIRST_MADE_AT = Date.UTC(2026, 0, 1);

function fillSqlite(path: string, sizes: Sizes, now: number, said: (line: string) => void): void {
  migrateSqlite(path);
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  database.function('id_of', { deterministic: true }, index => idOf(Number(index)));
  database.function('fold', { deterministic: true }, text => fold(String(text)));
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'runs' AND type = 'index'")
    .all()
    .filter(({ sql }) => sql !== null);
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  for (const { what, sql } of statementsOf(SQLITE, sizes, now)) {
    said(what);
    database.exec(sql);
  }
  said('the indexes of history');
  for (const { sql } of indexes) database.exec(sql as string);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function fillPostgres(
  url: string,
  sizes: Sizes,
  now: number,
  said: (line: string) => void,
): Promise<void> {
  await migratePostgres(url);
  await makeDays(url, now);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
  const { rows: indexes } = await client.query(`
    SELECT relname::text AS name, replace(pg_get_indexdef(oid), ' ON ONLY ', ' ON ') AS sql
    FROM pg_class JOIN pg_index ON indexrelid = oid
    WHERE relkind = 'I' AND relname LIKE 'runs%' AND NOT relispartition AND NOT indisprimary`);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  for (const { what, sql } of statementsOf(POSTGRES, sizes, now)) {
    said(what);
    await client.query(sql);
  }
  for (const [table, key] of Object.entries({ clients: 'client_key', schedules: 'schedule_key' })) {
    const drawn = `pg_get_serial_sequence('${table}', '${key}')`;
    await client.query(`SELECT setval(${drawn}, max(${key})) FROM ${table}`);
  }
  said('the indexes of history');
  for (const { sql } of indexes) await client.query(sql);
  // As autovacuum leaves them.
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
}

async function makeDays(url: string, now: number): Promise<void> {
  const connections = new Connections(url, 1);
  const days = Array.from({ length: HISTORY_DAYS + 1 }, (_, day) => now - day * DAY_MS);
  const runs = days.flatMap(instant => [
    { keep: 'short' as const, instant },
    { keep: 'long' as const, instant },
  ]);
  await ensureDaysOf(connections, runs, now);
  await connections.close();
}

function* statementsOf(dialect: Dialect, sizes: Sizes, now: number) {
  const { clients, schedules, queue, texts, runs } = filling(
    dialect,
    sizes,
    now,
    CREDENTIALS.ClientId,
  );
  yield { what: 'clients', sql: clients };
  for (let first = 0; first < sizes.schedules; first += BITE) {
    const end = Math.min(sizes.schedules, first + BITE);
    yield { what: `schedules ${first} to ${end}`, sql: schedules(first, end) };
  }
  yield { what: 'the queue', sql: queue };
  if (texts !== null) yield { what: 'texts', sql: texts };
  for (let first = 0; first < sizes.runs; first += BITE) {
    const end = Math.min(sizes.runs, first + BITE);
    yield { what: `runs ${first} to ${end}`, sql: runs(first, end) };
  }
}
