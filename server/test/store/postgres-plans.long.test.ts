import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { callEverything } from '../support/store/everything.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

/** Every prepared statement that has been sent, by its name. */
const statements = new Map<string, string>();
const send = Client.prototype.query as (...args: unknown[]) => unknown;
Client.prototype.query = function (this: Client, query: { name?: string; text: string }) {
  if (query?.name !== undefined) statements.set(query.name, query.text);
  // biome-ignore lint/complexity/noArguments: passed on as they came
  return send.apply(this, [...arguments]);
} as typeof Client.prototype.query;

/** Indexes on a part of a table, without a condition as long as that part: whose work it is to read them. */
const PARTS: Record<string, string[]> = {
  queue_due: [
    'queue_claim',
    'queue_claim_of_others',
    'fireable_schedules_and_next_due',
    'queue_next_due',
    'queue_depth',
    'figures_upcoming',
  ],
  queue_begun: ['queue_cut_off', 'queue_cut_leases', 'runs_begun', 'figures_upcoming_ahead'],
  queue_retrying: ['runs_begun'],
  queue_awaiting: ['runs_begun', 'completions_awaiting', 'recount_known_after'],
  outbox_due: ['outbox_due', 'outbox_next_due', 'outbox_depth'],
  outbox_awaiting: ['outbox_due', 'outbox_next_due', 'completions_awaiting'],
  outbox_in_flight: ['outbox_cut_off', 'outbox_cut_leases'],
  // Manual runs that have not ended.
  outbox_manual: ['outbox_due', 'outbox_block', 'outbox_take'],
  // Further runs, at most one of a schedule.
  outbox_of_target: ['outbox_depth'],
};

/**
 * They read a table from end to end, once in a while: at a start, after other rules of time zones have come, and the few
 * engines every two seconds.
 */
const SELDOM = ['zone_rules_list', 'zone_rules_in_use', 'engines_note'];

const ANALYZE = 'VACUUM ANALYZE queue; VACUUM ANALYZE outbox; ANALYZE';
/** What the server may have learnt of the tables, at a moment that nobody chooses. */
const MOMENTS: [string, string[]][] = [
  ['as long as it knows nothing', []],
  ['when it looked while all waited', [ANALYZE]],
  [
    'when it looked while all was in flight',
    [
      "UPDATE queue SET state = 'inFlight', lease_until = now()",
      "UPDATE outbox SET state = 'inFlight', lease_until = now()",
      ANALYZE,
    ],
  ],
  [
    'when it looked while there was nothing',
    [
      'CREATE TABLE kept AS SELECT * FROM queue',
      'DELETE FROM queue',
      ANALYZE,
      'INSERT INTO queue SELECT * FROM kept',
    ],
  ],
];

for (const [moment, learning] of MOMENTS) {
  test(`PostgreSQL: what is asked all the time never reads a whole table, ${moment}`, async () => {
    const url = await server.createDatabase();
    const store = await openPostgres(url);
    await callEverything(store);
    assert.equal(statements.size, 164);
    await store.close();
    for (const sql of learning.flatMap(text => text.split('; '))) await runOn(url, sql);

    const connections = new Connections(url, 1);
    for (const [name, text] of statements) {
      if (SELDOM.includes(name)) continue;
      const steps = await planOf(connections, name, text);
      assert.deepEqual(
        steps.filter(step => /Seq Scan|Disabled/.test(step)),
        [],
        name,
      );
      assert.deepEqual(wholeScans(steps, name), [], name);
    }
    await connections.close();
  });
}

async function planOf(connections: Connections, name: string, text: string): Promise<string[]> {
  await connections.query(`PREPARE ${name} AS ${text}`);
  const values = Array.from({ length: parametersOf(text) }, () => 'NULL').join();
  const execute = values === '' ? `EXECUTE ${name}` : `EXECUTE ${name} (${values})`;
  const plan = await connections.query(`EXPLAIN (COSTS OFF) ${execute}`);
  return plan.map(row => row['QUERY PLAN'] as string);
}

/** Scans of an index from end to end: of a whole one, or of a part that others are to read. */
function wholeScans(steps: string[], name: string): string[] {
  return steps.filter((step, index) => {
    const [, used] =
      /Index (?:Only )?Scan .*using (\w+) on (?:queue|schedules|schedule_texts|schedule_marks|idempotency|outbox|runs|breakers)/.exec(
        step,
      ) ?? [];
    if (used === undefined || steps[index + 1]?.includes('Index Cond')) return false;
    return !PARTS[used]?.includes(name);
  });
}

/** How many it has: the plan is the one for any values. */
function parametersOf(text: string): number {
  return Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(match => Number(match[1])));
}
