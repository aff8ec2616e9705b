import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { countTimesWith } from '../../src/domain/calendar/times.ts';
import { BUILT_IN } from '../../src/domain/calendar/zones/zone-data.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { newCells } from '../../src/store/sqlite/schedule-codec.ts';
import { openThreaded, StoreWorker } from '../../src/store/sqlite/worker/client.ts';
import { aClient, anId, aSchedule, stored } from '../support/store/backend.ts';

const CLIENT = { id: 'one', name: 'one', signingSecret: 'whsec_AAAA', createdAt: 1 };
/** Schedules. */
const BATCH = 500;

describe('the thread that writes', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'punctual-'));
    path = join(folder, 'punctual.db');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const REVOCATION = ['client', 'key', { revokedAt: 1, withDescendants: false }] as const;
  test('a fault there arrives with its code, its sentence and its cause', async () => {
    const writer = new StoreWorker(path, 'write');
    await writer.call('clients', 'insertClient', [CLIENT]);
    await assert.rejects(writer.call('clients', 'insertClient', [CLIENT]), /UNIQUE/);
    const beside = new DatabaseSync(path);
    beside.exec('DROP TABLE api_keys');
    beside.close();
    await assert.rejects(writer.call('keys', 'revokeKey', [...REVOCATION]), (error: Error) => {
      assert.match(error.message, /cannot be written to/);
      assert.equal((error as { code?: string }).code, 'store_unavailable');
      assert.match(String(error.cause), /api_keys/);
      return true;
    });
    await writer.close();
  });

  test('it counts times by the rules that the thread which opens it counts by', async () => {
    const files = new Map(BUILT_IN.files);
    files.set('America/Winnipeg', files.get('America/Chicago')!);
    countTimesWith({ release: '2026c', files });
    const store = openThreaded(path);
    try {
      const times = { interval: '0 12 * * *', timezone: 'America/Winnipeg' };
      const late = Date.parse('2027-01-01T18:00Z');
      const caller = await aClient(store);
      await stored(store, caller, times, { first: late, second: late + 86_400_000 });
      const bite = await store.queue.recount(Date.parse('2026-11-24T00:00Z'), 0);
      assert.equal(bite?.dueAt, Date.parse('2026-11-24T18:00Z'));
    } finally {
      await store.close();
      countTimesWith(BUILT_IN);
    }
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

  test('it gives way to all other threads of the process, and none of them to it', {
    // One that is as nice as can be cannot give way any further.
    skip: process.platform !== 'linux' || getPriority() === 19,
  }, async () => {
    const before = nicenesses();
    const store = openThreaded(path);
    await store.clients.insertClient(CLIENT);
    const after = nicenesses();
    await store.close();
    const nicer = [...after.values()].filter(niceness => niceness > getPriority());
    assert.equal(nicer.length, 1);
    for (const [thread, niceness] of before) assert.equal(after.get(thread), niceness);
  });

  test('a claim waits for one batch of new schedules at most, whatever came before it', async () => {
    const writer = new StoreWorker(path, 'write');
    await writer.call('clients', 'insertClient', [CLIENT]);
    const answered: string[] = [];
    // The texts are made first: all is asked for within a moment.
    const texts = [1, 2, 3].map(batch => [`batch ${batch}`, batchText()] as const);
    const batches = texts.map(([batch, text]) =>
      writer.call('schedules', 'insertText', [1, text]).then(() => answered.push(batch)),
    );
    const claim = writer.call('queue', 'claimText', [1, 10, 0]).then(() => answered.push('claim'));
    await Promise.all([...batches, claim]);
    await writer.close();
    // The thread may take up the first batch before the claim has come.
    const waited = answered.indexOf('claim');
    assert.ok(waited === 0 || waited === 1, `answered: ${answered}`);
    assert.deepEqual(answered.toSpliced(waited, 1), ['batch 1', 'batch 2', 'batch 3']);
  });

  test('what waits is written before the thread ends', async () => {
    const writer = new StoreWorker(path, 'write');
    await writer.call('clients', 'insertClient', [CLIENT]);
    void writer.call('queue', 'claimText', [1, 10, 0]);
    const batches = [0, 1, 2].map(() => writer.call('schedules', 'insertText', [1, batchText()]));
    await writer.close();
    await Promise.all(batches);
    const beside = new DatabaseSync(path);
    const { count } = beside.prepare('SELECT count(*) AS count FROM schedules').get()!;
    beside.close();
    assert.equal(count, 3 * BATCH);
  });

  test('who reads cannot write, whichever method is called', async () => {
    for (const access of ['read', 'scan'] as const) {
      const store = openSqlite(path, access);
      await assert.rejects(store.clients.insertClient(CLIENT), isReadOnly);
      assert.deepEqual(await store.clients.listClients(), []);
      await store.close();
    }
  });

  test('closing twice is closing once, and calls after it fail', async () => {
    const writer = new StoreWorker(path, 'write');
    await writer.call('clients', 'insertClient', [CLIENT]);
    await Promise.all([writer.close(), writer.close()]);
    await assert.rejects(writer.call('clients', 'insertClient', [CLIENT]), {
      code: 'store_unavailable',
    });
  });
});

function isReadOnly(error: Error): boolean {
  return /readonly database/.test(String(error.cause));
}

/** As long as a turn has room for. */
function batchText(): string {
  const label = 'x'.repeat(100);
  const made = Array.from({ length: BATCH }, () => aSchedule({ id: anId(), label }));
  return JSON.stringify(
    made.map(schedule => newCells({ schedule, start: { first: 10, second: 20 } })),
  );
}

/** By thread: the 19th field of its `stat` (proc_pid_stat(5)). */
function nicenesses(): Map<string, number> {
  const threads = '/proc/self/task';
  return new Map(
    readdirSync(threads).map(thread => {
      const stat = readFileSync(join(threads, thread, 'stat'), 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [thread, Number(fields[16])];
    }),
  );
}
