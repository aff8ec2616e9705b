import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { aClient, aSchedule, NOON, SEEN } from '../support/store/backend.ts';
import { startPgbouncer, whyNoPgbouncer } from '../support/store/pgbouncer.ts';
import { postgresBackends } from '../support/store/postgres-backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';
import { storeContract } from './contract/contract.ts';

const why = whyNoPgbouncer();
if (why !== null) test('PostgreSQL behind pgBouncer', { skip: why }, () => {});
else {
  const server = await startPostgres();
  const pgbouncer = await startPgbouncer(server.port);
  storeContract('PostgreSQL behind pgBouncer', postgresBackends(server, pgbouncer.through));
  after(async () => {
    await pgbouncer.stop();
    await server.stop();
  });

  describe('PostgreSQL behind pgBouncer', () => {
    test('calls at the same moment share sessions, and each has its settings for its own time', async () => {
      const url = await server.createDatabase();
      const connections = new Connections(pgbouncer.through(url), 10);
      const settings = `SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS timeout,
        current_setting('enable_seqscan') AS seqscan FROM pg_sleep(0.02)`;
      const rows = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          at % 2
            ? connections.query(settings)
            : connections.transaction(query => query({ name: 'the same', text: settings })),
        ),
      );
      await connections.close();
      assert.ok(new Set(rows.map(([row]) => row!.pid)).size > 1);
      for (const [row] of rows) assert.deepEqual([row!.timeout, row!.seqscan], ['10s', 'off']);
      const [after] = await runOn(pgbouncer.through(url), settings);
      assert.deepEqual([after!.timeout, after!.seqscan], ['0', 'on'], 'what others find there');
    });

    test('many claims at the same moment take each row once', async () => {
      const url = pgbouncer.through(await server.createDatabase());
      const [a, b] = await Promise.all([openPostgres(url), openPostgres(url)]);
      const { clientRowId } = await aClient(a);
      const start = { first: NOON, second: null };
      const batch = Array.from({ length: 1_000 }, () => ({ schedule: aSchedule(), start }));
      await a.schedules.insert(clientRowId, batch);
      const claims = await Promise.all(
        Array.from({ length: 40 }, (_, at) => (at % 2 ? a : b).queue.claim(NOON, 30, SEEN)),
      );
      await Promise.all([a.close(), b.close()]);
      const keys = claims.flatMap(taken => taken.claims).map(({ scheduleRowId }) => scheduleRowId);
      assert.deepEqual([keys.length, new Set(keys).size], [1_000, 1_000]);
    });

    test('nobody listens there: the node says so, and the sessions are left as they were', async () => {
      const url = await server.createDatabase();
      const store = await openPostgres(pgbouncer.through(url));
      const { promise: told, resolve: tell } = Promise.withResolvers<string>();
      const listening = store.cluster!.listen({
        wake() {},
        changed() {},
        wakeOutbox() {},
        rotated() {},
        listening: (isListening, why) => tell(isListening ? 'it hears' : why!),
      });
      assert.match(await told, /Behind a pooler/);
      const channels = await runOn(pgbouncer.through(url), 'SELECT pg_listening_channels()');
      assert.deepEqual(channels, []);
      await listening.close();
      await store.close();
    });
  });
}
