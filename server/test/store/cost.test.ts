import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { after, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { newId } from '../../src/domain/id.ts';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { Claim } from '../../src/store/contract/queue.ts';
import type { NewSchedule } from '../../src/store/contract/schedules.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { MOST_TOGETHER, SMALL } from '../../src/store/search-index.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import {
  aClient,
  anAttempt,
  anId,
  aRecord,
  aSchedule,
  MINUTE,
  NOON,
  SEEN,
  settlementOf,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

/**
 * A guard against getting slower: what a batch of firings costs a store, in counts that are the same
 * on every machine and at every load. Who makes them fewer writes the new ones here; who makes them
 * more has to mean it, and says in docs/performance/notebook.md what is won.
 */
const FIRINGS = 500;
/** Beside them: due later. */
const AT_REST = 5_000;

type Counts = Record<string, number>;

/** Measured on 2026-11-21. A firing: one look-up and one taking of its share of a claim, one row moved, one run written. */
const SQLITE_MOST: Counts = {
  /** One select and one update for the claim; one update and one insert a firing. */
  statements: 2 + 2 * FIRINGS,
  transactions: 2,
  rowsRead: FIRINGS,
  /** Claimed, moved, its run. */
  rowsWritten: 3 * FIRINGS,
  /** 271,952: some 66 pages of 4 KiB, 7 of them for the index by the end of runs and 2 for the fence; what the indexes cost is in here. */
  walBytes: 280_000,
};

/** Of `FIRINGS` new schedules in one call, beside `AT_REST` others. Measured on 2026-11-21. */
const SQLITE_MOST_NEW: Counts = {
  /** The schedule, its row in the queue, and one row of texts for all. */
  statements: 2 * FIRINGS + 1,
  transactions: 1,
  rowsRead: 0,
  rowsWritten: 2 * FIRINGS + 1,
  /** 271,952, of them 28,840 for the texts; 177,000 more where new schedules are no neighbours in the index of what stands behind the instant of their ids. */
  walBytes: 280_000,
};

const POSTGRES_MOST: Counts = {
  /** The claim, the schedules of what it took, the settlement; each commits by itself. */
  statements: 3,
  inserted: FIRINGS,
  updated: 2 * FIRINGS,
  deleted: 0,
  /** By an index, a firing: for the claim, to take it, its schedule and client, to move it. */
  rowsFetched: 5 * FIRINGS,
  rowsScanned: 0,
  /** 645,432 on PostgreSQL 18, 62,936 of them for the index by the end of runs; other versions differ by little. */
  walBytes: 700_000,
};

test('the embedded store: what a batch of firings costs', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cost-'));
  const path = join(folder, 'punctual.db');
  const store = openSqlite(path);
  await prepare(store);
  const beside = new DatabaseSync(path);
  beside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const counted = countingSqlite(context);
  await fireBatch(store);
  const counts = { ...counted(), walBytes: statSync(`${path}-wal`).size };
  beside.close();
  await store.close();
  rmSync(folder, { recursive: true });
  assertAtMost(context, counts, SQLITE_MOST);
});

/** 263,712, as where there is one interval; 2,719,232 where schedules were numbered as they came. */
const MOST_OF_ONE_SECOND = 270_000;

test('the embedded store: schedules that fire together are neighbours, however they were created', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cost-'));
  const path = join(folder, 'punctual.db');
  const store = openSqlite(path);
  const { clientRowId } = await aClient(store);
  for (let made = 0; made < FIRINGS; made += 1) {
    await store.schedules.insert(clientRowId, oneForEachSecond());
  }
  const beside = new DatabaseSync(path);
  beside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await fireBatch(store);
  const bytes = statSync(`${path}-wal`).size;
  beside.close();
  await store.close();
  rmSync(folder, { recursive: true });
  assert.ok(bytes <= MOST_OF_ONE_SECOND, `${bytes} bytes`);
});

function oneForEachSecond(): NewSchedule[] {
  return Array.from({ length: 60 }, (_, second) => {
    const first = NOON + second * 1_000;
    const schedule = aSchedule({ interval: `${second} * * * * *` });
    return { schedule, start: { first, second: first + MINUTE } };
  });
}

test('the embedded store: what a batch of new schedules costs', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cost-'));
  const path = join(folder, 'punctual.db');
  const store = openSqlite(path);
  let madeAt = NOON;
  const nextId = () => newId(madeAt++);
  const { clientRowId } = await prepare(store, nextId);
  const beside = new DatabaseSync(path);
  beside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const counted = countingSqlite(context);
  await store.schedules.insert(clientRowId, many(FIRINGS, NOON + 60 * MINUTE, nextId));
  const counts = { ...counted(), walBytes: statSync(`${path}-wal`).size };
  beside.close();
  await store.close();
  rmSync(folder, { recursive: true });
  assertAtMost(context, counts, SQLITE_MOST_NEW);
});

const server = await startPostgres({ flags: { autovacuum: 'off' } });
after(() => server.stop());

test('PostgreSQL: what a batch of firings costs', async context => {
  const url = await server.createDatabase();
  const store = await openPostgres(url, { connections: 1 });
  await prepare(store);
  const { sent, flush } = countingPostgres(context);
  // It also prepares the statements: what is counted is what a batch costs all day.
  await fireBatch(store);
  await flush();
  const before: Counts = { statements: sent(), ...(await readTables(url)) };
  await fireBatch(store, NOON + MINUTE);
  const statements = sent();
  await flush();
  const now: Counts = { statements, ...(await readTables(url)) };
  await store.close();
  const counts = Object.fromEntries(
    Object.entries(before).map(([name, count]) => [name, now[name]! - count]),
  );
  assertAtMost(context, counts, POSTGRES_MOST);
});

/** Of 600 creates, one by one, the first 512 were put together. */
const MOST_ROWS = 1 + (600 - 512);
const ROWS_OF_TEXTS = 'SELECT count(*) AS rows, sum(entries) AS entries FROM schedule_texts';

async function createOneByOne(store: Store): Promise<void> {
  const { clientRowId } = await aClient(store);
  for (let made = 0; made < 600; made += 1) {
    await store.schedules.insert(clientRowId, [{ schedule: aSchedule(), start: null }]);
  }
}

test('the embedded store: texts of schedules that were made one by one are put together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cost-'));
  const path = join(folder, 'punctual.db');
  const store = openSqlite(path);
  await createOneByOne(store);
  await store.close();
  const database = new DatabaseSync(path);
  const counted = database.prepare(ROWS_OF_TEXTS).get();
  database.close();
  rmSync(folder, { recursive: true });
  assert.deepEqual({ ...counted }, { rows: MOST_ROWS, entries: 600 });
});

test('PostgreSQL: texts of schedules that were made one by one are put together', async () => {
  const url = await server.createDatabase();
  // On its only connection what was asked before is done before.
  const store = await openPostgres(url, { connections: 1 });
  await createOneByOne(store);
  await store.close();
  const [counted] = await runOn(url, ROWS_OF_TEXTS);
  assert.deepEqual(counted, { rows: `${MOST_ROWS}`, entries: '600' });
});

/** In rows of 127 each, by several lives of a store: none of them made enough to put them together. */
async function leaveBehind(open: () => Promise<Store> | Store): Promise<number> {
  const create = async (store: Store, clientRowId: number, rows: number) => {
    for (let row = 0; row < rows; row += 1) {
      await store.schedules.insert(clientRowId, many(SMALL - 1, NOON, anId));
    }
    await store.close();
  };
  const first = await open();
  const { clientRowId } = await aClient(first);
  await create(first, clientRowId, 4);
  for (let life = 2; life <= 5; life += 1) await create(await open(), clientRowId, 4);
  await create(await open(), clientRowId, 5);
  return 25 * (SMALL - 1);
}

/** What was put together is not much more than enough; the other rows are as they were. */
function assertBounded(rows: { entries: number }[], entries: number): void {
  const large = rows.filter(row => row.entries >= SMALL);
  const most = MOST_TOGETHER + SMALL;
  assert.deepEqual([large.length, rows.reduce((sum, row) => sum + row.entries, 0)], [1, entries]);
  assert.ok(large[0]!.entries < most, `${large[0]!.entries} in one row, of ${most} at most`);
}

const ENTRIES_OF_TEXTS = 'SELECT entries FROM schedule_texts';

test('the embedded store: of many rows of texts that were left behind, a bounded number is put together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cost-'));
  const path = join(folder, 'punctual.db');
  const entries = await leaveBehind(() => openSqlite(path));
  const database = new DatabaseSync(path);
  const rows = database.prepare(ENTRIES_OF_TEXTS).all() as { entries: number }[];
  database.close();
  rmSync(folder, { recursive: true });
  assertBounded(rows, entries);
});

test('PostgreSQL: of many rows of texts that were left behind, a bounded number is put together', async () => {
  const url = await server.createDatabase();
  const entries = await leaveBehind(() => openPostgres(url, { connections: 1 }));
  assertBounded((await runOn(url, ENTRIES_OF_TEXTS)) as { entries: number }[], entries);
});

async function prepare(store: Store, id: () => string = anId): Promise<Caller> {
  const caller = await aClient(store);
  for (let made = 0; made < AT_REST; made += 500) {
    await store.schedules.insert(caller.clientRowId, many(500, NOON + 60 * MINUTE, id));
  }
  await store.schedules.insert(caller.clientRowId, many(FIRINGS, NOON, id));
  return caller;
}

function many(count: number, first: number, id: () => string): NewSchedule[] {
  const start = { first, second: first + MINUTE };
  return Array.from({ length: count }, () => ({ schedule: aSchedule({ id: id() }), start }));
}

/** Claims what is due at `now`, and settles it as the engine does where all targets answer. */
async function fireBatch(store: Store, now = NOON): Promise<void> {
  const { claims } = await store.queue.claim(now, FIRINGS, SEEN);
  assert.equal(claims.length, FIRINGS);
  assert.deepEqual(await store.queue.settle(claims.map(succeeded)), []);
}

function succeeded(claim: Claim) {
  const { schedule: claimed, scheduledFor } = claim;
  const attempts = [anAttempt(1, { responseStatus: 200 })];
  const records = [aRecord(claimed.id, scheduledFor, { attempts })];
  const next = scheduledFor + MINUTE;
  return settlementOf(claim, waiting(next, next + MINUTE), { records });
}

function countingSqlite({ mock }: TestContext): () => Counts {
  const run = mock.method(StatementSync.prototype, 'run').mock;
  const get = mock.method(StatementSync.prototype, 'get').mock;
  const all = mock.method(StatementSync.prototype, 'all').mock;
  const exec = mock.method(DatabaseSync.prototype, 'exec').mock;
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  return () => ({
    statements: run.callCount() + get.callCount() + all.callCount(),
    transactions: exec.calls.filter(call => call.arguments[0] === 'COMMIT').length,
    rowsRead: get.callCount() + sum(all.calls.map(({ result }) => result!.length)),
    rowsWritten: sum(run.calls.map(({ result }) => Number(result!.changes))),
  });
}

/** Of a store with one connection: its client is the first to be seen. */
function countingPostgres({ mock }: TestContext) {
  const query = mock.method(Client.prototype, 'query').mock;
  const client = () => query.calls[0]!.this as Client;
  return {
    /** BEGIN and COMMIT would count too: each is a way to the server and back. */
    sent: () => query.calls.filter(call => call.this === client()).length,
    /** It tells the server what it has counted, which it else does once a second. */
    flush: () => client().query('SELECT pg_stat_force_next_flush()'),
  };
}

async function readTables(url: string): Promise<Counts> {
  const sql = `
    SELECT sum(n_tup_ins)::float8 AS inserted, sum(n_tup_upd)::float8 AS updated,
      sum(n_tup_del)::float8 AS deleted, sum(idx_tup_fetch)::float8 AS "rowsFetched",
      sum(seq_tup_read)::float8 AS "rowsScanned",
      (SELECT pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes"
    FROM pg_stat_user_tables`;
  return (await runOn(url, sql))[0] as Counts;
}

function assertAtMost(context: TestContext, counts: Counts, most: Counts): void {
  context.diagnostic(`a batch of ${FIRINGS}: ${JSON.stringify(counts)}`);
  assert.deepEqual(Object.keys(counts), Object.keys(most));
  const more = Object.entries(counts).filter(([name, count]) => count > most[name]!);
  assert.deepEqual(Object.fromEntries(more), {}, `at most ${JSON.stringify(most)}`);
}
