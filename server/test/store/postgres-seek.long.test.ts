import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Connections } from '../../src/store/postgres/connection.ts';
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts';

const servers = [await startPostgres(), await startPostgres()] as [PostgresServer, PostgresServer];
after(async () => {
  for (const server of servers) await server.stop();
});

test('PostgreSQL: a node stays with the server that it went to, also when the old one is back and takes writes', async () => {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const [first, second] = servers;
  const url = `postgres://postgres:password@${hosts}/postgres?target_session_attrs=read-write`;
  const connections = new Connections(url, 2);
  const port = async () => Number((await connections.query('SHOW port'))[0]!.port);
  await connections.seek();
  assert.equal(await port(), first.port);
  await first.halt();
  await assert.rejects(port());
  await connections.seek();
  assert.equal(await port(), second.port);
  await first.start();
  await connections.seek();
  assert.equal(await port(), second.port);
  await connections.close();
});
