import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { Client } from 'pg';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { type Migration, readMigrations } from '../../src/store/migrate.ts';
import { openStore } from '../../src/store/open.ts';
import { Connections } from '../../src/store/postgres/connection.ts';
import { migratePostgres } from '../../src/store/postgres/migrating.ts';
import { migrateAt, openPostgres, readClock } from '../../src/store/postgres/open.ts';
import { aClient, claimOne, NOON, settled, stored, waiting } from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';
import { thrownBy } from '../support/thrown.ts';

const NEWEST = readMigrations(
  join(import.meta.dirname, '../../src/store/postgres/migrations'),
).length;

const server = await startPostgres();
after(() => server.stop());

let url: string;
beforeEach(async () => {
  url = await server.createDatabase();
});
afterEach(() => server.dropDatabase(url));

describe('PostgreSQL: opening', () => {
  test('the settings lead to it, and what is written is there at the next start', async () => {
    const first = await openStore({ kind: 'postgres', url });
    await stored(first, await aClient(first));
    await first.close();
    const second = await openStore({ kind: 'postgres', url });
    await second.check();
    assert.equal(await second.queue.nextDueAt(), NOON);
    await second.close();
  });

  test('where it cannot be, a sentence says why, and never with the password', async () => {
    const wrong: [string, RegExp, ErrorCode][] = [
      [url.replace('password', 'secret'), /password authentication failed/, 'store_unusable'],
      [
        url.replace('test_', 'none_').replace('password', 'password'),
        /does not exist/,
        'store_unusable',
      ],
      ['postgres://u:secret@127.0.0.1:1/x', /ECONNREFUSED/, 'store_unavailable'],
      [
        'postgres://u:secret@no.such.host.invalid/x',
        /no\.such\.host\.invalid/,
        'store_unavailable',
      ],
      ['postgres://u:secret@[/x', /not one that PostgreSQL knows/, 'store_unusable'],
    ];
    for (const [wrongUrl, why, code] of wrong) {
      for (const open of [openPostgres, migrateAt]) {
        const error = await thrownBy(() => open(wrongUrl));
        assert.equal(error.code, code);
        assert.match(
          error.message,
          /^The PostgreSQL database of DATABASE_URL cannot be used: .*\.$/,
        );
        assert.match(error.message, why);
        assert.ok(!error.message.includes('secret'));
      }
    }
  });

  test('a database that would change texts is refused', async () => {
    const ascii = await server.createDatabase('template0', "ENCODING 'SQL_ASCII'");
    const error = await thrownBy(() => openPostgres(ascii));
    assert.equal(error.code, 'store_unusable');
    assert.match(error.message, /SQL_ASCII, and must be UTF8/);
  });

  test("the database's clock is read in ms", async () => {
    const connections = new Connections(url, 1);
    const [before, read, after] = [Date.now(), await readClock(connections.query), Date.now()];
    await connections.close();
    assert.ok(Number.isInteger(read) && before - 1 <= read && read <= after + 1);
  });

  test('closing twice is closing once, and calls after it fail', async () => {
    const store = await openPostgres(url);
    await Promise.all([store.close(), store.close()]);
    assert.equal((await thrownBy(() => store.check())).code, 'store_unavailable');
    assert.equal((await thrownBy(() => store.queue.claim(NOON, 1, 0))).code, 'store_unavailable');
  });
});

describe('PostgreSQL: migrations', () => {
  const migration = (number: number, sql: string): Migration => ({
    number,
    name: `000${number}`,
    sql,
    worksWith: number,
  });
  const first = migration(1, 'CREATE TABLE a (x integer); INSERT INTO a VALUES (1)');
  const second = migration(2, 'UPDATE a SET x = x + 1; CREATE TABLE b (y integer)');
  const broken = migration(3, 'DROP TABLE a; CREATE TABLE b (y integer)');

  const x = async () => (await runOn(url, 'SELECT x FROM a'))[0]!.x;

  test('each is applied once, in order, from whatever version there is', async () => {
    assert.deepEqual(await migratePostgres(url, [first]), { from: 0, to: 1 });
    assert.deepEqual(await migratePostgres(url, [first, second]), { from: 1, to: 2 });
    assert.deepEqual(await migratePostgres(url, [first, second]), { from: 2, to: 2 });
    assert.equal(await x(), 2);
  });

  test('one that fails leaves the database at the version before, with all that was in it', async () => {
    await assert.rejects(migratePostgres(url, [first, second, broken]));
    assert.equal(await x(), 2);
    assert.deepEqual(await migratePostgres(url, [first, second]), { from: 2, to: 2 });
  });

  test('one that takes longer than any call may is waited for', async () => {
    const slow = migration(2, 'SELECT pg_sleep(12.5); UPDATE a SET x = 7');
    await migratePostgres(url, [first, slow]);
    assert.equal(await x(), 7);
  });

  test('one that waits for a table lets those through who come after it, and goes on when it is free', async () => {
    await migratePostgres(url, [first]);
    const reader = new Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; SELECT x FROM a');
    const migrating = migratePostgres(url, [first, migration(2, 'ALTER TABLE a ADD y integer')]);
    const someoneWaits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await runOn(url, someoneWaits)).length === 0);
    await runOn(url, "SET lock_timeout = '9s'; SELECT x FROM a");
    await reader.end();
    assert.deepEqual(await migrating, { from: 1, to: 2 });
  });

  test('where all is done, the right to read and write is enough', async () => {
    await (await openPostgres(url)).close();
    await runOn(
      url,
      `DROP ROLE IF EXISTS writer; CREATE ROLE writer LOGIN PASSWORD 'password';
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer;
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO writer`,
    );
    const writer = url.replace('postgres:password', 'writer:password');
    const store = await openPostgres(writer);
    await stored(store, await aClient(store));
    await settled(store, await claimOne(store), waiting(NOON, null));
    await store.close();
    assert.deepEqual(await migrateAt(writer), { from: NEWEST, to: NEWEST });
  });

  test('a newer database is refused', async () => {
    await migratePostgres(url, [first, second]);
    assert.equal((await thrownBy(() => migratePostgres(url, [first]))).code, 'store_newer');
    await runOn(url, 'UPDATE punctual_version SET version = 99, works_with = 99');
    assert.equal((await thrownBy(() => openPostgres(url))).code, 'store_newer');
    assert.equal((await thrownBy(() => migrateAt(url))).code, 'store_newer');
  });

  test('nodes that open a new database at the same moment migrate it once, and all go on', async () => {
    const stores = await Promise.all([1, 2, 3, 4, 5].map(() => openPostgres(url)));
    await Promise.all(stores.map(store => aClient(store)));
    assert.equal((await stores[0]!.clients.listClients()).length, 5);
    await Promise.all(stores.map(store => store.close()));
    assert.deepEqual(await migrateAt(url), { from: NEWEST, to: NEWEST });
  });
});

describe('PostgreSQL: faults', () => {
  const timed = async (work: () => Promise<unknown>) => {
    const startedAt = Date.now();
    const error = await thrownBy(work);
    return { code: error.code, tookMs: Date.now() - startedAt };
  };
  const seen = async (sql: string, isSeen: (rows: Record<string, unknown>[]) => boolean) => {
    while (!isSeen(await runOn(url, sql)));
  };
  const calls = (store: Store): (() => Promise<unknown>)[] => [
    () => store.check(),
    () => store.clients.findClient('x'),
    () => store.queue.claim(NOON, 10, 0),
    () => store.outbox.claim(NOON, 10),
    () => store.queue.recover(NOON),
    () => store.runs.prune({ succeededBefore: NOON, failedBefore: NOON }),
  ];

  test('while the server is away every call says so, and all goes on when it is back', async () => {
    const store = await openPostgres(url);
    const caller = await aClient(store);
    await stored(store, caller);
    const claim = await claimOne(store);
    await server.halt();
    for (const call of calls(store)) {
      const { code, tookMs } = await timed(call);
      assert.equal(code, 'store_unavailable');
      // It does not wait for the five seconds after which a connection is given up.
      assert.ok(tookMs < 4_500, `${tookMs} ms`);
    }
    await server.start();
    await store.check();
    await settled(store, claim, waiting(NOON, null));
    await claimOne(store);
    await store.close();
  });

  test('connections that the server ends, at rest or in use, are replaced', async () => {
    const store = await openPostgres(url);
    await Promise.all(Array.from({ length: 20 }, () => store.check()));
    const slow = new Connections(url, 1);
    const sleeping = timed(() => slow.query('SELECT pg_sleep(9)'));
    const ours = "FROM pg_stat_activity WHERE application_name LIKE 'punctual level %'";
    await seen(`SELECT 1 ${ours} AND query LIKE '%pg_sleep(9)%'`, rows => rows.length > 0);
    await runOn(url, `SELECT pg_terminate_backend(pid) ${ours}`);
    const { code, tookMs } = await sleeping;
    assert.equal(code, 'store_unavailable');
    assert.ok(tookMs < 9_000, `${tookMs} ms`);
    // One that the server has not ended yet would be met by the next call.
    await seen(`SELECT 1 ${ours}`, rows => rows.length === 0);
    assert.equal((await slow.query('SELECT 1 AS one'))[0]!.one, 1);
    await store.check();
    await Promise.all([slow.close(), store.close()]);
  });

  test('a server that accepts and says nothing is given up after five seconds', async () => {
    const mute = createServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const { code, tookMs } = await timed(() => openPostgres(`postgres://u:p@127.0.0.1:${port}/x`));
    mute.close();
    assert.equal(code, 'store_unavailable');
    // Not twice as long, that is: a second try would take five more.
    assert.ok(tookMs < 10_000, `${tookMs} ms`);
  });

  test('the server itself ends what takes longer than ten seconds', async () => {
    const connections = new Connections(url, 1);
    const show = async (name: string) => (await connections.query(`SHOW ${name}`))[0]![name];
    assert.equal(await show('statement_timeout'), '10s');
    assert.equal(await show('idle_in_transaction_session_timeout'), '10s');
    await connections.close();
  });

  test('a database that takes no writes is not ready', async () => {
    const name = url.slice(url.lastIndexOf('/') + 1);
    const store = await openPostgres(url);
    await store.check();
    await runOn(
      url,
      `ALTER DATABASE ${name} SET default_transaction_read_only = on;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'punctual level %'`,
    );
    // The first call may still meet the connection that was ended.
    await store.check().catch(() => {});
    const { code, cause } = await thrownBy(() => store.check());
    assert.equal(code, 'store_unavailable');
    assert.match(String(cause), /read only/);
    await store.close();
  });
});
