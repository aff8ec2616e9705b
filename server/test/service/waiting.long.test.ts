import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { emptyFolder, type Running, urlOf } from '../support/service/command.ts';
import { noSmallDisk, smallDisk } from '../support/service/small-disk.ts';
import { type PostgresServer, startPostgres } from '../support/store/postgres-server.ts';

/** A start while the store is away: it waits, says so, and takes up work when the store is there. */

const CREDENTIALS = { PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' };
const HEADERS = { ClientId: 'ada', ApiKey: 'the-key-of-ada-lovelace' };
const UNAVAILABLE = { error: 'The store cannot be written to at the moment.' };

const waiting = /"url":"/;
const listening = /"msg":"listening"/;

async function until(isThere: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isThere())) await pause(20);
}

const isReady = async (base: string) => (await fetch(`${base}/readyz`)).status === 200;

/** What it logged, as objects. */
function linesOf(service: Running): Record<string, unknown>[] {
  const lines = service.out().split('\n').slice(0, -1);
  return lines.map(line => JSON.parse(line));
}

async function assertWaits(base: string): Promise<void> {
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
  const ready = await fetch(`${base}/readyz`);
  assert.deepEqual([ready.status, await ready.json()], [503, UNAVAILABLE]);
  for (const path of ['/v1/schedule', '/v1/run', '/v1/nothing']) {
    const named = await fetch(base + path, { headers: HEADERS });
    assert.deepEqual([named.status, await named.json()], [500, UNAVAILABLE]);
    assert.equal(named.headers.get('punctual-error-code'), 'store_unavailable');
    assert.equal((await fetch(base + path)).status, 401);
  }
  assert.equal((await fetch(`${base}/`)).status, 500);
  assert.match(await (await fetch(`${base}/metrics`)).text(), /^punctual_connections_refused/m);
}

/** It goes on by itself, at the same place, and fires. */
async function assertTakesUpWork(context: TestContext, base: string): Promise<void> {
  await until(() => isReady(base));
  const target = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(target, 'listening');
  context.after(() => {
    target.closeAllConnections();
    target.close();
  });
  const arrival = once(target, 'request');
  const response = await fetch(`${base}/v1/schedule`, {
    method: 'POST',
    headers: { ...HEADERS, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
      verb: 'POST',
      interval: '* * * * * *',
      timezone: 'UTC',
    }),
  });
  assert.equal(response.status, 200, await response.text());
  await arrival;
}

function assertToldOnce(service: Running): void {
  const told = linesOf(service).filter(({ level }) => level === 'error');
  assert.equal(told.length, 1, service.out());
  assert.match(String(told[0]!.msg), /^the store is away; Punctual waits for it/);
}

describe('a start on a full disk', { skip: noSmallDisk }, () => {
  const environmentOn = (path: string) => ({
    ...CREDENTIALS,
    DATABASE_URL: `sqlite:${join(path, 'punctual.db')}`,
    PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
  });

  test('waits, says so, and takes up work when there is room', async context => {
    const disk = smallDisk(context);
    disk.fill();
    const service = await emptyFolder(context).start(['serve'], waiting, environmentOn(disk.path));
    const base = urlOf(service.out());
    await assertWaits(base);
    // Longer than it takes to try again.
    await pause(2_500);
    await assertWaits(base);
    assertToldOnce(service);
    disk.free();
    await assertTakesUpWork(context, base);
    assertToldOnce(service);
    assert.match(service.out(), listening);
    assert.equal(await service.stop(), 0);
  });

  test('on a database that is there already, it keeps its clients and schedules', async context => {
    const disk = smallDisk(context);
    const folder = emptyFolder(context);
    const environment = environmentOn(disk.path);
    const first = await folder.start(['serve'], listening, environment);
    await assertTakesUpWork(context, urlOf(first.out()));
    await first.stop();
    disk.fill();
    const service = await folder.start(['serve'], waiting, environment);
    const base = urlOf(service.out());
    await assertWaits(base);
    disk.free();
    await until(() => isReady(base));
    const list = await fetch(`${base}/v1/schedule`, { headers: HEADERS });
    assert.equal(((await list.json()) as { items: unknown[] }).items.length, 1);
    await service.stop();
  });

  test('a connection of before stays open, and is answered by the store', async context => {
    const disk = smallDisk(context);
    disk.fill();
    const service = await emptyFolder(context).start(['serve'], waiting, environmentOn(disk.path));
    const url = `${urlOf(service.out())}/v1/schedule`;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    context.after(() => agent.destroy());
    const ports = new Set<number>();
    const ask = async () => {
      const request = get(url, { agent, headers: HEADERS });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      ports.add(response.socket.localPort!);
      await once(response.resume(), 'end');
      return response.statusCode!;
    };
    assert.equal(await ask(), 500);
    disk.free();
    let status = 500;
    while (status === 500) status = await ask();
    assert.equal(status, 200);
    assert.equal(ports.size, 1, 'the connection was closed');
    await service.stop();
  });

  test('a read-only one ends it with one sentence, with a database and without', async context => {
    const disk = smallDisk(context);
    const folder = emptyFolder(context);
    const environment = environmentOn(disk.path);
    assert.equal((await folder.run(['migrate'], environment)).code, 0);
    disk.makeReadOnly();
    const elsewhere = { DATABASE_URL: `sqlite:${join(disk.path, 'new', 'punctual.db')}` };
    for (const settings of [environment, { ...environment, ...elsewhere }]) {
      const { code, err } = await folder.run(['serve'], settings);
      assert.equal(code, 1);
      assert.match(err, /^The database .*: .* is on a read-only file system\.\n$/);
    }
  });

  test('SIGTERM while it waits ends it at once, with exit code 0', async context => {
    const disk = smallDisk(context);
    disk.fill();
    const service = await emptyFolder(context).start(['serve'], waiting, environmentOn(disk.path));
    assert.equal(await service.stop(), 0);
    assert.equal(service.err(), '');
  });

  test('punctual dev waits too, and leaves no part of a file', async context => {
    const disk = smallDisk(context);
    disk.fill();
    const { DATABASE_URL } = environmentOn(disk.path);
    const environment = { DATABASE_URL };
    const service = await emptyFolder(context).start(['dev'], waiting, environment);
    await assertWaits(urlOf(service.out()));
    assert.deepEqual(
      readdirSync(disk.path).filter(file => /secret|dev-/.test(file)),
      [],
    );
    disk.free();
    await until(() => service.out().includes('Ctrl+C'));
    for (const file of ['secret.key', 'dev-credentials.json']) {
      assert.ok(existsSync(join(disk.path, file)), file);
    }
    assert.equal(await service.stop(), 0);
  });

  test('other commands fail at once, with one sentence', async context => {
    const disk = smallDisk(context);
    disk.fill();
    const { DATABASE_URL } = environmentOn(disk.path);
    for (const args of [['migrate'], ['client', 'create', '--name', 'x']]) {
      const { code, err } = await emptyFolder(context).run(args, { DATABASE_URL });
      assert.equal(code, 1);
      assert.match(err, /^The database .* cannot be opened: database or disk is full\.\n$/);
    }
  });
});

describe('a start without its PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  before(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
  });
  after(() => server.stop());

  test('waits for one that starts later, and takes up work then', async context => {
    await server.halt();
    const environment = {
      ...CREDENTIALS,
      DATABASE_URL: url,
      PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
    };
    const service = await emptyFolder(context).start(['serve'], waiting, environment);
    const base = urlOf(service.out());
    await assertWaits(base);
    assertToldOnce(service);
    assert.doesNotMatch(service.out(), /postgres:password|password@/);
    await server.start();
    await assertTakesUpWork(context, base);
    assert.equal(await service.stop(), 0);
  });

  test('waits for a name that is not known yet, and ends at a signal', async context => {
    const environment = { ...CREDENTIALS, DATABASE_URL: 'postgres://u:p@no.such.host.invalid/x' };
    const service = await emptyFolder(context).start(['serve'], waiting, environment);
    await assertWaits(urlOf(service.out()));
    assert.equal(await service.stop(), 0);
  });

  test('ends with a sentence where only somebody who changes the settings can help', async context => {
    const wrong: [string, RegExp][] = [
      [url.replace('password', 'another'), /password authentication failed/],
      [url.replace('test_', 'none_'), /does not exist/],
      [`${url}?sslmode=verify-full`, /does not support SSL/],
    ];
    for (const [DATABASE_URL, why] of wrong) {
      const { code, err } = await emptyFolder(context).run(['serve'], { DATABASE_URL });
      assert.equal(code, 1);
      assert.match(err, why);
      assert.equal(err.trim().split('\n').length, 1, err);
    }
  });
});

test('a start while another process holds the lock waits, names the file, and goes on', async context => {
  const folder = emptyFolder(context);
  const environment = { ...CREDENTIALS, DATABASE_URL: 'sqlite:punctual.db' };
  assert.equal((await folder.run(['migrate'], environment)).code, 0);
  const other = new DatabaseSync(join(folder.path, 'punctual.db'));
  other.exec('BEGIN IMMEDIATE');
  const service = await folder.start(['serve'], waiting, environment);
  const [told] = linesOf(service).filter(({ level }) => level === 'error');
  assert.match(
    String(told!.reason),
    /^The database .*punctual\.db cannot be written to: another process holds its lock\.$/,
  );
  const create = await folder.run(['client', 'create', '--name', 'x'], environment);
  assert.match(create.err, /^The store .*punctual\.db: another process holds its lock\.\n$/);
  other.close();
  await until(() => isReady(urlOf(service.out())));
  assert.equal(await service.stop(), 0);
});

describe('a start that no time helps', () => {
  test('a file that is no database ends it with a sentence', async context => {
    const folder = emptyFolder(context);
    writeFileSync(join(folder.path, 'punctual.db'), 'x'.repeat(8_192));
    const { code, err, out } = await folder.run(['serve'], { DATABASE_URL: 'sqlite:punctual.db' });
    assert.equal(code, 1, out);
    assert.match(err, /^The database .*punctual\.db cannot be opened: file is not a database\.\n$/);
  });
});
