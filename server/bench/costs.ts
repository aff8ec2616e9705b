import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim } from '../src/store/contract/queue.ts';
import type { Store } from '../src/store/contract/store.ts';
import { openPostgres } from '../src/store/postgres/open.ts';
import {
  aClient,
  anAttempt,
  aRecord,
  aSchedule,
  settlementOf,
  waiting,
} from '../test/support/store/backend.ts';
import {
  type PostgresServer,
  runOn,
  startPostgres,
} from '../test/support/store/postgres-server.ts';

/**
 * Measures the costs of a schedule and a firing on PostgreSQL, for the capacity model
 * (docs/scaling.md): processor time of server and client, log and disk, without any target. Linux
 * only (/proc).
 *
 * Run `node server/bench/costs.ts`. The store holds `COSTS_SCHEDULES`; `COSTS_DUE` of them fire in
 * each of `COSTS_ROUNDS`. `COSTS_CALLERS` claim and settle at the same moment.
 */
const SCHEDULES = Number(process.env.COSTS_SCHEDULES ?? 20_000);
const DUE = Number(process.env.COSTS_DUE ?? 20_000);
const ROUNDS = Number(process.env.COSTS_ROUNDS ?? 10);
const CALLERS = Number(process.env.COSTS_CALLERS ?? 2);
const BATCH = 500;
/** Clock ticks of the kernel in a second (`getconf CLK_TCK`). */
const TICKS = 100;
const MINUTE = 60_000;

async function main(): Promise<void> {
  const server = await startPostgres({ durable: true });
  const url = await server.createDatabase();
  const store = await openPostgres(url);
  try {
    const start = Date.now();
    await create(store, start);
    await runOn(url, 'VACUUM ANALYZE');
    say(`${whole(SCHEDULES)} schedules, ${whole(DUE)} due at once, ${CALLERS} callers`);
    for (const table of ['schedules', 'queue']) {
      say(`${table}: ${whole((await sizeOf(url, table)) / SCHEDULES)} bytes a schedule`);
    }
    await fireAll(store, start);
    await measure(server, url, store, start);
  } finally {
    await store.close();
    await server.stop();
  }
}

async function create(store: Store, start: number): Promise<void> {
  const { clientRowId } = await aClient(store);
  for (let made = 0; made < SCHEDULES; made += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, SCHEDULES - made) }, (_, index) => ({
      schedule: aSchedule({ label: `bench ${made + index}` }),
      start: { first: made + index < DUE ? start : start + 1_000 * MINUTE, second: null },
    }));
    await store.schedules.insert(clientRowId, batch);
  }
}

async function measure(server: PostgresServer, url: string, store: Store, start: number) {
  const [cpu, own, wal, size, at] = [
    serverMicros(server),
    process.cpuUsage(),
    await walOf(url),
    await sizeOf(url, 'runs'),
    performance.now(),
  ];
  for (let round = 1; round <= ROUNDS; round += 1) await fireAll(store, start + round * MINUTE);
  const seconds = (performance.now() - at) / 1_000;
  const firings = DUE * ROUNDS;
  const { user, system } = process.cpuUsage(own);
  say(`${whole(firings / seconds)} firings/s claimed and settled, by ${CALLERS} callers`);
  say(`server: ${((serverMicros(server) - cpu) / firings).toFixed(1)} µs a firing`);
  say(`client: ${((user + system) / firings).toFixed(1)} µs a firing`);
  say(`log: ${whole(((await walOf(url)) - wal) / firings)} bytes a firing`);
  say(`history: ${whole(((await sizeOf(url, 'runs')) - size) / firings)} bytes a run`);
  say(`queue, after it: ${whole((await sizeOf(url, 'queue')) / SCHEDULES)} bytes a schedule`);
}

/** All that is due, once: each moves to the next minute. */
async function fireAll(store: Store, now: number): Promise<void> {
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (;;) {
        const { claims } = await store.queue.claim(now, BATCH, now);
        if (claims.length === 0) return;
        await store.queue.settle(claims.map(claim => ended(claim, now + MINUTE)));
      }
    }),
  );
}

function ended(claim: Claim, next: number) {
  const answer = {
    responseStatus: 200,
    responseHeaders: { server: 'nginx', date: 'x'.repeat(29) },
  };
  const records = [
    aRecord(claim.schedule.id, claim.scheduledFor, { attempts: [anAttempt(1, answer)] }),
  ];
  return settlementOf(claim, waiting(next, null), { records });
}

/** Processor time of the server's processes so far, µs. */
function serverMicros({ folder }: PostgresServer): number {
  const main = Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const stat = statOf(pid);
    // Behind the name: state, parent; user and system time are the 12th and 13th.
    if (Number(pid) === main || Number(stat[1]) === main)
      ticks += Number(stat[11]) + Number(stat[12]);
  }
  return (ticks / TICKS) * 1e6;
}

function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

async function walOf(url: string): Promise<number> {
  const sql = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes";
  return (await runOn(url, sql))[0]!.bytes as number;
}

async function sizeOf(url: string, table: string): Promise<number> {
  const sql = `
    SELECT sum(pg_total_relation_size(relid))::float8 AS bytes
    FROM (SELECT relid FROM pg_partition_tree('${table}') UNION SELECT '${table}'::regclass) AS all_of`;
  return (await runOn(url, sql))[0]!.bytes as number;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
