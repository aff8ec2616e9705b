import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openThreaded, Writer } from '../../src/store/sqlite/threaded.ts';

const CLIENT = { id: 'one', name: 'one', signingSecret: 'whsec_AAAA', createdAt: 1 };

describe('the thread that writes', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'punctual-'));
    path = join(folder, 'punctual.db');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test('a fault there arrives with its code, its sentence and its cause', async () => {
    const writer = new Writer(path);
    await writer.call('clients', 'insertClient', [CLIENT]);
    await assert.rejects(writer.call('clients', 'insertClient', [CLIENT]), /UNIQUE/);
    const beside = new DatabaseSync(path);
    beside.exec('DROP TABLE api_keys');
    beside.close();
    await assert.rejects(writer.call('clients', 'revokeKey', ['id', 1]), (error: Error) => {
      assert.match(error.message, /cannot be written to/);
      assert.equal((error as { code?: string }).code, 'store_unavailable');
      assert.match(String(error.cause), /api_keys/);
      return true;
    });
    await writer.close();
  });

  const isLinux = existsSync('/proc/locks');
  test('its lock on the file stands, so that no other process thinks to be alone', {
    skip: !isLinux,
  }, async () => {
    const store = openThreaded(path);
    await store.clients.insertClient(CLIENT);
    const { ino } = statSync(path);
    const locks = readFileSync('/proc/locks', 'utf8').split('\n');
    const ours = locks.filter(line => line.includes(`READ`) && line.includes(`:${ino} `));
    await store.close();
    assert.ok(ours.length > 0, 'nobody holds the file');
  });

  test('closing twice is closing once, and calls after it fail', async () => {
    const writer = new Writer(path);
    await writer.call('clients', 'insertClient', [CLIENT]);
    await Promise.all([writer.close(), writer.close()]);
    await assert.rejects(writer.call('clients', 'insertClient', [CLIENT]), {
      code: 'store_unavailable',
    });
  });
});
