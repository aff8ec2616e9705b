import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ensurePartitions } from '../../src/store/postgres/partitions.ts';
import {
  aClient,
  aRecord,
  claimOne,
  MINUTE,
  NOON,
  settled,
  settlementOf,
  stored,
  waiting,
} from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const DAY = 24 * 60 * MINUTE;

let url: string;
let store: Store;
let caller: Caller;
let connections: Connections;

beforeEach(async () => {
  url = await server.createDatabase(template);
  store = await openPostgres(url);
  caller = await aClient(store);
  connections = new Connections(url, 4);
});

afterEach(async () => {
  await Promise.all([store.close(), connections.close()]);
  await server.dropDatabase(url);
});

/** Runs of both kinds at noon of these days, counted from today. */
const filled = async (...days: number[]) => {
  const schedule = await stored(store, caller);
  const records = days.flatMap(day => [
    aRecord(schedule.id, NOON + day * DAY),
    aRecord(schedule.id, NOON + day * DAY + MINUTE, { status: 'failed' }),
  ]);
  await settled(store, await claimOne(store), null, { records });
};
const listed = async () => (await store.runs.list(caller.clientRowId, {}, 1_000)).length;
/** The tables of days of June 2026, and the defaults, with how many rows each has. */
const tables = async (): Promise<Record<string, number>> => {
  const rows = await runOn(
    url,
    `SELECT relname AS name FROM pg_partition_tree('runs') JOIN pg_class ON oid = relid
    WHERE isleaf AND relname ~ '(20260[56]..|default)$' ORDER BY relname`,
  );
  const counted: [string, number][] = [];
  for (const { name } of rows) {
    const [row] = await runOn(url, `SELECT count(*)::integer AS count FROM ${name}`);
    counted.push([(name as string).slice('runs_'.length), row!.count as number]);
  }
  return Object.fromEntries(counted);
};

describe('PostgreSQL: days of history', () => {
  test('are made from yesterday to three days ahead, for both kinds of runs, once', async () => {
    await Promise.all([1, 2, 3].map(() => ensurePartitions(connections, NOON)));
    await ensurePartitions(connections, NOON + DAY - 1);
    const days = ['20260531', '20260601', '20260602', '20260603', '20260604', '20260605'];
    assert.deepEqual(Object.keys(await tables()), [
      ...days.map(day => `long_${day}`),
      'long_default',
      ...days.map(day => `short_${day}`),
      'short_default',
    ]);
  });

  test('take runs of their day; all others stand in the default', async () => {
    await ensurePartitions(connections, NOON);
    await filled(-2, 0, 1);
    const { long_20260601, long_20260602, long_default, short_20260602, short_default } =
      await tables();
    assert.deepEqual(
      [long_20260601, long_20260602, long_default, short_20260602, short_default],
      [1, 1, 1, 1, 1],
    );
    assert.equal(await listed(), 6);
  });

  test('take over what stood in the default before them, while others write', async () => {
    await filled(0, 1, 40);
    const schedule = await stored(store, caller);
    let at = NOON;
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        const claim = await claimOne(store, at, at);
        const records = [aRecord(schedule.id, at)];
        at += 1;
        await settled(store, claim, waiting(at, null), { records });
      }
    })();
    await ensurePartitions(connections, NOON);
    isWriting = false;
    await writing;
    const { short_20260601, short_20260602, short_default } = await tables();
    assert.deepEqual([short_20260601, short_20260602, short_default], [1 + at - NOON, 1, 1]);
    assert.equal(await listed(), Math.min(1_000, 6 + at - NOON));
  });

  test('are dropped as a whole, each kind by its limit', async () => {
    await ensurePartitions(connections, NOON);
    await filled(-1, 0, 1);
    const limits = { succeededBefore: NOON + DAY, failedBefore: NOON };
    assert.equal(await store.runs.prune(limits), 3);
    assert.equal(await store.runs.prune(limits), 0);
    const left = Object.keys(await tables());
    assert.ok(!left.includes('short_20260601') && left.includes('short_20260602'));
    assert.ok(!left.includes('long_20260531') && left.includes('long_20260601'));
    assert.equal(await listed(), 3);
  });

  test('stay while somebody holds the tables, as a dump does, and go at the next call', async () => {
    await ensurePartitions(connections, NOON);
    await filled(-1, 0, 1);
    const limits = { succeededBefore: NOON + DAY, failedBefore: NOON };
    await connections.transaction(async send => {
      await send('LOCK TABLE runs IN ACCESS SHARE MODE');
      assert.equal(await store.runs.prune(limits), 0);
      assert.equal(await listed(), 6);
    });
    assert.equal(await store.runs.prune(limits), 3);
  });
});

describe('PostgreSQL: one id is one run', () => {
  for (const [first, second] of [
    ['failed', 'succeeded'],
    ['succeeded', 'failed'],
  ] as const) {
    test(`in one batch and in the next, where it first ${first} and then ${second}`, async () => {
      const schedule = await stored(store, caller);
      const records = [first, second].map(status => aRecord(schedule.id, NOON, { status }));
      await settled(store, await claimOne(store), waiting(NOON, null), { records });
      const again = { records: [aRecord(schedule.id, NOON, { status: second })] };
      await settled(store, await claimOne(store), null, again);
      const runs = await store.runs.list(caller.clientRowId, {}, 10);
      assert.deepEqual(
        runs.map(({ status }) => status),
        [first],
      );
    });
  }

  test('a row that stands twice in one batch is settled once, and named once', async () => {
    const schedule = await stored(store, caller);
    const claim = await claimOne(store);
    const records = [aRecord(schedule.id, NOON)];
    const twice = [waiting(NOON + MINUTE, null), waiting(NOON + 2 * MINUTE, null)].map(row =>
      settlementOf(claim, row, { records }),
    );
    assert.deepEqual(await store.queue.settle(twice), [claim.scheduleRowId]);
    assert.equal(await store.queue.nextDueAt(), NOON + MINUTE);
  });
});
