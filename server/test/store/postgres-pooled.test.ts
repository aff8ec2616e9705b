import { after, test } from 'node:test';
import { storeContract } from './contract.ts';
import { startPgbouncer, whyNoPgbouncer } from './pgbouncer.ts';
import { postgresKeepers } from './postgres-keeper.ts';
import { startPostgres } from './postgres-server.ts';

const why = whyNoPgbouncer();
if (why !== null) test('PostgreSQL behind pgBouncer', { skip: why }, () => {});
else {
  const server = await startPostgres();
  const pgbouncer = await startPgbouncer(server.port);
  after(async () => {
    await pgbouncer.stop();
    await server.stop();
  });
  storeContract('PostgreSQL behind pgBouncer', postgresKeepers(server, pgbouncer.through));
}
