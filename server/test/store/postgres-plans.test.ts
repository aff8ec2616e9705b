import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { callEverything } from './everything.ts';
import { startPostgres } from './postgres-server.ts';

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

test('PostgreSQL: what is asked all the time never reads a whole table', async () => {
  const url = await server.createDatabase();
  const store = await openPostgres(url);
  await callEverything(store);
  assert.equal(statements.size, 37);

  const connections = new Connections(url, 1);
  await connections.query('ANALYZE');
  for (const [name, text] of statements) {
    await connections.query(`PREPARE ${name} AS ${text}`);
    const values = Array.from({ length: parametersOf(text) }, () => 'NULL').join();
    const execute = values === '' ? `EXECUTE ${name}` : `EXECUTE ${name} (${values})`;
    const plan = await connections.query(`EXPLAIN (COSTS OFF) ${execute}`);
    const steps = plan.map(row => row['QUERY PLAN'] as string);
    assert.deepEqual(
      steps.filter(step => /Seq Scan|Disabled/.test(step)),
      [],
      name,
    );
    // An index without a condition is as long as its table, but for those on a part of it.
    const whole = steps.filter(
      (step, index) =>
        /Index (Only )?Scan .* on (queue|schedules|outbox|runs)/.test(step) &&
        !/queue_due|queue_begun|outbox_(due|in_flight|manual)/.test(step) &&
        !steps[index + 1]?.includes('Index Cond'),
    );
    assert.deepEqual(whole, [], name);
  }
  await Promise.all([connections.close(), store.close()]);
});

/** How many it has: the plan is the one for any values. */
function parametersOf(text: string): number {
  return Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(match => Number(match[1])));
}
