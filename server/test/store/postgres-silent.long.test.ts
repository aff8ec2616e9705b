import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Connections } from '../../src/store/postgres/connection.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';
import { heldWayTo } from '../support/store/held-way.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

/** A PostgreSQL that has gone silent: no connection breaks, and no answer comes. */

const server = await startPostgres();
const url = await server.createDatabase();
const way = await heldWayTo(server.port);
after(async () => {
  way.close();
  await server.stop();
});
const through = url.replace(`:${server.port}/`, `:${way.port}/`);
const HEADERS = {
  ClientId: 'ada',
  ApiKey: 'the-key-of-ada-lovelace',
  'Content-Type': 'application/json',
};

test('a call is answered within 5 s, and a write that is sent again is done once', async context => {
  const service = await emptyFolder(context).start(['serve'], /"msg":"listening"/, {
    PUNCTUAL_CLIENT_ID: 'ada',
    PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace',
    DATABASE_URL: through,
  });
  const base = urlOf(service.out());
  const ask = async (path: string, more: RequestInit = {}) => {
    const signal = AbortSignal.timeout(5_000);
    const answer = await fetch(base + path, { headers: HEADERS, signal, ...more });
    return { status: answer.status, body: await answer.json() };
  };
  const create = (key: string) =>
    ask('/v1/schedule', {
      method: 'POST',
      headers: { ...HEADERS, 'Idempotency-Key': key },
      body: JSON.stringify({
        url: 'https://example.com/',
        verb: 'POST',
        interval: '0 0 1 1 *',
        timezone: 'UTC',
        label: key,
      }),
    });
  const settled = async (work: () => Promise<{ status: number }>) => {
    while ((await work()).status !== 200);
  };
  await settled(() => ask('/v1/schedule'));
  for (const what of ['all', 'answers'] as const) {
    way.hold(what);
    // More than there are connections, and than may look through much at once.
    const calls = [
      create(what),
      ...Array.from({ length: 12 }, () => ask('/v1/run?limit=1')),
      ...Array.from({ length: 8 }, () => ask('/v1/schedule?label=x')),
    ];
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([500]));
    assert.equal((await ask('/readyz')).status, 503);
    way.pass();
    await settled(() => create(what));
    assert.equal((await create(what)).status, 200);
    const { body } = await ask('/v1/schedule');
    const labels = (body as { items: { label: string }[] }).items.map(({ label }) => label);
    assert.equal(labels.filter(label => label === what).length, 1, `${labels}`);
  }
  assert.equal(await service.stop(), 0);
});

test('a slow statement is not taken for silence', async () => {
  const connections = new Connections(through, 1);
  assert.equal((await connections.query("SELECT 'done' AS is FROM pg_sleep(7)"))[0]!.is, 'done');
  await connections.close();
});
