import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { mock, type TestContext, test } from 'node:test';
import { runId } from '../../src/domain/id.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import {
  aClient,
  aRecord,
  claimManual,
  claimOne,
  NOON,
  outboxSettlementOf,
  settled,
  stored,
  triggered,
} from '../support/store/backend.ts';

/** The thread that writes ends a run while another one reads: the reader finds it once, whatever it has read so far. */

const TABLES = ['queue', 'outbox', 'runs'];
type Rows = Record<string, Record<string, string | number | null>[]>;

function aFile(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-ending-'));
  const path = join(folder, 'punctual.db');
  const store = openSqlite(path);
  const writer = new DatabaseSync(path);
  context.after(async () => {
    writer.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const rows = (): Rows =>
    Object.fromEntries(
      TABLES.map(table => [table, writer.prepare(`SELECT * FROM ${table}`).all() as Rows[string]]),
    );
  const become = (state: Rows) => {
    writer.exec('BEGIN');
    for (const table of TABLES) {
      writer.exec(`DELETE FROM ${table}`);
      for (const row of state[table]!) {
        const names = Object.keys(row);
        const places = names.map(() => '?').join();
        const insert = `INSERT INTO ${table} (${names.map(name => `"${name}"`)}) VALUES (${places})`;
        writer.prepare(insert).run(...Object.values(row));
      }
    }
    writer.exec('COMMIT');
  };
  return { store, rows, become };
}

/** Looks again and again, and lets `happen` come before the first statement, the second, and so on, until none is left. */
async function beforeEachStatement(
  look: () => Promise<void>,
  reset: () => void,
  happen: () => void,
): Promise<number> {
  for (let before = 0; ; before += 1) {
    reset();
    let [statements, isPlaying] = [0, false];
    const step = () => {
      if (isPlaying) return;
      isPlaying = true;
      if (statements === before) happen();
      statements += 1;
      isPlaying = false;
    };
    const mocks = (['get', 'all'] as const).map(name => {
      const original = StatementSync.prototype[name] as (...args: unknown[]) => unknown;
      return mock.method(StatementSync.prototype, name, function (this: unknown, ...args: []) {
        step();
        return original.apply(this, args);
      });
    });
    try {
      await look();
    } finally {
      for (const each of mocks) each.mock.restore();
    }
    if (statements <= before) return before;
  }
}

for (const trigger of ['cron', 'manual'] as const) {
  test(`${trigger}: a run that ends between two statements of a reader is found once`, async t => {
    const { store, rows, become } = aFile(t);
    const caller = await aClient(store);
    let id: string;
    let end: () => Promise<unknown>;
    if (trigger === 'manual') {
      const schedule = await stored(store, caller, {}, null);
      id = await triggered(store, caller, schedule);
      const claim = await claimManual(store);
      const record = aRecord(schedule.id, NOON, { id, trigger });
      end = () => store.outbox.settle([outboxSettlementOf(claim, 'succeeded', { record })]);
    } else {
      const schedule = await stored(store, caller);
      const claim = await claimOne(store);
      id = runId(schedule.id, NOON);
      end = () => settled(store, claim, null, { records: [aRecord(schedule.id, NOON)] });
    }
    const running = rows();
    await end();
    const ended = rows();
    assert.notDeepEqual(running, ended);
    const { clientRowId } = caller;
    const { scheduleId } = (await store.runs.find(clientRowId, id))!;
    const looks = {
      find: async () => [await store.runs.find(clientRowId, id)],
      list: () => store.runs.list(clientRowId, {}, 10),
      'list of its schedule': () => store.runs.list(clientRowId, { scheduleId }, 10),
    };
    for (const [name, look] of Object.entries(looks)) {
      const found = async () => {
        const ids = (await look()).map(run => run?.id);
        assert.deepEqual(ids, [id], name);
      };
      const statements = await beforeEachStatement(
        found,
        () => become(running),
        () => become(ended),
      );
      assert.ok(statements > 1, `${name}: ${statements} statements`);
    }
  });
}
