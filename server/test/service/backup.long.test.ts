import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { PunctualClient } from '../../../client/src/index.ts';
import { emptyFolder, folderWithStore, urlOf } from '../support/service/command.ts';

/** `punctual backup`, as an operator uses it. */

const LISTENING = /"listening"/;
const CREDENTIALS = {
  PUNCTUAL_CLIENT_ID: 'billing',
  PUNCTUAL_API_KEY: 'a-key-of-more-than-twenty',
};
const SCHEDULES = 200;

describe('punctual backup', () => {
  test('copies a store that fires, and the copy goes on where it was', async context => {
    const arrived = new Map<string, number>();
    const target = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      request.resume();
      response.end();
    }).listen(0, '127.0.0.1');
    context.after(() => target.close());
    const folder = emptyFolder(context);
    const environment = { ...CREDENTIALS, PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
    const service = await folder.start(['serve'], LISTENING, environment);
    const clientOf = (out: string) =>
      new PunctualClient({
        baseUrl: urlOf(out),
        clientId: CREDENTIALS.PUNCTUAL_CLIENT_ID,
        apiKey: CREDENTIALS.PUNCTUAL_API_KEY,
      });
    const client = clientOf(service.out());
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
    const schedule = { url, verb: 'POST' as const, interval: '* * * * * *', timezone: 'UTC' };
    await client.createSchedules(Array(SCHEDULES).fill(schedule));
    while (arrived.size < 2 * SCHEDULES) await new Promise(resolve => setTimeout(resolve, 20));

    const { code, out, err } = await folder.run(['backup', 'copy.db', '--json']);
    assert.deepEqual([code, err], [0, '']);
    const file = join(folder.path, 'copy.db');
    const { size, mode } = statSync(file);
    assert.deepEqual(JSON.parse(out), { file, bytes: size });
    assert.equal(mode & 0o777, 0o600);
    const before = await client.listRuns({ limit: 100 });
    assert.ok(before.items.length > 0, 'the service went on');
    assert.equal(await service.stop(), 0);
    const sent = arrived.size;

    mkdirSync(join(folder.path, 'restored'));
    copyFileSync(file, join(folder.path, 'restored/punctual.db'));
    const restored = await folder.start(['serve'], LISTENING, {
      ...environment,
      DATABASE_URL: 'sqlite:./restored/punctual.db',
    });
    const { items } = await clientOf(restored.out()).listRuns({ limit: 100 });
    assert.ok(items.length > 0, 'history is there');
    while (arrived.size < sent + SCHEDULES) await new Promise(resolve => setTimeout(resolve, 20));
    assert.equal(await restored.stop(), 0);
  });

  test('overwrites nothing, and leaves nothing where it fails', async context => {
    const folder = await folderWithStore(context);
    writeFileSync(join(folder.path, 'there.db'), 'mine');
    for (const [file, sentence] of [
      ['there.db', /the file exists/],
      ['no/such/folder.db', /ENOENT/],
      ['.', /No backup was made/],
    ] as const) {
      const { code, out, err } = await folder.run(['backup', file]);
      assert.deepEqual([code, out], [1, ''], file);
      assert.match(err, sentence);
      assert.equal(err.trim().split('\n').length, 1);
    }
    assert.equal(statSync(join(folder.path, 'there.db')).size, 4);
    assert.deepEqual(readdirSync(folder.path).sort(), ['data', 'there.db']);
  });

  test('a store that is no database is refused, and nothing is left', async context => {
    const folder = await folderWithStore(context);
    writeFileSync(join(folder.path, 'bad.db'), 'this is no database of SQLite, only some text');
    const { code, err } = await folder.run(['backup', 'copy.db'], {
      DATABASE_URL: 'sqlite:./bad.db',
    });
    assert.equal(code, 1);
    assert.match(err, /^No backup was made at copy\.db: .+\.\n$/);
    assert.ok(!readdirSync(folder.path).includes('copy.db'));
  });

  test('holds the content alone, so it gives back the space that deleted rows left', async context => {
    const folder = await folderWithStore(context);
    const file = join(folder.path, 'data/punctual.db');
    const store = new DatabaseSync(file);
    // Pages as a pruner leaves them: free, and still in the file.
    store.exec('CREATE TABLE deleted (bytes); INSERT INTO deleted VALUES (zeroblob(4000000))');
    store.exec('DROP TABLE deleted');
    store.close();
    const { size } = statSync(file);
    assert.ok(size > 4e6, `${size} bytes`);
    const { code, out } = await folder.run(['backup', 'data/smaller.db', '--json']);
    assert.equal(code, 0);
    assert.ok(JSON.parse(out).bytes < size / 4, out);
    const { code: judged } = await folder.run(['doctor'], {
      DATABASE_URL: 'sqlite:data/smaller.db',
    });
    assert.equal(judged, 0);
  });
});
