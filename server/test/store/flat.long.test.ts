import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ensurePartitions } from '../../src/store/postgres/partitions.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';
import { type DayDone, type Load, playDays } from '../support/store/steady.ts';

/**
 * Disk use stays flat: days of steady load, of which retention takes away as many as come. What is
 * bounded is a count of bytes in whole pages, whatever the machine.
 */
const KEEP_FAILED_DAYS = Number(process.env.FLAT_KEEP_DAYS ?? 4);
const LOAD: Load = {
  days: Number(process.env.FLAT_DAYS ?? 14),
  schedules: Number(process.env.FLAT_SCHEDULES ?? 1_000),
  firingsADay: Number(process.env.FLAT_FIRINGS ?? 6),
  keepRunsDays: KEEP_FAILED_DAYS / 2,
  keepFailedRunsDays: KEEP_FAILED_DAYS,
};
/** Whether the server cleans up by itself, once a minute at most, instead of at the moment that it is due. */
const OWN_VACUUM = process.env.FLAT_AUTOVACUUM === '1';
/** From here on as much goes as comes. */
const STEADY_FROM = KEEP_FAILED_DAYS + 1;

type Sizes = Record<string, number>;

const server = await startPostgres({ flags: { autovacuum: OWN_VACUUM ? 'on' : 'off' } });
after(() => server.stop());

describe('disk use is flat once history is as old as it is kept', () => {
  test('the embedded store: the file, and its log', async context => {
    const folder = mkdtempSync(join(tmpdir(), 'punctual-flat-'));
    const path = join(folder, 'punctual.db');
    const store = openSqlite(path);
    const reader = new DatabaseSync(path, { readOnly: true });
    const pragma = (name: string) =>
      Object.values(reader.prepare(`PRAGMA ${name}`).get()!)[0] as number;
    const seen: Sizes[] = [];
    await playDays(store, LOAD, {
      async before() {},
      async after() {
        const file = pragma('page_count') * pragma('page_size');
        const free = pragma('freelist_count') * pragma('page_size');
        seen.push({ file, free, log: statSync(`${path}-wal`).size });
      },
    });
    reader.close();
    await store.close();
    rmSync(folder, { recursive: true });
    tell(context, seen);
    assertFlat(seen, 'file');
    // It is begun anew at 4,000 pages, whatever one transaction adds.
    assert.ok(Math.max(...seen.map(({ log }) => log!)) < 2 * 4_000 * 4_096);
  });

  test('PostgreSQL: history, queue and outbox, with their indexes', async context => {
    const url = await server.createDatabase();
    const store = await openPostgres(url);
    const connections = new Connections(url, 1);
    const vacuum = await autovacuumOf(url);
    const seen: Sizes[] = [];
    await playDays(store, LOAD, {
      before: ({ startsAt }) => ensurePartitions(connections, startsAt),
      async after(done) {
        if (!OWN_VACUUM) await vacuum(done);
        seen.push(await sizesOf(url));
      },
    });
    await Promise.all([connections.close(), store.close()]);
    await server.dropDatabase(url);
    tell(context, seen);
    for (const table of ['runs', 'queue', 'outbox']) assertFlat(seen, table);
  });
});

/** Not one page in twenty more than when it began to be steady, however many days come after. */
function assertFlat(seen: Sizes[], name: string): void {
  const sizes = seen.map(size => size[name]!);
  const steady = sizes.slice(STEADY_FROM - 1, STEADY_FROM + 3);
  const most = Math.max(...sizes.slice(STEADY_FROM + 3));
  const bound = Math.max(...steady) * 1.05;
  assert.ok(most <= bound, `${name}: ${most} bytes, after ${Math.max(...steady)}`);
}

async function sizesOf(url: string): Promise<Sizes> {
  const sizes = `
    SELECT pg_total_relation_size('queue')::float8 AS queue,
      pg_total_relation_size('outbox')::float8 AS outbox,
      (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('runs'))::float8 AS runs,
      (SELECT count(*) FROM pg_partition_tree('runs') WHERE isleaf)::float8 AS days`;
  return (await runOn(url, sizes))[0] as Sizes;
}

/**
 * What the server's autovacuum does, at the moment when its own settings or those of the table say so:
 * not once a minute, so that the test depends on no time.
 */
async function autovacuumOf(url: string): Promise<(done: DayDone) => Promise<void>> {
  const rows = await runOn(
    url,
    `SELECT relname AS name,
      coalesce(max(option_value) FILTER (WHERE option_name = 'autovacuum_vacuum_threshold'),
        current_setting('autovacuum_vacuum_threshold'))::float8 AS threshold,
      coalesce(max(option_value) FILTER (WHERE option_name = 'autovacuum_vacuum_scale_factor'),
        current_setting('autovacuum_vacuum_scale_factor'))::float8 AS factor
    FROM pg_class LEFT JOIN LATERAL pg_options_to_table(reloptions) ON true
    WHERE relname IN ('queue', 'outbox') AND relkind = 'r' GROUP BY relname`,
  );
  const dead: Sizes = { queue: 0, outbox: 0 };
  const live = async (name: string) =>
    (await runOn(url, `SELECT count(*)::float8 AS count FROM ${name}`))[0]!.count as number;
  return async ({ firings, callbacks }) => {
    // Each is claimed and settled; an ended callback is deleted some day.
    dead.queue! += 2 * firings;
    dead.outbox! += 3 * callbacks;
    for (const { name, threshold, factor } of rows as {
      name: string;
      threshold: number;
      factor: number;
    }[]) {
      if (dead[name]! <= threshold + factor * (await live(name))) continue;
      await runOn(url, `VACUUM ${name}`);
      dead[name] = 0;
    }
  };
}

function tell(context: TestContext, seen: Sizes[]): void {
  for (const [day, sizes] of seen.entries()) {
    const texts = Object.entries(sizes).map(([name, size]) =>
      name === 'days' ? `${size} tables of days` : `${name} ${(size / 2 ** 20).toFixed(2)} MiB`,
    );
    context.diagnostic(`day ${day + 1}: ${texts.join(', ')}`);
  }
}
