import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { type Finding, judgeClock, judgeDisk, judgeSync } from '../../src/findings.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { emptyFolder, type Folder, folderWithStore } from '../support/service/command.ts';
import { noSmallDisk, smallDisk } from '../support/service/small-disk.ts';
import { aClient, anId } from '../support/store/backend.ts';

/** `punctual doctor`, with faults that are planted. */

const key = () => randomBytes(32).toString('base64');

async function findings(folder: Folder, environment: Record<string, string> = {}) {
  const { code, out, err } = await folder.run(['doctor', '--json'], environment);
  assert.equal(err, '');
  const found = JSON.parse(out) as Finding[];
  const hasProblem = found.some(({ state }) => state === 'problem');
  assert.equal(code, hasProblem ? 1 : 0);
  return found;
}

const storeOf = (folder: Folder) => openSqlite(join(folder.path, 'data/punctual.db'));

interface Fault {
  state: 'warning' | 'problem';
  check: string;
  sentence: RegExp;
  plant: (folder: Folder, t: TestContext) => Promise<Record<string, string> | undefined>;
  skip?: string | false;
}

const FAULTS: Record<string, Fault> = {
  'a setting that is wrong': {
    state: 'problem',
    check: 'settings',
    sentence: /^PORT must be a whole number/,
    plant: async () => ({ PORT: 'eighty' }),
  },
  'a setting that is misspelt': {
    state: 'warning',
    check: 'settings',
    sentence: /^PUNCTUAL_LOGLEVEL is no setting of Punctual\.$/,
    plant: async () => ({ PUNCTUAL_LOGLEVEL: 'debug' }),
  },
  'a store that is not there': {
    state: 'problem',
    check: 'store',
    sentence: /elsewhere\.db, and there is no store/,
    plant: async () => ({ DATABASE_URL: 'sqlite:./elsewhere.db' }),
  },
  'a PostgreSQL that does not answer': {
    state: 'problem',
    check: 'store',
    sentence: /cannot be opened|ECONNREFUSED|does not answer/,
    plant: async () => ({ DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' }),
  },
  'a store that is no database': {
    state: 'problem',
    check: 'store',
    sentence: /bad\.db cannot be opened/,
    plant: async folder => {
      writeFileSync(
        join(folder.path, 'bad.db'),
        'no database of SQLite, but some text that is long enough',
      );
      return { DATABASE_URL: 'sqlite:./bad.db' };
    },
  },
  'a store of a newer release': {
    state: 'problem',
    check: 'store',
    sentence: /The database is at version \d{4,}, and this Punctual knows/,
    plant: async folder => {
      const database = new DatabaseSync(join(folder.path, 'data/punctual.db'));
      database.exec(`PRAGMA user_version = ${9_999 * 65_536 + 9_999}`);
      database.close();
    },
  },
  'a disk without room': {
    state: 'problem',
    check: 'disk',
    sentence: /are free\.$|cannot be written to/,
    skip: noSmallDisk,
    plant: async (folder, t) => {
      const disk = smallDisk(t);
      const environment = { DATABASE_URL: `sqlite:${disk.path}/p.db` };
      assert.equal((await folder.run(['migrate'], environment)).code, 0);
      return environment;
    },
  },
  'acknowledged writes that are gone': {
    state: 'problem',
    check: 'loss',
    sentence: /^The store lost what was acknowledged until 20.*, and goes on empty\./,
    plant: async folder => {
      const path = join(folder.path, 'data/punctual.db');
      copyFileSync(path, join(folder.path, 'older'));
      const store = openSqlite(path);
      await store.installation.beginKeeping(Date.now());
      await store.close();
      copyFileSync(join(folder.path, 'older'), path);
    },
  },
  'a clock that is behind what is on record': {
    state: 'problem',
    check: 'clock',
    sentence: /^The clock is \d+\.\d s behind what is on record\.$/,
    plant: async folder => {
      const store = storeOf(folder);
      const { clientRowId } = await aClient(store);
      const at = Date.now() + 3_600_000;
      const schedule = {
        id: anId(at),
        status: 'enabled' as const,
        url: 'https://x/',
        verb: 'GET' as const,
      };
      const times = { interval: '* * * * *', timezone: 'UTC', createdAt: at, label: '' };
      await store.schedules.insert(clientRowId, [
        { schedule: { ...schedule, ...times }, start: null },
      ]);
      await store.close();
    },
  },
  'rules of time zones that are broken': {
    state: 'problem',
    check: 'time zones',
    sentence: /zones/,
    plant: async folder => {
      mkdirSync(join(folder.path, 'zones/Europe'), { recursive: true });
      writeFileSync(join(folder.path, 'zones/Europe/Berlin'), 'TZif, cut off');
      return { PUNCTUAL_ZONEINFO: './zones' };
    },
  },
  'a secret key that does not fit': {
    state: 'problem',
    check: 'secret key',
    sentence: /^PUNCTUAL_SECRET_KEY does not fit/,
    plant: async folder => {
      const made = await folder.run(['client', 'create', '--name', 'a'], {
        PUNCTUAL_SECRET_KEY: key(),
      });
      assert.equal(made.code, 0);
      return { PUNCTUAL_SECRET_KEY: key() };
    },
  },
  'secrets that are encrypted, and no key': {
    state: 'problem',
    check: 'secret key',
    sentence: /^The store holds encrypted secrets/,
    plant: async folder => {
      await folder.run(['client', 'create', '--name', 'a'], { PUNCTUAL_SECRET_KEY: key() });
    },
  },
  'a key file that is not there': {
    state: 'problem',
    check: 'secret key',
    sentence: /cannot be read from \.\/nowhere\.key/,
    plant: async () => ({ PUNCTUAL_SECRET_KEY_FILE: './nowhere.key' }),
  },
  'secrets that are stored as they are': {
    state: 'warning',
    check: 'secret key',
    sentence: /stored as they are/,
    plant: async () => {},
  },
  'a pause that somebody forgot': {
    state: 'warning',
    check: 'pause',
    sentence: /^Paused since .+: nothing fires/,
    plant: async folder => {
      assert.equal((await folder.run(['pause'])).code, 0);
    },
  },
};

describe('punctual doctor', () => {
  for (const [name, { state, check, sentence, plant, skip = false }] of Object.entries(FAULTS)) {
    test(`names ${name}`, { skip }, async t => {
      const folder = await folderWithStore(t);
      const found = await findings(folder, (await plant(folder, t)) ?? {});
      const named = found.filter(finding => finding.state === state && finding.check === check);
      assert.ok(
        named.some(finding => sentence.test(finding.sentence)),
        JSON.stringify(found, null, 1),
      );
      assert.ok(!JSON.stringify(found).includes('u:secret'));
    });
  }

  test('finds nothing where nothing is wrong, also beside a service, and says so to people', async t => {
    const folder = emptyFolder(t);
    const environment = { PUNCTUAL_SECRET_KEY: key() };
    const service = await folder.start(['serve'], /"listening"/, environment);
    const found = await findings(folder, environment);
    const wrong = found.filter(({ state, check }) => state !== 'ok' && check !== 'disk');
    assert.deepEqual(wrong, []);
    const { code, out } = await folder.run(['doctor'], environment);
    // A disk that others keep busy may be one: all other checks are to be ok.
    assert.equal(code, /^problem {2}disk: /m.test(out) ? 1 : 0);
    for (const check of [
      'settings',
      'store',
      'clock',
      'secret key',
      'time zones',
      'dashboard',
      'names',
    ]) {
      assert.match(out, new RegExp(`^ok       ${check}: `, 'm'));
    }
    await service.stop();
  });
});

test('what was measured is judged', () => {
  const states = (found: Finding[]) => found.map(({ state }) => state);
  const disk = (freeBytes: number) => judgeDisk({ bytes: 100e9, freeBytes });
  assert.deepEqual(states([disk(50e9), disk(9e9), disk(99e6)]), ['ok', 'warning', 'problem']);
  assert.deepEqual(states([5, 51, 501].map(judgeSync)), ['ok', 'warning', 'problem']);
  const clocks = [0, 900, -5_000, 61_000, -3_600_000].map(ms => judgeClock(ms, 'the database'));
  assert.deepEqual(states(clocks), ['ok', 'ok', 'warning', 'problem', 'problem']);
  assert.equal(clocks[2]!.sentence, 'The clock is 5.0 s behind the database.');
});
