import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { PunctualError } from '../../src/domain/errors.ts';
import { type Migration, readMigrations } from '../../src/store/migrate.ts';
import { Connections } from '../../src/store/postgres/connection.ts';
import { migratePostgres } from '../../src/store/postgres/migrating.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { aClient } from '../support/store/backend.ts';
import { callEverything } from '../support/store/everything.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

/** Upgrade without down time (docs/scaling.md): what a newer Punctual does to nodes of this one. */

const server = await startPostgres();
after(() => server.stop());

let url: string;
beforeEach(async () => {
  url = await server.createDatabase();
});
afterEach(async () => {
  await server.dropDatabase(url);
});

const OURS = readMigrations(join(import.meta.dirname, '../../src/store/postgres/migrations'));
const TABLES = ['clients', 'api_keys', 'schedules', 'queue', 'runs', 'outbox'];

/** What the next Punctual would bring. */
const next = (number: number, sql: string, worksWith = number): Migration => {
  return { number: OURS.length + number, name: 'next', sql, worksWith: OURS.length + worksWith };
};
const expand = next(
  1,
  TABLES.map(
    table => `
    ALTER TABLE ${table} ADD COLUMN one text, ADD COLUMN two bigint NOT NULL DEFAULT 7;
    CREATE INDEX ON ${table} (one);`,
  ).join(''),
  0,
);
const contract = next(2, 'ALTER TABLE queue DROP COLUMN two', 1);
const further = next(3, 'CREATE TABLE further (x integer)', 0);

const refusal = async (work: () => Promise<unknown>): Promise<PunctualError> => {
  try {
    await work();
  } catch (error) {
    return error as PunctualError;
  }
  return assert.fail('nothing was refused');
};

describe('PostgreSQL: when a newer Punctual expands the database', () => {
  test('a node that runs goes on, with every statement that it has prepared', async () => {
    const store = await openPostgres(url, { connections: 1 });
    await callEverything(store);
    await migratePostgres(url, [...OURS, expand]);
    await callEverything(store);
    await store.close();
  });

  test('a node that starts on it works, and changes nothing about it', async () => {
    await migratePostgres(url, [...OURS, expand]);
    const store = await openPostgres(url);
    await callEverything(store);
    await store.close();
    const [row] = await runOn(url, 'SELECT version, works_with FROM punctual_version');
    assert.deepEqual(row, { version: OURS.length + 1, works_with: OURS.length });
  });

  test('where it has contracted it since, a node that starts is refused', async () => {
    await migratePostgres(url, [...OURS, expand, contract, further]);
    const { code, message } = await refusal(() => openPostgres(url));
    assert.equal(code, 'store_newer');
    assert.match(
      message,
      /^The database is at version \d+, and this Punctual knows versions up to \d+: /,
    );
    // The one in between knows what was taken away.
    const { from } = await migratePostgres(url, [...OURS, expand]);
    assert.equal(from, OURS.length + 3);
  });

  test('and waits for a table that is busy, the nodes go on meanwhile', async () => {
    const store = await openPostgres(url);
    const busy = new Connections(url, 1);
    let migrating: Promise<unknown>;
    await busy.transaction(async send => {
      // On a busy machine it holds the table for longer than a node's transaction may rest.
      await send('SET LOCAL idle_in_transaction_session_timeout = 0');
      await send('SELECT count(*) FROM queue');
      migrating = migratePostgres(url, [...OURS, expand]);
      for (let i = 0; i < 3; i += 1) await callEverything(store);
    });
    assert.deepEqual(await migrating!, { from: OURS.length, to: OURS.length + 1 });
    await Promise.all([busy.close(), store.close()]);
  });
});

test('a migration says in its first line with which version it works, or with its own alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-migrations-'));
  writeFileSync(join(folder, '0001-a.sql'), '-- Works with: 1\nSELECT 1;');
  writeFileSync(join(folder, '0002-b.sql'), '-- Works with: 1\nSELECT 1;');
  writeFileSync(join(folder, '0003-c.sql'), 'SELECT 1;\n-- Works with: 1\n');
  assert.deepEqual(
    readMigrations(folder).map(({ worksWith }) => worksWith),
    [1, 1, 3],
  );
  rmSync(folder, { recursive: true });
});

test('PostgreSQL: a session that an older node began counts there only, and ends with all others', async () => {
  const store = await openPostgres(url);
  const { clientId, keyId } = await aClient(store);
  const far = Date.UTC(2100, 0);
  await runOn(
    url,
    `INSERT INTO sessions (hash, key_id, expires_at) VALUES ('h', '${keyId}', ${far})`,
  );
  assert.equal(await store.sessions.findSession('h'), null);
  assert.deepEqual(await store.sessions.listSessions(clientId, 10), []);
  assert.deepEqual(await store.sessions.endSessions(clientId), ['h']);
  await store.close();
});
