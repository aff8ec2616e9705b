import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { buildShim, cutPower, type Shim, whyNoPowerCut } from './powercut.ts';

/** The tool itself: that Node's SQLite writes through what it watches, and that it takes back. */

const why = whyNoPowerCut();

/** Writes rows, one commit each, and is then gone without a word. */
const WRITER = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = ' + process.argv[2]);
  database.exec('PRAGMA wal_autocheckpoint = ' + process.argv[3]);
  database.exec('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, filler TEXT)');
  const insert = database.prepare('INSERT INTO rows (filler) VALUES (?)');
  for (let row = 0; row < 200; row++) insert.run('x'.repeat(2000));
  process.kill(process.pid, 'SIGKILL');
`;

describe('power cut', { skip: why ?? false }, () => {
  let folder: string;
  let shim: Shim;

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'punctual-powercut-')));
    shim = buildShim(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** @returns how many rows are left, of 200 that were committed */
  function rowsAfterCut(name: string, synchronous: string, checkpoint: number, cuts = 1): number {
    const path = join(folder, name);
    for (let cut = 0; cut < cuts; cut++) {
      const { signal, stderr } = spawnSync(
        process.execPath,
        ['-e', WRITER, path, synchronous, String(checkpoint)],
        { env: { ...process.env, ...shim.environment(path) }, encoding: 'utf8' },
      );
      assert.equal(signal, 'SIGKILL', stderr);
      assert.ok(cutPower(path));
    }
    const database = new DatabaseSync(path);
    try {
      const { integrity_check } = database.prepare('PRAGMA integrity_check').get()!;
      assert.equal(integrity_check, 'ok');
      const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'rows'").get();
      if (!exists) return 0;
      return database.prepare('SELECT count(*) AS count FROM rows').get()!.count as number;
    } finally {
      database.close();
    }
  }

  test('with synchronous=FULL it takes nothing that was committed', () => {
    assert.equal(rowsAfterCut('full.db', 'FULL', 0), 200);
  });

  test('with synchronous=FULL it takes nothing across checkpoints and starts either', () => {
    assert.equal(rowsAfterCut('checkpoints.db', 'FULL', 20, 3), 600);
  });

  test('with synchronous=NORMAL it takes what was committed since the last checkpoint', () => {
    assert.equal(rowsAfterCut('normal.db', 'NORMAL', 0), 0);
  });

  test('with synchronous=NORMAL what a checkpoint synced stays, and the file is whole', () => {
    const rows = rowsAfterCut('normal-checkpoints.db', 'NORMAL', 20);
    assert.ok(rows > 0 && rows < 200, `${rows} rows`);
  });
});
